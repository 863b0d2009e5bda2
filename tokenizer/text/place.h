/* Where a value stands in a tokenizer.json, and what is expected of it.
 *
 * A place is a value of json-c and the way to it. Places link to the one that they lie in, so that a
 * message can name all of them; whoever reads keeps them on the stack.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_PLACE_H
#define TOKENIZER_TEXT_PLACE_H

#include <assay/status.h>

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tokenizer_place {
    const char *path;                   /* the file */
    const struct tokenizer_place *over; /* NULL: a member of the document */
    const char *name;                   /* of the member; NULL: an element */
    size_t index;                       /* of the element */
    json_object *value;                 /* NULL: absent or null; borrowed */
} tokenizer_place;

/* "FILE: model.merges[3]: " and the printf-formatted reason. */
assay_status tokenizer_place_fail(const tokenizer_place *p, assay_error *err, assay_status status,
                                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The member of p, which must be an object. Its value is NULL where the member is absent or null. */
assay_status tokenizer_place_member(const tokenizer_place *p, const char *name, tokenizer_place *out,
                                    assay_error *err);

/* The element of p, which tokenizer_place_length has been asked of. */
tokenizer_place tokenizer_place_element(const tokenizer_place *p, size_t index);

/* Elements of an array. */
assay_status tokenizer_place_length(const tokenizer_place *p, size_t *out, assay_error *err);
/* The member of p, which must be an array, and its elements. */
assay_status tokenizer_place_list(const tokenizer_place *p, const char *name, tokenizer_place *out, size_t *n,
                                  assay_error *err);

/* text[0..n), terminated, borrowed from the value. */
assay_status tokenizer_place_text(const tokenizer_place *p, const char **text, size_t *n, assay_error *err);
/* The same of a text that is compared with words: ASSAY_EFORMAT where it holds U+0000. */
assay_status tokenizer_place_word(const tokenizer_place *p, const char **text, assay_error *err);
/* A copy of it, which the caller frees. */
assay_status tokenizer_place_copy(const tokenizer_place *p, char **text, size_t *n, assay_error *err);
assay_status tokenizer_place_bool(const tokenizer_place *p, bool *out, assay_error *err);
/* An integer of 0 to most. */
assay_status tokenizer_place_count(const tokenizer_place *p, int64_t most, int64_t *out, assay_error *err);
/* A string of exactly one character. */
assay_status tokenizer_place_char(const tokenizer_place *p, uint32_t *out, assay_error *err);

/* The same of p's member, which must be there. */
assay_status tokenizer_place_required_bool(const tokenizer_place *p, const char *name, bool *out,
                                           assay_error *err);
assay_status tokenizer_place_required_copy(const tokenizer_place *p, const char *name, char **text, size_t *n,
                                           assay_error *err);

/* The same of p's member; where it is absent or null the result stays what it is. */
assay_status tokenizer_place_member_bool(const tokenizer_place *p, const char *name, bool *out,
                                         assay_error *err);

/* The member "type", and which of names[0..n) it is: ASSAY_EUNSUPPORTED for any other. */
assay_status tokenizer_place_type(const tokenizer_place *p, const char *const *names, size_t n, size_t *out,
                                  assay_error *err);

#endif
