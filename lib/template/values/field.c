/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "template/values/integer.h"
#include "template/values/text.h"

typedef struct specification {
    assay_text fill; /* one character; n 0: none was given */
    char align;      /* < > = ^, 0: none was given */
    char sign;       /* + - or a space, 0: none was given */
    bool alternate;
    int width;      /* -1: none */
    char separator; /* , or _, 0: none */
    int precision;  /* -1: none */
    char type;      /* 0: none */
} specification;

/* The specification is one that Python does not take. */
static bool fail_value(tpl *t, assay_text text)
{
    return tpl_fail(t, ASSAY_EFORMAT, "format: the specification \"%.*s\" is not one of the value's type",
                    text.n > 60 ? 60 : (int)text.n, text.at);
}

static bool fail_unsupported(tpl *t, const char *what)
{
    return tpl_fail(t, ASSAY_EUNSUPPORTED, "format: %s is not supported", what);
}

static bool is_align(assay_text text, size_t at)
{
    return at < text.n && text.at[at] && strchr("<>=^", text.at[at]);
}

static char take(assay_text text, size_t *at, const char *one_of)
{
    return *at < text.n && text.at[*at] && strchr(one_of, text.at[*at]) ? text.at[(*at)++] : 0;
}

/* Digits as a number of at most 9999; -1: there are none. */
static int take_count(assay_text text, size_t *at)
{
    int n = -1;
    for (; *at < text.n && text.at[*at] >= '0' && text.at[*at] <= '9'; (*at)++)
        n = n > 999 ? 9999 : 10 * (n < 0 ? 0 : n) + (text.at[*at] - '0');
    return n;
}

/* is_number: of zeros before the width, which stand after the sign. */
static bool read_specification(tpl *t, assay_text text, bool is_number, specification *out)
{
    const size_t first = tpl_offset(text, 1);
    size_t at = 0;
    *out = (specification){.precision = -1};
    if (is_align(text, first)) {
        out->fill = (assay_text){.at = text.at, .n = first};
        at = first;
    }
    if (is_align(text, at)) out->align = text.at[at++];
    out->sign = take(text, &at, "+- ");
    if (at < text.n && text.at[at] == 'z') return fail_unsupported(t, "the option z of a field");
    out->alternate = take(text, &at, "#") != 0;
    if (out->fill.n == 0 && at < text.n && text.at[at] == '0') {
        out->fill = (assay_text){.at = "0", .n = 1};
        if (!out->align && is_number) out->align = '=';
        at++;
    }
    out->width = take_count(text, &at);
    out->separator = take(text, &at, ",_");
    if (take(text, &at, ".")) {
        out->precision = take_count(text, &at);
        if (out->precision < 0) return fail_value(t, text);
    }
    if (out->width > 999 || out->precision > 300)
        return fail_unsupported(t, "a width of more than 999 or a precision of more than 300");
    if (at < text.n) out->type = text.at[at++];
    return at == text.n || fail_value(t, text);
}

/* Appends head and body with what fills the width; `usual`: the alignment unless one is given. */
static void add_aligned(tpl_builder *b, const specification *s, assay_text head, assay_text body, char usual)
{
    const assay_text fill = s->fill.n > 0 ? s->fill : (assay_text){.at = " ", .n = 1};
    const size_t width = s->width > 0 ? (size_t)s->width : 0, n = tpl_length(head) + tpl_length(body);
    const size_t all = width > n ? width - n : 0;
    const char align = s->align ? s->align : usual;
    const size_t left = align == '>' ? all : align == '^' ? all / 2 : 0;
    if (align != '=') tpl_add_repeated(b, fill, left);
    tpl_add(b, head.at, head.n);
    if (align == '=') tpl_add_repeated(b, fill, all);
    tpl_add(b, body.at, body.n);
    if (align == '<' || align == '^') tpl_add_repeated(b, fill, all - left);
}

/* The digits at the beginning of `text` with separators between groups of n_group of them, then what follows.
 */
static assay_text separated(tpl *t, assay_text text, char separator, size_t n_group)
{
    tpl_builder b = {.t = t};
    size_t n = 0;
    while (n < text.n && strchr(n_group == 3 ? "0123456789" : "0123456789abcdefABCDEF", text.at[n])) n++;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % n_group == 0) tpl_add(&b, &separator, 1);
        tpl_add(&b, text.at + i, 1);
    }
    tpl_add(&b, text.at + n, text.n - n);
    return tpl_built(&b).text;
}

/* Appends a number. prefix: 0x and the like, which # asks for; digits: of its magnitude, or "inf" or "nan".
 */
