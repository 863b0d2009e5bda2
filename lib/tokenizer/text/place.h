/* Values of a tokenizer.json with their path, and typed readers of them.
 *
 * A place is a json-c value and its position in the document. It links to the place that contains it,
 * so that errors can name the whole path; callers keep places on the stack, and a place must outlive
 * those within it. Readers fail with ASSAY_EFORMAT if the value has another type or is out of range.
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
    const struct tokenizer_place *over; /* the containing place; NULL: a member of the document */
    const char *name;                   /* of the member; NULL: this is an array element */
    size_t index;                       /* of the array element */
    json_object *value;                 /* NULL: absent or null; borrowed */
} tokenizer_place;

/* Sets the error "FILE: model.merges[3]: " followed by the printf-formatted reason; returns status. */
assay_status tokenizer_place_fail(const tokenizer_place *p, assay_error *err, assay_status status,
                                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The member `name` of p, which must be an object. Its value is NULL if the member is absent or
 * null. */
assay_status tokenizer_place_member(const tokenizer_place *p, const char *name, tokenizer_place *out,
                                    assay_error *err);

/* The element `index` of p, which must be an array longer than index (see tokenizer_place_length). */
tokenizer_place tokenizer_place_element(const tokenizer_place *p, size_t index);

/* The number of elements of p, which must be an array. */
assay_status tokenizer_place_length(const tokenizer_place *p, size_t *out, assay_error *err);
/* The member `name` of p, which must be an array, and its number of elements. */
assay_status tokenizer_place_list(const tokenizer_place *p, const char *name, tokenizer_place *out, size_t *n,
                                  assay_error *err);

/* The string text[0..n), terminated, borrowed from the value. */
assay_status tokenizer_place_text(const tokenizer_place *p, const char **text, size_t *n, assay_error *err);
/* The same for strings that are compared with strcmp: ASSAY_EFORMAT if the string contains U+0000. */
assay_status tokenizer_place_word(const tokenizer_place *p, const char **text, assay_error *err);
/* A terminated copy of the string, which the caller frees. */
assay_status tokenizer_place_copy(const tokenizer_place *p, char **text, size_t *n, assay_error *err);
assay_status tokenizer_place_bool(const tokenizer_place *p, bool *out, assay_error *err);
/* An integer from 0 to most. */
assay_status tokenizer_place_count(const tokenizer_place *p, int64_t most, int64_t *out, assay_error *err);
/* A string of exactly one character. */
assay_status tokenizer_place_char(const tokenizer_place *p, uint32_t *out, assay_error *err);

/* The same for the member `name` of p, which must be present. */
assay_status tokenizer_place_required_bool(const tokenizer_place *p, const char *name, bool *out,
                                           assay_error *err);
assay_status tokenizer_place_required_copy(const tokenizer_place *p, const char *name, char **text, size_t *n,
                                           assay_error *err);

/* The same for the member `name` of p; *out is unchanged if the member is absent or null. */
assay_status tokenizer_place_member_bool(const tokenizer_place *p, const char *name, bool *out,
                                         assay_error *err);

/* *out: the index of p's member "type" in names[0..n). ASSAY_EUNSUPPORTED if it is not among them. */
assay_status tokenizer_place_type(const tokenizer_place *p, const char *const *names, size_t n, size_t *out,
                                  assay_error *err);

#endif
