/* The fields of a reply, as a sink collects them, and their comparison with what is expected.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_FIELDS_H
#define CONFORMANCE_SUPPORT_FIELDS_H

#include <assay/serving.h>

#include "conformance/support/json_at.h"

/* Bytes; [n], without a terminator. */
typedef struct conf_bytes {
    char *at;
    size_t n, room;
} conf_bytes;

typedef struct conf_call {
    conf_bytes name, arguments;
} conf_call;

typedef struct conf_fields {
    conf_bytes content, reasoning;
    conf_call *calls; /* [n_calls] */
    size_t n_calls;
    bool no_memory;     /* what came last is not in here */
    const char *broken; /* a promise of the ABI that does not hold, or NULL */
} conf_fields;

/* What appends to `fields`, which are zeroed before and freed with conf_fields_free. */
assay_sink conf_fields_sink(conf_fields *fields);
void conf_fields_free(conf_fields *fields);

/* The bytes, borrowed; an empty text where there are none. */
assay_text conf_bytes_text(const conf_bytes *bytes);

/* Fail with ASSAY_EFORMAT where what a vector expects has no such member, or not of the type: a field is a
 * string or null, calls are [{name, arguments}]. */
assay_status conf_field_check(const conf_json_at *expect, const char *name, assay_error *err);
assay_status conf_calls_check(const conf_json_at *expect, assay_error *err);

/* Compares byte by byte. False where they differ, and `text` then says how: "name: expected …, found …". */
bool conf_field_same(const char *name, assay_text expected, assay_text found, char *text, size_t size);

/* Compares a field with a string or null: white space (Unicode's, as Python's str.strip has it) is taken off
 * both ends, and what is empty is null. False where they differ, and `text` then says how: "content: expected
 * …, found …". */
bool conf_field_equals(const char *name, json_object *expected, const conf_bytes *found, char *text,
                       size_t size);

/* Compares calls with [{name, arguments}]; arguments as JSON values where they parse, else as text. */
bool conf_calls_equal(json_object *expected, const conf_fields *found, char *text, size_t size);

/* The text without the white space at both its ends. */
assay_text conf_field_strip(assay_text text);

/* Whether a text is JSON; then its value, which the caller owns, of two members of one name the last. NULL is
 * null, or that it is none. */
bool conf_field_parse(assay_text text, json_object **value);

/* False where there is no memory. */
bool conf_bytes_add(conf_bytes *bytes, assay_text text);

#endif
