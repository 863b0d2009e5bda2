/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <string.h>

/* Unicode, table 3-7: the length of a sequence, and the range of its second byte. */
typedef struct lead {
    size_t taken; /* 0: no sequence begins with it */
    unsigned char low, high;
} lead;

static lead lead_of(unsigned char first)
{
    if (first < 0xc2 || first > 0xf4) return (lead){0};
    return (lead){.taken = first >= 0xf0   ? 4
                           : first >= 0xe0 ? 3
                                           : 2,
                  .low = first == 0xe0   ? 0xa0
                         : first == 0xf0 ? 0x90
                                         : 0x80,
                  .high = first == 0xed   ? 0x9f
                          : first == 0xf4 ? 0x8f
                                          : 0xbf};
}

/* The number of well-formed bytes in text[0..n) of a sequence with lead `l`. */
static size_t well_formed(const char *text, size_t n, lead l)
{
    size_t i = 1;
    for (; i < l.taken && i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c < (i == 1 ? l.low : 0x80) || c > (i == 1 ? l.high : 0xbf)) break;
    }
    return i;
}

size_t utf8_decode(const char *text, size_t n, uint32_t *codepoint, bool *valid)
{
    const unsigned char first = (unsigned char)text[0];
    if (valid) *valid = true;
    if (first < 0x80) {
        *codepoint = first;
        return 1;
    }
    const lead l = lead_of(first);
    const size_t taken = l.taken ? well_formed(text, n, l) : 1;
    if (taken != l.taken) {
        if (valid) *valid = false;
        *codepoint = UTF8_REPLACEMENT;
        return taken;
    }
    uint32_t value = first & (0x7fU >> taken);
    for (size_t i = 1; i < taken; i++) value = value << 6 | ((unsigned char)text[i] & 0x3fU);
    *codepoint = value;
    return taken;
}

size_t utf8_encode(char *out, uint32_t codepoint)
{
    if (codepoint < 0x80) {
        out[0] = (char)codepoint;
        return 1;
    }
    const size_t n = codepoint < 0x800 ? 2 : codepoint < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(unsigned char)(0x80 | (codepoint & 0x3f));
        codepoint >>= 6;
    }
    out[0] = (char)(unsigned char)((0xf00U >> n) | codepoint);
    return n;
}

size_t utf8_valid_prefix(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n) {
        uint64_t eight;
        if (n - i >= sizeof eight) {
            memcpy(&eight, text + i, sizeof eight);
            if (!(eight & 0x8080808080808080U)) {
                i += sizeof eight;
                continue;
            }
        }
        uint32_t codepoint;
        bool valid;
        const size_t taken = utf8_decode(text + i, n - i, &codepoint, &valid);
        if (!valid) return i;
        i += taken;
    }
    return n;
}

size_t utf8_unfinished(const char *text, size_t n)
{
    for (size_t back = 1; back <= 3 && back <= n; back++) {
        const unsigned char first = (unsigned char)text[n - back];
        if (first < 0x80) return 0;
        if (first < 0xc0) continue;
        const lead l = lead_of(first);
        return l.taken > back && well_formed(text + n - back, back, l) == back ? back : 0;
    }
    return 0;
}

size_t utf8_before(const char *text, size_t n)
{
    do n--;
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80);
    return n;
}
