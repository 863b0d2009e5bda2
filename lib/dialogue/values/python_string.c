/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/values/python_string.h"

#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

static char peek_char(assay_text text, size_t at)
{
    return at < text.n ? text.at[at] : '\0';
}

static bool is_newline(char c)
{
    return c == '\n' || c == '\r';
}

/* The length of the prefix at text[at]: none, or one letter. */
static size_t measure_prefix(assay_text text, size_t at)
{
    const char c = peek_char(text, at);
    return c != '\0' && strchr("rRuU", c) ? 1 : 0;
}

bool serve_python_is_string(assay_text text, size_t at)
{
    const char quote = peek_char(text, at + measure_prefix(text, at));
    return quote == '\'' || quote == '"';
}

static void add_character(buffer *out, uint32_t codepoint)
{
    char bytes[4];
    const size_t n = utf8_encode(bytes, codepoint);
    buffer_append(out, bytes, n);
}

static int digit_value(char c, unsigned base)
{
    const int value = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : 16;
    return value < (int)base ? value : -1;
}

/* Reads digits at text[*at..): at least `least`, at most `most`. */
static bool read_digits(assay_text text, size_t *at, unsigned base, size_t least, size_t most,
                        uint32_t *value)
{
    size_t n = 0;
    for (*value = 0; n < most && digit_value(peek_char(text, *at), base) >= 0; n++, ++*at)
        *value = *value * base + (uint32_t)digit_value(text.at[*at], base);
    return n >= least;
}

static bool add_coded(buffer *out, assay_text text, size_t *at, unsigned base, size_t least, size_t most)
{
    uint32_t codepoint;
    if (!read_digits(text, at, base, least, most, &codepoint)) return false;
    if (codepoint > 0x10FFFF || (codepoint >= 0xD800 && codepoint <= 0xDFFF)) return false;
    add_character(out, codepoint);
    return true;
}

/* Reads the escape after a backslash, at text[*at]. An unknown escape keeps its backslash. */
static bool add_escape(buffer *out, assay_text text, size_t *at)
{
    static const char NAMED[] = "\\'\"abfnrtv", SAYS[] = "\\'\"\a\b\f\n\r\t\v";
    const char c = peek_char(text, *at);
    const char *named = c != '\0' ? strchr(NAMED, c) : NULL;
    if (digit_value(c, 8) >= 0) return add_coded(out, text, at, 8, 1, 3);
    ++*at;
    if (named) {
        buffer_append(out, &SAYS[named - NAMED], 1);
        return true;
    }
    switch (c) {
    case 'x': return add_coded(out, text, at, 16, 2, 2);
    case 'u': return add_coded(out, text, at, 16, 4, 4);
    case 'U': return add_coded(out, text, at, 16, 8, 8);
    case 'N': return false;
    case '\r': *at += peek_char(text, *at) == '\n'; return true;
    case '\n': return true;
    default: break;
    }
    --*at;
    buffer_append(out, "\\", 1);
    return true;
}

/* In a raw string a backslash is kept, and the character after it does not end the string. */
static void add_raw(buffer *out, assay_text text, size_t *at)
{
    const char c = peek_char(text, *at);
    buffer_append(out, "\\", 1);
    if (c != '\'' && c != '"' && c != '\\') return;
    buffer_append(out, &c, 1);
    ++*at;
}

/* Reads up to the closing quotes; quotes: how many. */
static bool read_body(buffer *out, assay_text text, size_t *at, char quote, size_t quotes, bool raw)
{
    while (*at < text.n) {
        const char c = text.at[*at];
        size_t n = 0;
        while (n < quotes && peek_char(text, *at + n) == quote) n++;
        if (n == quotes) {
            *at += quotes;
            return true;
        }
        if (c == '\0' || (quotes == 1 && is_newline(c))) return false;
        ++*at;
        if (c == '\\') {
            if (raw) add_raw(out, text, at);
            else if (!add_escape(out, text, at)) return false;
        } else if (c == '\r') { /* every line end becomes "\n" */
            buffer_append(out, "\n", 1);
            *at += peek_char(text, *at) == '\n';
        } else {
            buffer_append(out, &c, 1);
        }
    }
    return false;
}

bool serve_python_string(buffer *out, assay_text text, size_t *at)
{
    const size_t prefix = measure_prefix(text, *at);
    const bool raw = prefix > 0 && (text.at[*at] == 'r' || text.at[*at] == 'R');
    const char quote = text.at[*at + prefix];
    *at += prefix + 1;
    size_t quotes = 1;
    if (peek_char(text, *at) == quote) {
        ++*at;
        if (peek_char(text, *at) != quote) return true;
        ++*at;
        quotes = 3;
    }
    return read_body(out, text, at, quote, quotes, raw);
}
