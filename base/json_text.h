/* The characters inside a JSON string: UTF-8 and escapes. For json_scan alone.
 *
 * "Quoted" below: the text behind an opening quote that json_scan has found valid up to its closing quote.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the first character of text[0..n), n > 0, which is no quote: one byte, a UTF-8 sequence, an escape
 * or an escaped surrogate pair. Returns the bytes that it takes; 0 if it is invalid, *problem saying why. */
size_t json_text_decode(const char *text, size_t n, uint32_t *codepoint, const char **problem);

/* The first byte of text..end that does not stand for itself: a quote, '\\', a control character, or the
 * first of what is no UTF-8. */
const char *json_text_skip_plain(const char *text, const char *end);

/* Bytes of a quoted text. */
size_t json_text_length(const char *quoted);

/* Order by code points; 0 if equal once unescaped. */
int json_text_compare(const char *a, const char *b);

/* Equal for texts that json_text_compare finds equal. Collisions can be made at will: whoever sorts by it
 * must fall back on json_text_compare. */
uint64_t json_text_hash(const char *quoted);

/* Whether it holds U+0000. */
bool json_text_holds_nul(const char *quoted);

#endif
