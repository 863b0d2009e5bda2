/* Checks of one event, which the rules of all endpoints share: members by name and type, texts that are
 * joined from deltas, markers in content.
 *
 * Whatever returns a status fails with ASSAY_EFORMAT where the rule that is named is broken, at the event
 * under way, or with ASSAY_ENOMEM. `where` says in which object a member is looked for: "choices[0].delta".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_GRAMMAR_CHECKS_H
#define SERVING_GRAMMAR_CHECKS_H

#include "serving/grammar/rules.h"

assay_status serve_grammar_fail(serve_grammar *g, const char *rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A text between quotes, escaped, and cut where it is long; for one message. */
typedef struct serve_quoted {
    char at[64];
} serve_quoted;
serve_quoted serve_quote(assay_text text);

/* The text of a JSON string; at NULL for NULL. */
assay_text serve_string(json_object *value);
bool serve_text_is(assay_text text, const char *expected);

/* A member that must be there, of this type (json_type_int: a whole number). */
assay_status serve_grammar_member(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                  const char *name, json_type type, json_object **out);

/* NULL where it is absent or null. */
assay_status serve_grammar_optional(serve_grammar *g, const char *rule, const char *where,
                                    json_object *object, const char *name, json_type type, json_object **out);

/* A string that is not empty. */
assay_status serve_grammar_name(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                const char *name, assay_text *out);

/* A string that is `expected`. */
assay_status serve_grammar_exactly(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                   const char *name, const char *expected);

/* A whole number of at least `least`. */
assay_status serve_grammar_count(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                 const char *name, int64_t least, int64_t *out);

/* A string that is not empty, and the same in all events: the first one is kept in `first`. */
assay_status serve_grammar_same(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                const char *name, serve_bytes *first);

/* Adds a delta to what is joined. */
assay_status serve_grammar_join(serve_grammar *g, serve_bytes *to, assay_text delta);

/* What was joined is one JSON value, of this type where it is not json_type_null. */
assay_status serve_grammar_joined_json(serve_grammar *g, const char *rule, const char *what,
                                       const serve_bytes *joined, bool object);

/* `found` is what was joined. */
assay_status serve_grammar_joined_same(serve_grammar *g, const char *rule, const char *what,
                                       const serve_bytes *joined, assay_text found);

/* The end of a text of which more may come, as much as a marker can begin in. */
typedef struct serve_tail {
    char at[SERVE_MARKER_MAX];
    size_t n;
} serve_tail;

/* A delta of content: no marker may be in it, nor end in it. Counts it, too. */
assay_status serve_grammar_content(serve_grammar *g, serve_tail *tail, assay_text delta);

/* How many bytes of a quoted or shown text fit. */
void serve_grammar_finish(serve_grammar *g, assay_text word);

/* Room for one more element of `size` bytes, zeroed, behind the n of *array; rule size beyond `most`. */
assay_status serve_grammar_grow(serve_grammar *g, const char *what, void **array, size_t n, size_t most,
                                size_t size);

#endif
