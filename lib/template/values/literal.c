/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/literal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "template/values/integer.h"
#include "template/values/strings.h"
#include "template/values/unicode.h"

size_t tpl_name_length(assay_text text)
{
    size_t n = 0;
    for (; n < text.n; n++) {
        const char c = text.at[n];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (n == 0 || c < '0' || c > '9')) break;
    }
    return n;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
    return 99;
}

/* Writes the code point of an escape with up to `most` digits of a base to *out, and returns how many digits
 * there are. */
static size_t read_digits(assay_text text, size_t at, size_t most, int base, uint32_t *out)
{
    size_t n = 0;
    *out = 0;
    while (n < most && at + n < text.n && digit_value(text.at[at + n]) < base)
        *out = *out * (uint32_t)base + (uint32_t)digit_value(text.at[at + n++]);
    return n;
}

/* A backslash before a character beyond ASCII, at text[at]: jinja2 replaces the character by its own escape
 * first, of which the backslashes are one then. Returns the offset after it. */
static size_t read_escaped_character(assay_text text, size_t at, char *out, size_t *n)
{
    uint32_t c;
    const size_t n_bytes = utf8_decode(text.at + at, text.n - at, &c, NULL);
    *n += (size_t)sprintf(out + *n, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
    return at + n_bytes;
}

/* Decodes the escape after the backslash at text[at], appends it to out[*n], and returns the offset after it.
 */
static size_t read_escape(tpl *t, assay_text text, size_t at, char *out, size_t *n)
{
    static const char names[] = "abfnrtv\\'\"", values[] = "\a\b\f\n\r\t\v\\'\"";
    const char c = text.at[at + 1];
    const char *name = strchr(names, c);
    uint32_t codepoint = 0;
    size_t n_digits;
    at += 2;
    if (c == '\n') return at;
    if (c && name) {
        out[(*n)++] = values[name - names];
        return at;
    }
    if ((unsigned char)c >= 0x80) return read_escaped_character(text, at - 1, out, n);
    if (c >= '0' && c <= '7') {
        n_digits = read_digits(text, at - 1, 3, 8, &codepoint);
        *n += utf8_encode(out + *n, codepoint);
        return at - 1 + n_digits;
    }
    const size_t wanted = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (wanted == 0) {
        if (c == 'N') (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "the escape \\N of a string is not supported");
        out[(*n)++] = '\\';
        return at - 1;
    }
    n_digits = read_digits(text, at, wanted, 16, &codepoint);
    if (n_digits < wanted || codepoint > 0x10ffff)
        (void)tpl_fail(t, ASSAY_EFORMAT, "found an incomplete escape \\%c in a string", c);
    else if (codepoint >= 0xd800 && codepoint < 0xe000)
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "half of a surrogate pair in a string is not supported");
    else *n += utf8_encode(out + *n, codepoint);
    return at + n_digits;
}

size_t tpl_literal_string(tpl *t, assay_text text, tpl_value *out)
{
    const char quote = text.at[0];
    size_t end = 1, n = 0;
    while (end < text.n && text.at[end] != quote) end += text.at[end] == '\\' ? 2 : 1;
    if (end >= text.n) {
        (void)tpl_fail(t, ASSAY_EFORMAT, "found a string without its closing quote");
        return text.n;
    }
    char *decoded = tpl_alloc(t, 2 * end + 1, 1); /* the longest escape is twice its source */
    if (!decoded) return end + 1;
    for (size_t at = 1; at < end && t->status == ASSAY_OK;) {
        if (text.at[at] == '\\') at = read_escape(t, text, at, decoded, &n);
        else decoded[n++] = text.at[at++];
    }
    *out = tpl_text(decoded, n);
    return end + 1;
}

/* Digits with single underscores between them. */
static size_t digits_length(assay_text text, size_t at, int base)
{
    const size_t from = at;
    while (at < text.n && (digit_value(text.at[at]) < base ||
                           (text.at[at] == '_' && at > from && at + 1 < text.n && text.at[at - 1] != '_' &&
                            digit_value(text.at[at + 1]) < base)))
        at++;
    return at - from;
}

/* The digits without underscores as a terminated text in out[0..size). */
static bool copy_digits(assay_text text, char *out, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.at[i] == '_') continue;
        if (n + 1 >= size) return false;
        out[n++] = text.at[i];
    }
    out[n] = 0;
    return true;
}

/* Digits of a base as an integer; false if there are none, other characters, or more than Python converts. */
static bool parse_digits(tpl *t, assay_text text, int base, bool negative, tpl_value *out)
{
    if (text.n == 0 || digits_length(text, 0, base) != text.n) return false;
    char *digits = tpl_alloc(t, text.n, 1);
    size_t n = 0;
    if (!digits) return false;
    for (size_t i = 0; i < text.n; i++)
        if (text.at[i] != '_') digits[n++] = text.at[i];
    if ((base & (base - 1)) != 0 && n > TPL_DIGITS_MAX) return false;
    *out = tpl_integer_parse(t, (assay_text){.at = digits, .n = n}, base, negative);
    return t->status == ASSAY_OK;
}

static int prefix_base(assay_text text)
{
    if (text.n < 2 || text.at[0] != '0') return 0;
    return strchr("xX", text.at[1]) ? 16 : strchr("oO", text.at[1]) ? 8 : strchr("bB", text.at[1]) ? 2 : 0;
}

