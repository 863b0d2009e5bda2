/* Decoding and encoding UTF-8.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xfffdU
#define UTF8_LENGTH_MAX  4 /* bytes of a character */

/* Decodes the first character of text[0..n), n > 0, and returns its length in bytes. Invalid bytes decode to
 * U+FFFD, one for each maximal subpart (Unicode 15, section 3.9); *valid is false then, and true for a U+FFFD
 * that the text contains. valid may be NULL. */
size_t utf8_decode(const char *text, size_t n, uint32_t *codepoint, bool *valid);

/* Encodes a code point in out[0..4) and returns its length in bytes. */
size_t utf8_encode(char *out, uint32_t codepoint);

/* Length of the longest prefix of text[0..n) that is valid UTF-8. */
size_t utf8_valid_prefix(const char *text, size_t n);

/* How many bytes at the end of text[0..n) begin a character that more bytes could complete: 0 to 3. */
size_t utf8_unfinished(const char *text, size_t n);

/* The offset of the last character of text[0..n), n > 0, which is valid UTF-8. */
size_t utf8_before(const char *text, size_t n);

#endif
