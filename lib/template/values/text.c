/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "template/values/integer.h"
#include "template/values/unicode.h"

/* Writes significant digits as a decimal or, if the exponent is low or at least `high`, with it. */
static void print_digits(char *out, const char *digits, int exponent, int high)
{
    const int n = (int)strlen(digits);
    if (exponent < -4 || exponent >= high)
        (void)sprintf(out, "%c%s%se%c%02d", digits[0], n > 1 ? "." : "", digits + 1, exponent < 0 ? '-' : '+',
                      abs(exponent));
    else if (exponent < 0) (void)sprintf(out, "0.%.*s%s", -exponent - 1, "000", digits);
    else if (n <= exponent + 1) {
        (void)sprintf(out, "%s%0*d", digits, exponent + 1 - n, 0);
        (void)strcpy(out + (exponent + 1), ".0");
    } else (void)sprintf(out, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
}

/* The significant digits of a text that %e made, without zeros at their end; returns the exponent. */
static int read_digits(char *text)
{
    const int exponent = atoi(strchr(text, 'e') + 1);
    size_t n = 0;
    for (const char *c = text; *c != 'e'; c++)
        if (*c >= '0' && *c <= '9') text[n++] = *c;
    while (n > 1 && text[n - 1] == '0') n--;
    text[n] = 0;
    return exponent;
}

void tpl_print_float(char *out, double real)
{
    char digits[32] = "";
    if (isnan(real) || isinf(real)) {
        (void)strcpy(out, isnan(real) ? "nan" : real < 0 ? "-inf" : "inf");
        return;
    }
    for (int precision = 0; precision <= 16; precision++) {
        (void)snprintf(digits, sizeof digits, "%.*e", precision, fabs(real));
        if (strtod(digits, NULL) == fabs(real)) break;
    }
    if (signbit(real)) *out++ = '-';
    const int exponent = read_digits(digits);
    print_digits(out, digits, exponent, 16);
}

void tpl_print_rounded(char *out, double real, int n_digits)
{
    char digits[TPL_FLOAT_DIGITS_MAX + 16];
    if (isnan(real) || isinf(real)) {
        tpl_print_float(out, real);
        return;
    }
    if (n_digits < 1) n_digits = 1;
    (void)snprintf(digits, sizeof digits, "%.*e", n_digits - 1, fabs(real));
    if (signbit(real)) *out++ = '-';
    const int exponent = read_digits(digits);
    print_digits(out, digits, exponent, n_digits - 1);
}

static void add_escape(tpl_builder *b, uint32_t c)
{
    char escape[16];
    (void)snprintf(escape, sizeof escape,
                   c < 0x100     ? "\\x%02x"
                   : c < 0x10000 ? "\\u%04x"
                                 : "\\U%08x",
                   (unsigned)c);
    tpl_add_string(b, escape);
}

assay_text tpl_ascii(tpl *t, assay_text text)
{
    tpl_builder b = {.t = t};
    uint32_t c;
    size_t n;
    for (size_t at = 0; at < text.n && tpl_step(t, 1); at += n) {
        n = utf8_decode(text.at + at, text.n - at, &c, NULL);
        if (c >= 0x80) add_escape(&b, c);
        else tpl_add(&b, text.at + at, 1);
    }
    return tpl_built(&b).text;
}

/* repr of a string: in single quotes, or in double quotes if that avoids an escape. */
static void add_quoted(tpl_builder *b, assay_text text)
{
    static const char names[] = "\n\r\t\\", letters[] = "nrt\\";
    const bool twice = text.n > 0 && memchr(text.at, '\'', text.n) && !memchr(text.at, '"', text.n);
    const char quote = twice ? '"' : '\'';
    uint32_t c;
    size_t n;
    tpl_add(b, &quote, 1);
    for (size_t at = 0; at < text.n && tpl_step(b->t, 1); at += n) {
        n = utf8_decode(text.at + at, text.n - at, &c, NULL);
        const char *name = c > 0 && c < 0x80 ? strchr(names, (int)c) : NULL;
        const char escape[] = {'\\', name ? letters[name - names] : quote, 0};
        if (name || c == (uint32_t)quote) tpl_add_string(b, escape);
        else if (!tpl_char_has(b->t, c, TPL_PRINTABLE)) add_escape(b, c);
        else tpl_add(b, text.at + at, n);
    }
    tpl_add(b, &quote, 1);
}

static void add_dict(tpl_builder *b, const tpl_dict *dict)
{
    tpl_add_string(b, "{");
    for (size_t i = 0; i < dict->n && tpl_step(b->t, 1); i++) {
        if (i > 0) tpl_add_string(b, ", ");
        tpl_add_repr(b, dict->entries[i].key);
        tpl_add_string(b, ": ");
        tpl_add_repr(b, dict->entries[i].value);
    }
    tpl_add_string(b, "}");
}

static void add_list(tpl_builder *b, tpl_value v)
{
    static const char *const open[] = {"[", "(", "dict_keys([", "dict_values([", "dict_items(["};
    static const char *const closed[] = {"]", ")", "])", "])", "])"};
    const tpl_list *list = v.list;
    if (list->kind == TPL_RANGE) {
        const bool by_one = tpl_is_whole(list->range[2]) && tpl_whole(list->range[2]) == 1;
        for (size_t i = 0; i < (by_one ? 2 : 3); i++) {
            tpl_add_string(b, i == 0 ? "range(" : ", ");
            tpl_add_repr(b, list->range[i]);
        }
        tpl_add_string(b, ")");
        return;
    }
    if (list->kind > TPL_RANGE) {
        (void)tpl_fail(b->t, ASSAY_EUNSUPPORTED, "the text of a value of type %s is not supported",
                       tpl_type_name(v));
        return;
    }
    tpl_add_string(b, open[list->kind]);
    for (size_t i = 0; i < list->n && tpl_step(b->t, 1); i++) {
        if (i > 0) tpl_add_string(b, ", ");
        tpl_add_repr(b, list->items[i]);
    }
    if (list->kind == TPL_TUPLE && list->n == 1) tpl_add_string(b, ",");
    tpl_add_string(b, closed[list->kind]);
}

void tpl_add_repr(tpl_builder *b, tpl_value v)
{
    char number[32];
    if (!tpl_enter(b->t)) {
        tpl_leave(b->t);
        return;
    }
    if (v.kind == TPL_UNDEFINED) tpl_add_string(b, "Undefined");
    else if (v.kind == TPL_NONE) tpl_add_string(b, "None");
    else if (v.kind == TPL_BOOL) tpl_add_string(b, v.truth ? "True" : "False");
    else if (v.kind == TPL_INT) {
        (void)snprintf(number, sizeof number, "%" PRId64, v.whole);
        tpl_add_string(b, number);
    } else if (v.kind == TPL_BIG) {
        const assay_text digits = tpl_integer_digits(b->t, v, 10);
        if (tpl_integer_is_negative(v)) tpl_add_string(b, "-");
        tpl_add(b, digits.at, digits.n);
    } else if (v.kind == TPL_FLOAT) {
        tpl_print_float(number, v.real);
        tpl_add_string(b, number);
    } else if (v.kind == TPL_STRING && !v.safe) add_quoted(b, v.text);
    else if (v.kind == TPL_STRING) {
        tpl_add_string(b, "Markup(");
        add_quoted(b, v.text);
        tpl_add_string(b, ")");
    } else if (v.kind == TPL_DICT) add_dict(b, v.dict);
    else if (v.kind == TPL_NAMESPACE) {
        tpl_add_string(b, "<Namespace ");
        add_dict(b, v.dict);
        tpl_add_string(b, ">");
    } else if (v.kind == TPL_FUNCTION && v.function->macro) {
        tpl_add_string(b, "<Macro ");
        if (v.function->macro_name.at) add_quoted(b, v.function->macro_name);
        else tpl_add_string(b, "anonymous");
        tpl_add_string(b, ">");
    } else if (v.kind == TPL_LIST) add_list(b, v);
    else if (v.kind == TPL_SELF) tpl_add_string(b, "<TemplateReference None>");
    else
        (void)tpl_fail(b->t, ASSAY_EUNSUPPORTED, "the text of a value of type %s is not supported",
                       tpl_type_name(v));
    tpl_leave(b->t);
}

void tpl_add_str(tpl_builder *b, tpl_value v)
{
    if (v.kind == TPL_STRING) tpl_add(b, v.text.at, v.text.n);
    else if (v.kind != TPL_UNDEFINED) tpl_add_repr(b, v);
}

assay_text tpl_str(tpl *t, tpl_value v)
{
    tpl_builder b = {.t = t};
    if (v.kind == TPL_STRING) return v.text;
    tpl_add_str(&b, v);
    return tpl_built(&b).text;
}
