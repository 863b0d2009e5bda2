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

#define JSON_SIZE_MAX ((size_t)64 << 20)

/* Checks that text[0..n) is one strict JSON value as json_scan.h defines it, and that each of its numbers
 * is finite as a double. `path` is for the message, which names the byte offset and what stands there. */
assay_status json_check(const char *path, const char *text, size_t n, assay_error *err);

/* Parses text as json_check accepts it, at most JSON_SIZE_MAX bytes of it. The caller owns *out
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

/* json_parse within other limits; ASSAY_EUNSUPPORTED beyond them, before memory is asked for. */
assay_status json_parse_within(const char *path, const char *text, size_t n, const json_limits *limits,
                               json_object **out, assay_error *err);

/* For whoever hands a text to json-c by himself: json-c 0.16 reads half of all escaped surrogate pairs as
 * U+FFFD. *out is the text with each pair as UTF-8, [*n_out], freed by the caller; NULL where it holds none.
 * Any text will do; what is no pair stays as it is. Fails with ASSAY_ENOMEM. */
assay_status json_join_pairs(const char *text, size_t n, char **out, size_t *n_out, assay_error *err);

/* Reads and parses the whole file (at most JSON_SIZE_MAX). ASSAY_EIO where it cannot be opened or is not a
 * regular file; its text starts with the path and the system's reason. */
assay_status json_read(const char *path, json_object **out, assay_error *err);

/* json_read within other limits. */
assay_status json_read_within(const char *path, const json_limits *limits, json_object **out,
                              assay_error *err);

/* A string as a C string, borrowed from the value; NULL where the value is no string, or one that holds
 * U+0000, which a C string would cut short. */
const char *json_text(json_object *value);

typedef enum json_numbers {
    JSON_BY_TYPE, /* 1 and 1.0 differ */
    JSON_BY_VALUE /* they are the same */
} json_numbers;

/* Whether two values that json_parse has made are the same: members in any order, integers beyond 64 bits by
 * their digits. */
bool json_equals(json_object *a, json_object *b, json_numbers numbers);

#endif