size_t tpl_literal_number(tpl *t, assay_text text, bool whole, tpl_value *out)
{
    double real;
    const int base = prefix_base(text);
    size_t n = base ? digits_length(text, 2, base) : 0;
    if (n > 0) {
        (void)parse_digits(t, (assay_text){.at = text.at + 2, .n = n}, base, false, out);
        return n + 2;
    }
    n = digits_length(text, 0, 10);
    const size_t fraction = n + 1 < text.n && text.at[n] == '.' ? digits_length(text, n + 1, 10) : 0;
    size_t end = fraction > 0 ? n + 1 + fraction : n;
    if (end < text.n && (text.at[end] == 'e' || text.at[end] == 'E')) {
        const bool sign = end + 1 < text.n && (text.at[end + 1] == '-' || text.at[end + 1] == '+');
        const size_t exponent = digits_length(text, end + 1 + sign, 10);
        if (exponent > 0) end += 1 + sign + exponent;
    }
    if (end > n && !whole) {
        if (!tpl_parse_float(t, (assay_text){.at = text.at, .n = end}, &real))
            (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "a number of that length is not supported");
        *out = tpl_float(real);
        return end;
    }
    /* "007" is the number 0, and then 07. */
    if (text.at[0] == '0')
        for (n = 1; n < text.n && text.at[n] == '0';) n++;
    if (!parse_digits(t, (assay_text){.at = text.at, .n = n}, 10, false, out))
        (void)tpl_fail(t, ASSAY_EFORMAT, "found an integer of more than %zu digits", TPL_DIGITS_MAX);
    return n;
}

/* The text with the decimal digits of every script as 0 to 9, and without white space at its ends, as int and
 * float read it. */
static assay_text read_numeral(tpl *t, assay_text text)
{
    tpl_builder b = {.t = t};
    uint32_t c;
    bool ascii = true;
    for (size_t i = 0; i < text.n; i++) ascii = ascii && (unsigned char)text.at[i] < 0x80;
    for (size_t at = 0; !ascii && at < text.n && tpl_step(t, 1);) {
        at += utf8_decode(text.at + at, text.n - at, &c, NULL);
        const int digit = tpl_decimal_value(t, c);
        const char made = c < 0x80 ? (char)c : tpl_is_space(c) ? ' ' : digit >= 0 ? (char)('0' + digit) : '?';
        tpl_add(&b, &made, 1);
    }
    if (!ascii) text = tpl_built(&b).text;
    while (text.n > 0 && (text.at[0] == ' ' || (text.at[0] >= '\t' && text.at[0] <= '\r')))
        text.at++, text.n--;
    while (text.n > 0 &&
           (text.at[text.n - 1] == ' ' || (text.at[text.n - 1] >= '\t' && text.at[text.n - 1] <= '\r')))
        text.n--;
    return text;
}

bool tpl_parse_int(tpl *t, assay_text text, int64_t base, tpl_value *out)
{
    text = read_numeral(t, text);
    const bool negative = text.n > 0 && text.at[0] == '-';
    if (text.n > 0 && (text.at[0] == '-' || text.at[0] == '+')) text.at++, text.n--;
    const int prefix = prefix_base(text);
    if (prefix != 0 && (base == prefix || base == 0)) {
        base = prefix;
        text.at += 2, text.n -= 2;
        if (text.n > 0 && text.at[0] == '_') text.at++, text.n--;
    }
    if (base == 0) {
        base = 10;
        for (size_t i = 0; text.n > 1 && text.at[0] == '0' && i < text.n; i++)
            if (text.at[i] != '0' && text.at[i] != '_') return false;
    }
    return base >= 2 && base <= 36 && parse_digits(t, text, (int)base, negative, out);
}

bool tpl_parse_float(tpl *t, assay_text text, double *out)
{
    static const char *const words[] = {"inf", "infinity", "nan"};
    char digits[512], *end;
    text = read_numeral(t, text);
    const bool sign = text.n > 0 && (text.at[0] == '-' || text.at[0] == '+');
    assay_text rest = {.at = text.at + sign, .n = text.n - sign};
    bool word = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        word = word || (rest.n == strlen(words[i]) && strncasecmp(rest.at, words[i], rest.n) == 0);
    size_t n = digits_length(rest, 0, 10), n_digits = n;
    if (n < rest.n && rest.at[n] == '.') {
        const size_t fraction = digits_length(rest, n + 1, 10);
        n_digits += fraction, n += 1 + fraction;
    }
    if (n_digits > 0 && n < rest.n && (rest.at[n] == 'e' || rest.at[n] == 'E')) {
        const bool signs = n + 1 < rest.n && (rest.at[n + 1] == '-' || rest.at[n + 1] == '+');
        const size_t exponent = digits_length(rest, n + 1 + signs, 10);
        if (exponent > 0) n += 1 + signs + exponent;
    }
    if (!word && (n_digits == 0 || n != rest.n)) return false;
    if (!copy_digits(text, digits, sizeof digits))
        return tpl_fail(t, ASSAY_EUNSUPPORTED, "a number of %zu characters is not supported", text.n);
    *out = strtod(digits, &end);
    return *end == 0;
}
