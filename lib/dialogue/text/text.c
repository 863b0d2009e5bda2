/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/text/text.h"

#include <stdbool.h>
#include <string.h>

/* White space of three bytes: U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000. */
static bool wide_space(const char *text)
{
    const unsigned char last = (unsigned char)text[2];
    if (memcmp(text, "\xe2\x80", 2) == 0)
        return (last >= 0x80 && last <= 0x8a) || last == 0xa8 || last == 0xa9 || last == 0xaf;
    return memcmp(text, "\xe1\x9a\x80", 3) == 0 || memcmp(text, "\xe2\x81\x9f", 3) == 0 ||
           memcmp(text, "\xe3\x80\x80", 3) == 0;
}

size_t serve_text_space(const char *text, size_t n)
{
    if (n == 0) return 0;
    const unsigned char first = (unsigned char)text[0];
    if (first == ' ' || (first >= '\t' && first <= '\r') || (first >= 0x1c && first <= 0x1f)) return 1;
    if (n >= 2 && first == 0xc2) return text[1] == '\x85' || text[1] == '\xa0' ? 2 : 0;
    return n >= 3 && wide_space(text) ? 3 : 0;
}
