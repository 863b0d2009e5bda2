/* The fields of a reply, as a sink collects them, and their comparison with what is expected.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_FIELDS_H
#define CONFORMANCE_SUPPORT_FIELDS_H

#include <assay/serving.h>

#include "base/buffer.h"
#include "conformance/support/json_at.h"

typedef struct conf_call {
    buffer name, arguments;
} conf_call;

typedef struct conf_fields {
    buffer content, reasoning;
    conf_call *calls; /* [n_calls] */
    size_t n_calls;
    bool no_memory;     /* an allocation failed; the last piece is missing */
    const char *broken; /* which rule of the ABI the engine broke, or NULL */
} conf_fields;

/* A sink that appends to `fields`. The caller zeroes them first and frees them with conf_fields_free. */
assay_sink conf_fields_sink(conf_fields *fields);
void conf_fields_free(conf_fields *fields);

/* Fail with ASSAY_EFORMAT if `expect` of a vector lacks the member, or the member has the wrong type: a
 * field is a string or null, calls are [{name, arguments}]. */
assay_status conf_field_check(const conf_json_at *expect, const char *name, assay_error *err);
assay_status conf_calls_check(const conf_json_at *expect, assay_error *err);

/* Compares byte by byte. False if they differ; the difference is then written to text [size]: "name:
 * expected …, found …". */
bool conf_field_same(const char *name, assay_text expected, assay_text found, char *text, size_t size);

/* Compares a field with a string or null: white space (Unicode's, as for Python's str.strip) is removed from
 * both ends, and an empty text equals null. False if they differ; the difference is then written to text
 * [size]: "content: expected …, found …". */
bool conf_field_equals(const char *name, json_object *expected, const buffer *found, char *text, size_t size);

/* Compares calls with [{name, arguments}]; arguments as JSON values if they parse, else as text. */
bool conf_calls_equal(json_object *expected, const conf_fields *found, char *text, size_t size);

/* The text without the white space at its ends; borrowed. */
assay_text conf_field_strip(assay_text text);

/* Whether a text is JSON. *value is its value, owned by the caller, or NULL for JSON's null and for a text
 * that is not JSON. If two members have the same name, the last one counts. */
bool conf_field_parse(assay_text text, json_object **value);

#endif
