/* JSON documents of a checkpoint: strict reading (RFC 8259) into json-c's objects.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <assay/status.h>

#include "base/json_scan.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#define JSON_SIZE_MAX   ((size_t)64 << 20)
#define JSON_VALUES_MAX ((size_t)1 << 22) /* 2^18 tokens and 2^19 merges of pairs have 1.8 million */

/* Checks that text[0..n) is one strict JSON value as json_scan.h defines it, and that each of its numbers
 * is finite as a double. `path` is for the message, which gives the byte offset and the text found there. */
assay_status json_check(const char *path, const char *text, size_t n, assay_error *err);

/* Parses a text that json_check accepts, of at most JSON_SIZE_MAX bytes and JSON_VALUES_MAX values
 * (ASSAY_EUNSUPPORTED otherwise, before anything is allocated). The caller owns *out
 * (json_object_put), which is NULL for the value null. json-c clamps an integer outside
 * INT64_MIN..UINT64_MAX to that range: tokenizer_config.json writes "no limit" as 10^30. Every number is
 * printed (json_object_to_json_string_ext) as the text writes it. */
assay_status json_parse(const char *path, const char *text, size_t n, json_object **out, assay_error *err);

/* How much a text may hold. A value takes far more memory than text: json-c gives an empty object some 700
 * bytes. */
typedef struct json_limits {
    size_t bytes;  /* at most INT_MAX */
    size_t values; /* objects, arrays, strings, numbers, true, false and null */
} json_limits;

/* json_parse with other limits; ASSAY_EUNSUPPORTED if text exceeds them, before anything is allocated. */
assay_status json_parse_within(const char *path, const char *text, size_t n, const json_limits *limits,
                               json_object **out, assay_error *err);

/* For callers that use json-c's parser directly: json-c 0.16 reads half of all escaped surrogate pairs as
 * U+FFFD. *out: [*n_out], the text with each pair replaced by its UTF-8, freed by the caller; NULL if text
 * has no pair. text may be any bytes; everything but the pairs is copied unchanged. Fails with ASSAY_ENOMEM.
 */
assay_status json_join_pairs(const char *text, size_t n, char **out, size_t *n_out, assay_error *err);

/* Reads and parses the whole file, with the limits of json_parse. ASSAY_EIO if it cannot be opened or is not
 * a regular file; the message starts with the path and the system's reason. */
assay_status json_read(const char *path, json_object **out, assay_error *err);

/* json_read with other limits. */
assay_status json_read_within(const char *path, const json_limits *limits, json_object **out,
                              assay_error *err);

/* The text of a JSON string as a C string, borrowed from the value; NULL if the value is not a string, or
 * contains U+0000, at which a C string would end. */
const char *json_text(json_object *value);

typedef enum json_numbers {
    JSON_BY_TYPE, /* 1 and 1.0 differ */
    JSON_BY_VALUE /* 1 and 1.0 are equal */
} json_numbers;

/* Whether two values made by json_parse are equal. The order of members is ignored; integers beyond 64 bits
 * are compared by their digits. */
bool json_equals(json_object *a, json_object *b, json_numbers numbers);

#endif
