/* SPDX-License-Identifier: Apache-2.0 */
#include "serving/text.h"

#include <stdbool.h>
#include <string.h>

/* Bytes of the character that begins with `first`; 0: none does. */
static size_t length(unsigned char first)
{
    if (first < 0x80) return 1;
    if (first < 0xc2) return 0;
    if (first < 0xe0) return 2;
    if (first < 0xf0) return 3;
    return first < 0xf5 ? 4 : 0;
}

/* Whether `second` may follow `first`: no overlong form, no surrogate, nothing beyond U+10FFFF (RFC 3629). */
static bool follows(unsigned char first, unsigned char second)
{
    switch (first) {
    case 0xe0: return second >= 0xa0 && second <= 0xbf;
    case 0xed: return second >= 0x80 && second <= 0x9f;
    case 0xf0: return second >= 0x90 && second <= 0xbf;
    case 0xf4: return second >= 0x80 && second <= 0x8f;
    default: return second >= 0x80 && second <= 0xbf;
    }
}

size_t serve_text_unfinished_wide(const char *text, size_t n)
{
    const unsigned char *end = (const unsigned char *)text + n;
    for (size_t k = 1; k <= 3 && k <= n; k++) {
        const unsigned char *at = end - k;
        if (*at >= 0x80 && *at < 0xc0) continue;
        if (length(*at) <= k) return 0;
        return k == 1 || follows(at[0], at[1]) ? k : 0;
    }
    return 0;
}

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
