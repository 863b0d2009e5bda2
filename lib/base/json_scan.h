/* A strict JSON scanner (RFC 8259) that builds no objects: the caller requests one token after the other.
 *
 * It refuses everything that the RFC forbids, and the following cases that the RFC leaves open: bytes that
 * are not UTF-8 (overlong forms, surrogates, beyond U+10FFFF), a byte order mark, unpaired escaped
 * surrogates, a member name that its object already has (compared after unescaping), the character U+0000
 * inside a member name (names become C strings), and more than JSON_DEPTH_MAX open objects and arrays.
 * It takes O(n log n) time, and 16 bytes of memory for each member of the objects that are open.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>

#define JSON_DEPTH_MAX 32

typedef enum json_scan_kind {
    JSON_SCAN_END, /* after the one value: only white space was left */
    JSON_SCAN_OBJECT,
    JSON_SCAN_OBJECT_END,
    JSON_SCAN_ARRAY,
    JSON_SCAN_ARRAY_END,
    JSON_SCAN_NAME, /* of a member; its value follows */
    JSON_SCAN_STRING,
    JSON_SCAN_NUMBER,
    JSON_SCAN_TRUE,
    JSON_SCAN_FALSE,
    JSON_SCAN_NULL
} json_scan_kind;

/* text[0..n): the source of the token, borrowed from the scanned text, without a terminator; for a NAME or a
 * STRING the text between its quotes, still escaped. */
typedef struct json_scan_token {
    json_scan_kind kind;
    const char *text;
    size_t n;
} json_scan_token;

typedef struct json_scan json_scan;

/* Starts on text[0..n). Borrows path (for messages) and text until json_scan_free.
 * Fails with ASSAY_ENOMEM only. */
assay_status json_scan_open(const char *path, const char *text, size_t n, json_scan **out, assay_error *err);
void json_scan_free(json_scan *s);

/* The next token. After END and after a failure (ASSAY_EFORMAT, ASSAY_ENOMEM) the scanner may only be freed.
 */
assay_status json_scan_next(json_scan *s, json_scan_token *token, assay_error *err);

/* The name of the innermost member whose value contains, or starts at, the current position, still escaped;
 * [*n], borrowed from the text. NULL if no object is open at the position. */
const char *json_scan_member(const json_scan *s, size_t *n);

/* "an object", "a string", …, for messages. */
const char *json_scan_kind_name(json_scan_kind kind);

/* Unescapes a NAME or a STRING into dst and returns the bytes written, at most token->n; no terminator.
 * dst must not overlap the text. */
size_t json_scan_unescape(char *dst, const json_scan_token *token);

/* Whether a NAME or a STRING, unescaped, is `expected` (ASCII). */
bool json_scan_equals(const json_scan_token *token, const char *expected);

/* How many bytes of text[0..n) to show in a message: at most `limit`, cut between characters. */
int json_scan_clip(const char *text, size_t n, int limit);

#endif