static void add_magnitude(tpl_builder *b, const specification *s, bool negative, const char *prefix,
                          const char *digits)
{
    assay_text body = {.at = digits, .n = strlen(digits)};
    char head[8];
    if (s->separator && s->align == '=' && s->fill.n == 1 && *s->fill.at == '0') {
        (void)fail_unsupported(b->t, "a separator together with zeros that fill the width");
        return;
    }
    if (s->separator && *digits >= '0' && *digits <= '9')
        body = separated(b->t, body, s->separator, s->type && strchr("boxX", s->type) ? 4 : 3);
    const char sign[] = {(char)(negative ? '-' : s->sign == '-' ? 0 : s->sign), 0};
    (void)snprintf(head, sizeof head, "%s%s", sign, s->alternate ? prefix : "");
    add_aligned(b, s, (assay_text){.at = head, .n = strlen(head)}, body, '>');
}

static void add_whole(tpl_builder *b, const specification *s, tpl_value whole)
{
    const int base = s->type == 'x' || s->type == 'X' ? 16 : s->type == 'o' ? 8 : s->type == 'b' ? 2 : 10;
    const char prefix[] = {'0', s->type, 0};
    const assay_text digits = tpl_integer_digits(b->t, whole, base);
    char *text = tpl_alloc(b->t, digits.n + 1, 1);
    if (!text) return;
    for (size_t i = 0; i < digits.n; i++)
        text[i] = (char)(s->type == 'X' && digits.at[i] >= 'a' ? digits.at[i] - 'a' + 'A' : digits.at[i]);
    add_magnitude(b, s, tpl_integer_is_negative(whole), base == 10 ? "" : prefix, text);
}

static void add_real(tpl_builder *b, const specification *s, double real)
{
    char digits[1024] = "", format[16];
    const bool negative = signbit(real) && !isnan(real);
    const double size = isnan(real) ? (double)NAN : fabs(real) * (s->type == '%' ? 100 : 1);
    const char type = s->type == 'n' ? 'g' : s->type == '%' ? 'f' : s->type;
    (void)snprintf(format, sizeof format, "%%%s.*%c%s", s->alternate ? "#" : "", type,
                   s->type == '%' ? "%%" : "");
    if (s->type) (void)snprintf(digits, sizeof digits, format, s->precision < 0 ? 6 : s->precision, size);
    else if (s->alternate) (void)fail_unsupported(b->t, "# of a float without a type");
    else if (s->precision >= 0) tpl_print_rounded(digits, size, s->precision);
    else tpl_print_float(digits, size);
    add_magnitude(b, s, negative, "", digits);
}

/* The character of a number. */
static void add_character(tpl_builder *b, const specification *s, tpl_value v, assay_text text)
{
    char bytes[UTF8_LENGTH_MAX + 1] = "";
    const bool is_code = tpl_is_whole(v) && tpl_whole(v) >= 0 && tpl_whole(v) <= 0x10ffff;
    if (!is_code || s->sign || s->alternate || s->precision >= 0) {
        (void)fail_value(b->t, text);
        return;
    }
    if (tpl_whole(v) >= 0xd800 && tpl_whole(v) < 0xe000)
        (void)fail_unsupported(b->t, "half of a surrogate pair");
    const size_t n = utf8_encode(bytes, (uint32_t)tpl_whole(v));
    add_aligned(b, s, (assay_text){.at = "", .n = 0}, (assay_text){.at = bytes, .n = n}, '>');
}

static void add_number(tpl_builder *b, const specification *s, tpl_value v, assay_text text)
{
    const bool whole = tpl_is_integer(v);
    const char *types = whole ? "bdoxXnceEfFgG%" : "eEfFgGn%";
    const bool separates =
        s->separator && s->type &&
        (s->separator == ',' ? strchr("boxXnc", s->type) != NULL : strchr("nc", s->type) != NULL);
    const bool is_real = !whole || (s->type && strchr("eEfFgG%", s->type));
    if ((s->type && !strchr(types, s->type)) || separates) (void)fail_value(b->t, text);
    else if (is_real) add_real(b, s, tpl_real(b->t, v));
    else if (s->type == 'c') add_character(b, s, v, text);
    else if (s->precision >= 0) (void)fail_value(b->t, text);
    else add_whole(b, s, v);
}

void tpl_add_field(tpl_builder *b, tpl_value v, assay_text text)
{
    specification s;
    const bool is_number = tpl_is_number(v);
    if (text.n == 0) {
        tpl_add_str(b, v);
        return;
    }
    if (!is_number && v.kind != TPL_STRING) {
        (void)tpl_fail_type(b->t, v, "a field with a specification");
        return;
    }
    if (!read_specification(b->t, text, is_number, &s)) return;
    if (is_number) {
        add_number(b, &s, v, text);
        return;
    }
    assay_text body = v.text;
    if (s.sign || s.alternate || s.align == '=' || s.separator || (s.type && s.type != 's')) {
        (void)fail_value(b->t, text);
        return;
    }
    if (s.precision >= 0 && (size_t)s.precision < tpl_length(body))
        body.n = tpl_offset(body, (size_t)s.precision);
    add_aligned(b, &s, (assay_text){.at = "", .n = 0}, body, '<');
}
