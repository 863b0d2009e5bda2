/* UTF-8 characters of a text that a stream cuts anywhere.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TEXT_TEXT_H
#define DIALOGUE_TEXT_TEXT_H

#include <stddef.h>

#include "base/utf8.h"

/* As utf8_unfinished, with a fast path for texts that end in ASCII. */
static inline size_t serve_text_unfinished(const char *text, size_t n)
{
    return n == 0 || (unsigned char)text[n - 1] < 0x80 ? 0 : utf8_unfinished(text, n);
}

/* The length of the white-space character that text[0..n) begins with; 0 if it begins with another character,
 * or with an incomplete one. White space is that of Python's str.isspace (Unicode 15: Zs, and bidirectional
 * classes WS, B and S). */
size_t serve_text_space(const char *text, size_t n);

#endif
