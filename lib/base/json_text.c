/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_text.h"

#include <endian.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"

/* Reads "\uXXXX" at text. */
static bool decode_unit(const char *text, size_t n, uint32_t *unit)
{
    if (n < 6 || text[0] != '\\' || text[1] != 'u') return false;
    uint32_t value = 0;
    for (int i = 2; i < 6; i++) {
        const char c = text[i];
        if (c >= '0' && c <= '9') value = value << 4 | (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f') value = value << 4 | (uint32_t)(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F') value = value << 4 | (uint32_t)(c - 'A' + 10);
        else return false;
    }
    *unit = value;
    return true;
}

static size_t decode_escape(const char *text, size_t n, uint32_t *codepoint, const char **problem)
{
    static const char NAMES[] = "\"\\/bfnrt", VALUES[] = "\"\\/\b\f\n\r\t";

    *problem = "expected an escape of RFC 8259";
    if (n < 2) return 0;
    const char *name = text[1] != '\0' ? strchr(NAMES, text[1]) : NULL;
    if (name) {
        *codepoint = (unsigned char)VALUES[name - NAMES];
        return 2;
    }
    uint32_t high, low;
    if (!decode_unit(text, n, &high)) return 0;
    *codepoint = high;
    if (high < 0xd800 || high > 0xdfff) return 6;

    *problem = "expected a high surrogate followed by a low one";
    if (high > 0xdbff || !decode_unit(text + 6, n - 6, &low) || low < 0xdc00 || low > 0xdfff) return 0;
    *codepoint = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    return 12;
}

static size_t decode_utf8(const char *text, size_t n, uint32_t *codepoint, const char **problem)
{
    bool valid;
    const size_t taken = utf8_decode(text, n, codepoint, &valid);
    *problem = "expected valid UTF-8";
    return valid ? taken : 0;
}

size_t json_text_decode(const char *text, size_t n, uint32_t *codepoint, const char **problem)
{
    const unsigned char c = (unsigned char)*text;
    if (c == '\\') return decode_escape(text, n, codepoint, problem);
    if (c >= 0x80) return decode_utf8(text, n, codepoint, problem);
    *problem = "expected control characters to be escaped";
    *codepoint = c;
    return c >= 0x20 ? 1 : 0;
}

/* The length of the non-ASCII character at text; 0 if it is invalid. Most have two bytes. */
static size_t measure_utf8(const char *text, size_t n)
{
    const unsigned char first = (unsigned char)text[0];
    uint32_t codepoint;
    const char *problem;
    if (first >= 0xc2 && first < 0xe0) return n >= 2 && ((unsigned char)text[1] & 0xc0) == 0x80 ? 2 : 0;
    return decode_utf8(text, n, &codepoint, &problem);
}

/* The number of leading bytes of text[n], at most eight, that are ASCII and need no escape in a string.
 * In bytes below 0x80 each subtraction sets the highest bit of bytes that need one, and possibly of
 * bytes after them. */
static size_t count_ascii(const char *text, size_t n)
{
    const uint64_t ones = 0x0101010101010101U;
    uint64_t eight;
    if (n < sizeof eight) return (unsigned char)*text >= 0x20 && *text != '"' && *text != '\\';
    memcpy(&eight, text, sizeof eight);
    eight = le64toh(eight);
    const uint64_t control = eight - 0x20 * ones, quote = (eight ^ '"' * ones) - ones,
                   backslash = (eight ^ '\\' * ones) - ones;
    const uint64_t others = (eight | control | quote | backslash) & 0x80 * ones;
    return others ? (size_t)__builtin_ctzll(others) / 8 : sizeof eight;
}

const char *json_text_skip_plain(const char *text, const char *end)
{
    size_t n = 1;
    for (; text < end && n > 0; text += n) {
        const size_t left = (size_t)(end - text);
        n = (unsigned char)*text >= 0x80 ? measure_utf8(text, left) : count_ascii(text, left);
    }
    return text;
}

#define QUOTE UINT32_MAX /* no code point */

/* The next character of a quoted text, or QUOTE at its end. */
static uint32_t next_codepoint(const char **quoted)
{
    const char *text = *quoted;
    const unsigned char c = (unsigned char)*text;
    if (c == '"') return QUOTE;
    uint32_t codepoint = c;
    const char *problem;
    /* 12: the longest character, an escaped surrogate pair. The text is valid, so no character is
     * incomplete. */
    *quoted += c < 0x80 && c != '\\' ? 1 : json_text_decode(text, 12, &codepoint, &problem);
    return codepoint;
}

size_t json_text_length(const char *quoted)
{
    const char *at = quoted;
    while (next_codepoint(&at) != QUOTE) continue;
    return (size_t)(at - quoted);
}

int json_text_compare(const char *a, const char *b)
{
    for (;;) {
        const uint32_t x = next_codepoint(&a), y = next_codepoint(&b);
        if (x != y) return x < y ? -1 : 1;
        if (x == QUOTE) return 0;
    }
}

uint64_t json_text_hash(const char *quoted)
{
    uint64_t hash = HASH_START;
    for (uint32_t c = next_codepoint(&quoted); c != QUOTE; c = next_codepoint(&quoted))
        hash = hash_add(hash, c);
    return hash;
}

bool json_text_has_nul(const char *quoted)
{
    uint32_t c;
    do c = next_codepoint(&quoted);
    while (c != QUOTE && c != 0);
    return c == 0;
}
