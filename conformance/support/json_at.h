/* Reads values of an untrusted JSON file by name and type. Messages name the path of a value that is not as
 * expected: "groups[2].vectors[17].input.program[3].op".
 *
 * Failures are ASSAY_EFORMAT and name the file and the path in it. Returned values are borrowed from the
 * document.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_JSON_AT_H
#define CONFORMANCE_SUPPORT_JSON_AT_H

#include <assay/status.h>

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conformance/support/strings.h"

/* A value and its path in the document. It borrows its parent, which must not move while it is in use. */
typedef struct conf_json_at {
    const struct conf_json_at *above; /* NULL: this is the document */
    const char *name;                 /* of a member, or the path of the document; NULL: an element */
    size_t index;                     /* of an element */
    json_object *value;
} conf_json_at;

/* Fills err with the file, the path and the printf-formatted reason; returns ASSAY_EFORMAT. */
assay_status conf_json_fail(const conf_json_at *at, assay_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Element `index` < length of an array. */
conf_json_at conf_json_element(const conf_json_at *array, size_t index);

/* The member of an object; false if there is none. */
bool conf_json_find(const conf_json_at *object, const char *name, conf_json_at *out);

/* Fails if the value has another type. */
assay_status conf_json_expect(const conf_json_at *at, enum json_type type, assay_error *err);

/* The member of an object, of this type; fails if there is none. */
assay_status conf_json_member(const conf_json_at *object, const char *name, enum json_type type,
                              conf_json_at *out, assay_error *err);

/* A string without U+0000. */
assay_status conf_json_text(const conf_json_at *at, const char **out, assay_error *err);
assay_status conf_json_member_text(const conf_json_at *object, const char *name, const char **out,
                                   assay_error *err);
/* *out is unchanged if there is no such member. */
assay_status conf_json_optional_text(const conf_json_at *object, const char *name, const char **out,
                                     assay_error *err);

/* A whole number from `least` to `most`. The message quotes any other number as the file has it. */
assay_status conf_json_whole(const conf_json_at *at, int64_t least, int64_t most, int64_t *out,
                             assay_error *err);
assay_status conf_json_member_whole(const conf_json_at *object, const char *name, int64_t least, int64_t most,
                                    int64_t *out, assay_error *err);

/* The index of a string among names [n]. */
assay_status conf_json_choose(const conf_json_at *at, const char *const *names, size_t n, size_t *out,
                              assay_error *err);

/* Appends to *unknown the paths of the object's members that are not in `known` (NULL-terminated), for a
 * warning. Fails with ASSAY_ENOMEM. */
assay_status conf_json_note_unknown(const conf_json_at *object, const char *const *known,
                                    conf_strings *unknown, assay_error *err);

#endif
