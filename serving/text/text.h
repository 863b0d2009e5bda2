/* Characters of UTF-8 that a stream cuts anywhere.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TEXT_TEXT_H
#define SERVING_TEXT_TEXT_H

#include <stddef.h>

#include "base/utf8.h"

/* As utf8_unfinished; most texts end in ASCII. */
static inline size_t serve_text_unfinished(const char *text, size_t n)
{
    return n == 0 || (unsigned char)text[n - 1] < 0x80 ? 0 : utf8_unfinished(text, n);
}

/* Bytes of the white space character that text[0..n) begins with; 0: it begins with something else, or with a
 * character that is not whole. White space is what Python's str.isspace says (Unicode 15: Zs, and those of
 * bidirectional class WS, B or S). */
size_t serve_text_space(const char *text, size_t n);

#endif
