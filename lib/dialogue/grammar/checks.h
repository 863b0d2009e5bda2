/* Checks of one event that the rules of all endpoints share: members by name and type, texts joined from
 * deltas, markers in content.
 *
 * Functions that return a status report a breach of the given rule, at the current event, and return
 * ASSAY_EFORMAT then; or ASSAY_ENOMEM. `where` names the object that the member is in: "choices[0].delta".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_GRAMMAR_CHECKS_H
#define DIALOGUE_GRAMMAR_CHECKS_H

#include "dialogue/grammar/rules.h"

assay_status serve_grammar_fail(serve_grammar *g, const char *rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ASSAY_OK for ASSAY_EFORMAT: a breach that was reported, and after which the event is read on. */
assay_status serve_grammar_go_on(assay_status rc);

/* A text in quotes, escaped and cut to length, for one message. */
typedef struct serve_quoted {
    char at[64];
} serve_quoted;
serve_quoted serve_quote(assay_text text);

/* The text of a JSON string; .at is NULL for NULL. */
assay_text serve_string(json_object *value);
bool serve_text_is(assay_text text, const char *expected);
bool serve_text_is_among(assay_text text, const char *const *expected); /* ends with NULL */

/* A required member of this type (json_type_int: an integer). */
assay_status serve_grammar_member(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                  const char *name, json_type type, json_object **out);

/* The same for a member that may be absent or null: *out is NULL then. */
assay_status serve_grammar_optional(serve_grammar *g, const char *rule, const char *where,
                                    json_object *object, const char *name, json_type type, json_object **out);

/* A string that must not be empty. */
assay_status serve_grammar_name(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                const char *name, assay_text *out);

/* A string that must equal `expected`. */
assay_status serve_grammar_exactly(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                   const char *name, const char *expected);

/* An integer that must be at least `least`. */
assay_status serve_grammar_count(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                 const char *name, int64_t least, int64_t *out);

/* A string that must not be empty, and must be the same in all events; `first` holds the first one. */
assay_status serve_grammar_same(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                const char *name, buffer *first);

/* Appends a delta to a joined text, and counts its bytes. */
assay_status serve_grammar_join(serve_grammar *g, buffer *to, assay_text delta);

/* The joined text must be one JSON value, and an object if `object`. */
assay_status serve_grammar_joined_json(serve_grammar *g, const char *rule, const char *what,
                                       const buffer *joined, bool object);

/* The joined text must equal `found`. */
assay_status serve_grammar_joined_same(serve_grammar *g, const char *rule, const char *what,
                                       const buffer *joined, assay_text found);

/* The end of a text that may grow: as many bytes as can begin a marker. */
typedef struct serve_tail {
    char at[SERVE_MARKER_MAX];
    size_t n;
} serve_tail;

/* Checks a delta of content: no marker is in it or ends in it. Counts its bytes. A marker is reported once in
 * a stream. */
assay_status serve_grammar_content(serve_grammar *g, serve_tail *tail, assay_text delta);

/* Records why generation ended in the summary; word is cut to fit. */
void serve_grammar_finish(serve_grammar *g, assay_text word);

/* Grows *array, [n], by one zeroed element of `size` bytes; breaks rule size beyond `most` elements. */
assay_status serve_grammar_grow(serve_grammar *g, const char *what, void **array, size_t n, size_t most,
                                size_t size);

#endif
