/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/values/python_literal.h"

#include "base/json_escape.h"
#include "dialogue/text/span.h"
#include "dialogue/values/arguments.h"
#include "dialogue/values/python_string.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 4300 /* digits of an integer: Python's limit */

typedef struct source {
    assay_text text;
    size_t at;
    size_t depth; /* nesting of brackets */
    buffer string;
    bool failed; /* an allocation of another buffer failed */
} source;

static bool read_value(source *s, buffer *json);

static char peek_char(const source *s, size_t ahead)
{
    return s->at + ahead < s->text.n ? s->text.at[s->at + ahead] : '\0';
}

/* The length of a backslash and line end if the text continues after them; otherwise 0. */
static size_t measure_join(const source *s)
{
    if (peek_char(s, 0) != '\\') return 0;
    const size_t n = peek_char(s, 1) == '\n'   ? 2
                     : peek_char(s, 1) != '\r' ? 0
                     : peek_char(s, 2) == '\n' ? 3
                                               : 2;
    return s->at + n < s->text.n ? n : 0;
}

/* Skips blanks and joined lines, and within brackets also line ends and comments. */
static void skip_blank(source *s, bool lines)
{
    for (size_t n = 0;; s->at += n > 0 ? n : 1) {
        const char c = peek_char(s, 0);
        if (c == '#' && lines)
            while (s->at < s->text.n && peek_char(s, 0) != '\n' && peek_char(s, 0) != '\r') s->at++;
        n = measure_join(s);
        const char here = peek_char(s, 0);
        if (n == 0 && (here == '\0' || !strchr(lines ? " \t\f\r\n" : " \t\f", here))) return;
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(const source *s, size_t ahead)
{
    if (s->at + ahead >= s->text.n) return false;
    return serve_span_word(serve_span_part(s->text, s->at + ahead, s->at + ahead + 1)) == 1;
}

/* Copies digits, without the single underscores between them, to out. Returns how many. */
static size_t read_digits(source *s, buffer *out)
{
    size_t n = 0;
    while (is_digit(peek_char(s, 0)) || (n > 0 && peek_char(s, 0) == '_' && is_digit(peek_char(s, 1)))) {
        if (peek_char(s, 0) != '_') {
            buffer_append(out, &s->text.at[s->at], 1);
            n++;
        }
        s->at++;
    }
    return n;
}

#define OCTAL "01234567"

/* Reads 0x…, 0o…, 0b…, and writes it in decimal. */
static bool read_based(source *s, buffer *json, int base)
{
    char digits[65], decimal[24];
    size_t n = 0;
    for (s->at += 2; is_word(s, 0); s->at++) {
        const char c = peek_char(s, 0);
        if (c == '_' && is_word(s, 1) && peek_char(s, 1) != '_') continue;
        if (n + 1 == sizeof digits) return false;
        digits[n++] = c;
    }
    digits[n] = '\0';
    errno = 0;
    const unsigned long long value = strtoull(digits, NULL, base);
    if (n == 0 ||
        strspn(digits, base == 2   ? "01"
                       : base == 8 ? OCTAL
                                   : OCTAL "89abcdefABCDEF") < n ||
        errno != 0)
        return false;
    snprintf(decimal, sizeof decimal, "%llu", value);
    buffer_append_string(json, decimal);
    return true;
}

static int base_of(char c)
{
    return c == 'x' || c == 'X' ? 16 : c == 'o' || c == 'O' ? 8 : c == 'b' || c == 'B' ? 2 : 0;
}

void serve_append_python_float(buffer *out, double value)
{
    char text[48];
    int precision = 1;
    while (snprintf(text, sizeof text, "%.*e", precision - 1, value) > 0 && strtod(text, NULL) != value)
        precision++;
    const int exponent = atoi(strchr(text, 'e') + 1), digits = precision - 1 - exponent;
    if (exponent >= -4 && exponent < 16) snprintf(text, sizeof text, "%.*f", digits > 1 ? digits : 1, value);
    buffer_append_string(out, text);
}

/* Writes the float in `digits`. */
static bool add_float(buffer *json, buffer *digits)
{
    buffer_append(digits, "", 1);
    if (digits->failed) return false;
    const double value = strtod(digits->data, NULL);
    if (!isfinite(value)) return false;
    serve_append_python_float(json, value);
    return true;
}

static bool read_decimal(source *s, buffer *json, buffer *digits)
{
    const size_t whole = read_digits(s, digits);
    size_t fraction = 0;
    bool is_float = false;
    if (peek_char(s, 0) == '.') {
        is_float = true;
        s->at++;
        buffer_append(digits, ".", 1);
        fraction = read_digits(s, digits);
    }
    if (whole + fraction == 0) return false;
    if (peek_char(s, 0) == 'e' || peek_char(s, 0) == 'E') {
        is_float = true;
        const size_t sign = peek_char(s, 1) == '+' || peek_char(s, 1) == '-';
        buffer_append(digits, &s->text.at[s->at], 1 + sign);
        s->at += 1 + sign;
        if (read_digits(s, digits) == 0) return false;
    }
    if (is_word(s, 0)) return false; /* 1j, 1_, 1x */
    if (is_float) return add_float(json, digits);
    if (digits->failed || whole > DIGITS_MAX) return false;
    size_t zeros = 0;
    while (zeros + 1 < whole && digits->data[zeros] == '0') zeros++;
    if (zeros > 0 && strspn(digits->data, "0") < whole) return false;
    buffer_append(json, digits->data + zeros, whole - zeros);
    return true;
}

static bool read_number(source *s, buffer *json)
{
    if (peek_char(s, 0) == '+' || peek_char(s, 0) == '-') {
        if (peek_char(s, 0) == '-') buffer_append(json, "-", 1);
        s->at++;
        skip_blank(s, s->depth > 0);
    }
    const int base = peek_char(s, 0) == '0' ? base_of(peek_char(s, 1)) : 0;
    if (base != 0) return read_based(s, json, base);
    buffer digits = {0};
    const bool ok = read_decimal(s, json, &digits);
    s->failed |= digits.failed;
    buffer_free(&digits);
    return ok;
}

/* Reads adjacent strings and joins them in s->string. */
static bool read_strings(source *s)
{
    s->string.n = 0;
    for (;;) {
        if (!serve_python_string(&s->string, s->text, &s->at)) return false;
        skip_blank(s, s->depth > 0);
        if (!serve_python_is_string(s->text, s->at)) return true;
    }
}

static bool read_word(source *s, buffer *json)
{
    static const char *const WORDS[][2] = {{"True", "true"}, {"False", "false"}, {"None", "null"}};
    const assay_text rest = serve_span_from(s->text, s->at);
    const size_t n = serve_span_word(rest);
    for (size_t i = 0; i < 3; i++) {
        if (!serve_span_equals(serve_span_part(rest, 0, n), WORDS[i][0])) continue;
        buffer_append_string(json, WORDS[i][1]);
        s->at += n;
        return true;
    }
    return false;
}

/* Reads values up to the closing bracket. *n: how many; *comma: whether a comma came last. */
static bool read_items(source *s, buffer *json, char close, size_t *n, bool *comma)
{
    for (*n = 0, *comma = false;; *comma = true) {
        skip_blank(s, true);
        if (peek_char(s, 0) == close) break;
        if (*n > 0) buffer_append_string(json, ", ");
        if (!read_value(s, json)) return false;
        ++*n;
        skip_blank(s, true);
        *comma = false;
        if (peek_char(s, 0) == close) break;
        if (peek_char(s, 0) != ',') return false;
        s->at++;
    }
    s->at++;
    return true;
}

/* Reads a list or a tuple; a single value in parentheses is no tuple. */
static bool read_list(source *s, buffer *json)
{
    const bool round = peek_char(s, 0) == '(';
    size_t n;
    bool comma;
    buffer items = {0};
    s->at++;
    bool ok = read_items(s, &items, round ? ')' : ']', &n, &comma) && !items.failed;
    if (ok) {
        const bool one = round && n == 1 && !comma;
        if (!one) buffer_append(json, "[", 1);
        buffer_append(json, items.data, items.n);
        if (!one) buffer_append(json, "]", 1);
    }
    s->failed |= items.failed;
    buffer_free(&items);
    return ok;
}

static bool read_key(source *s, serve_arguments *members);

/* Reads a key in parentheses; a tuple is no key of JSON. */
static bool read_enclosed_key(source *s, serve_arguments *members)
{
    if (s->depth == SERVE_PYTHON_DEPTH_MAX) return false;
    s->at++;
    skip_blank(s, true);
    s->depth++;
    const bool ok = read_key(s, members);
    s->depth--;
    if (!ok) return false;
    skip_blank(s, true);
    if (peek_char(s, 0) != ')') return false;
    s->at++;
    return true;
}

/* Writes a key as json.dumps does. */
static bool read_key(source *s, serve_arguments *members)
{
    if (peek_char(s, 0) == '(') return read_enclosed_key(s, members);
    if (serve_python_is_string(s->text, s->at)) {
        if (!read_strings(s)) return false;
        serve_arguments_name(members, buffer_text(&s->string));
        return true;
    }
    if (peek_char(s, 0) == '[' || peek_char(s, 0) == '{') return false;
    buffer key = {0};
    const bool ok = read_value(s, &key) && !key.failed;
    const bool zero = ok && serve_span_equals(buffer_text(&key), "-0");
    if (ok) serve_arguments_name(members, zero ? (assay_text){.at = "0", .n = 1} : buffer_text(&key));
    s->failed |= key.failed;
    buffer_free(&key);
    return ok;
}

static bool read_members(source *s, serve_arguments *members)
{
    for (s->at++;;) {
        skip_blank(s, true);
        if (peek_char(s, 0) == '}') break;
        if (!read_key(s, members)) return false;
        skip_blank(s, true);
        if (peek_char(s, 0) != ':') return false;
        s->at++;
        skip_blank(s, true);
        if (!read_value(s, &members->text)) return false;
        skip_blank(s, true);
        if (peek_char(s, 0) == '}') break;
        if (peek_char(s, 0) != ',') return false;
        s->at++;
    }
    s->at++;
    return true;
}

static bool read_dictionary(source *s, buffer *json)
{
    serve_arguments members = {0};
    const bool ok = read_members(s, &members);
    if (ok) {
        const assay_text object = serve_arguments_object(&members);
        buffer_append(json, object.at, object.n);
    }
    s->failed |= members.text.failed || members.json.failed;
    serve_arguments_free(&members);
    return ok;
}

static bool read_value(source *s, buffer *json)
{
    const char c = peek_char(s, 0);
    if (serve_python_is_string(s->text, s->at)) {
        if (!read_strings(s)) return false;
        json_append_quoted(json, buffer_text(&s->string));
        return true;
    }
    if (c == '(' || c == '[' || c == '{') {
        if (s->depth == SERVE_PYTHON_DEPTH_MAX) return false;
        s->depth++;
        const bool ok = c == '{' ? read_dictionary(s, json) : read_list(s, json);
        s->depth--;
        return ok;
    }
    if (is_digit(c) || c == '+' || c == '-' || c == '.') return read_number(s, json);
    return read_word(s, json);
}

/* On failure, removes what was added. */
static bool close_source(source *s, buffer *json, size_t n, bool ok)
{
    json->failed |= s->failed || s->string.failed;
    buffer_free(&s->string);
    if (!ok) json->n = n;
    return ok && !json->failed;
}

bool serve_python_value(buffer *json, assay_text text, size_t *at)
{
    source s = {.text = text, .at = *at, .depth = 1};
    const size_t n = json->n;
    skip_blank(&s, true);
    bool ok = read_value(&s, json);
    skip_blank(&s, true);
    *at = s.at;
    return close_source(&s, json, n, ok);
}

/* Reads values without brackets around them: several values, or a trailing comma, make a tuple. */
static bool read_bare(source *s, buffer *json)
{
    buffer items = {0};
    size_t n = 0;
    bool comma = false, ok = true;
    do {
        if (n > 0) buffer_append_string(&items, ", ");
        ok = read_value(s, &items);
        n++;
        skip_blank(s, false);
        comma = ok && peek_char(s, 0) == ',';
        if (comma) s->at++;
        skip_blank(s, false);
    } while (comma && s->at < s->text.n && !strchr("\r\n#", peek_char(s, 0)));
    const bool tuple = n > 1 || comma;
    if (tuple) buffer_append(json, "[", 1);
    if (ok) buffer_append(json, items.data, items.n);
    if (tuple) buffer_append(json, "]", 1);
    json->failed |= items.failed;
    buffer_free(&items);
    return ok;
}

/* Whether the last line is blank, which Python treats as an indented line. */
static bool ends_indented(assay_text text)
{
    size_t n = text.n;
    while (n > 0 && (text.at[n - 1] == ' ' || text.at[n - 1] == '\t')) n--;
    if (n == 0 || n == text.n || (text.at[n - 1] != '\n' && text.at[n - 1] != '\r')) return false;
    const assay_text line = serve_span_part(text, 0, n);
    return !serve_span_ends(line, "\\\n") && !serve_span_ends(line, "\\\r") &&
           !serve_span_ends(line, "\\\r\n");
}

bool serve_python_literal(buffer *json, assay_text text)
{
    source s = {.text = text};
    const size_t n = json->n;
    while (peek_char(&s, 0) != '\0' && strchr(" \t\f", peek_char(&s, 0))) s.at++;
    const size_t blank = s.at;
    skip_blank(&s, true);
    const bool indented = s.at > blank && text.at[s.at - 1] != '\n' && text.at[s.at - 1] != '\r';
    const bool ok = !indented && !ends_indented(text) && s.at < text.n && read_bare(&s, json);
    skip_blank(&s, true);
    return close_source(&s, json, n, ok && s.at == text.n);
}
