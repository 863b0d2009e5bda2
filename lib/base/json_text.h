/* The characters inside a JSON string: UTF-8 and escapes. Used only by json_scan.
 *
 * "Quoted" below: the text after an opening quote; json_scan has found it valid up to its closing quote.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the first character of text[0..n), n > 0, which is not a quote: one byte, a UTF-8 sequence, an
 * escape or an escaped surrogate pair. Returns its length in bytes; 0 if it is invalid, and sets *problem to
 * the reason. */
size_t json_text_decode(const char *text, size_t n, uint32_t *codepoint, const char **problem);

/* The first byte of text..end that is a quote, '\\', a control character, or the start of invalid UTF-8. */
const char *json_text_skip_plain(const char *text, const char *end);

/* Bytes of a quoted text. */
size_t json_text_length(const char *quoted);

/* Order by code points; 0 if equal once unescaped. */
int json_text_compare(const char *a, const char *b);

/* Equal for texts that json_text_compare finds equal. An attacker can produce collisions: a caller that sorts
 * by the hash must fall back on json_text_compare. */
uint64_t json_text_hash(const char *quoted);

/* Whether the text contains U+0000. */
bool json_text_has_nul(const char *quoted);

#endif
