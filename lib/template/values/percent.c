/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/percent.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "template/values/dict.h"
#include "template/values/integer.h"
#include "template/values/literal.h"
#include "template/values/strings.h"
#include "template/values/text.h"

#define WIDTH_MAX     999
#define PRECISION_MAX 300

/* A conversion: %[(name)][flags][width][.precision]type */
typedef struct conversion {
    assay_text name; /* at NULL: none */
    bool left, plus, blank, alternate, zero;
    int64_t width, precision; /* precision -1: none */
    char type;
} conversion;

/* A format while it is read. */
typedef struct formatting {
    tpl *t;
    tpl_builder b;
    assay_text format;
    size_t at;
    tpl_value values;
    size_t n_used; /* of the values */
    bool safe;
} formatting;

static char next_byte(const formatting *f)
{
    return f->at < f->format.n ? f->format.at[f->at] : 0;
}

/* The next value, of a tuple, or the only one. */
static tpl_value next_value(formatting *f)
{
    const tpl_value values = f->values;
    const bool tuple = tpl_is_list_of(values, TPL_TUPLE);
    if (tuple ? f->n_used < values.list->n : f->n_used == 0) {
        const size_t i = f->n_used++;
        return tuple ? values.list->items[i] : values;
    }
    (void)tpl_fail(f->t, ASSAY_EFORMAT, "%%: found fewer values than conversions");
    return (tpl_value){0};
}

/* The name of a conversion in parentheses, which may be nested. */
static assay_text read_name(formatting *f)
{
    assay_text name = {.at = f->format.at + f->at + 1};
    size_t depth = 0;
    for (; f->at < f->format.n; f->at++) {
        if (next_byte(f) == '(') depth++;
        if (next_byte(f) == ')' && --depth == 0) break;
    }
    name.n = (size_t)(f->format.at + f->at - name.at);
    if (f->at == f->format.n) (void)tpl_fail(f->t, ASSAY_EFORMAT, "%%: found a name without its )");
    else f->at++;
    return name;
}

/* Digits, or * for the next value. */
static int64_t read_count(formatting *f)
{
    int64_t n = 0;
    if (next_byte(f) == '*') {
        f->at++;
        const tpl_value v = next_value(f);
        if (f->t->status == ASSAY_OK && !tpl_is_whole(v)) (void)tpl_fail_type(f->t, v, "* of a conversion");
        return f->t->status == ASSAY_OK ? tpl_whole(v) : 0;
    }
    for (; next_byte(f) >= '0' && next_byte(f) <= '9'; f->at++)
        n = n > WIDTH_MAX ? n : 10 * n + (next_byte(f) - '0');
    return n;
}

/* Reads the conversion after a %. */
static bool read_conversion(formatting *f, conversion *out)
{
    *out = (conversion){.precision = -1};
    if (next_byte(f) == '(') out->name = read_name(f);
    for (bool flag = true; flag; f->at += flag) {
        const char c = next_byte(f);
        flag = c && strchr("-+ #0", c);
        out->left |= c == '-';
        out->plus |= c == '+';
        out->blank |= c == ' ';
        out->alternate |= c == '#';
        out->zero |= c == '0';
    }
    out->width = read_count(f);
    if (out->width < 0) out->left = true, out->width = out->width < -WIDTH_MAX ? WIDTH_MAX + 1 : -out->width;
    if (next_byte(f) == '.') {
        f->at++;
        out->precision = read_count(f);
        if (out->precision < 0) out->precision = 0;
    }
    if (next_byte(f) && strchr("hlL", next_byte(f))) f->at++;
    if (f->at >= f->format.n) return tpl_fail(f->t, ASSAY_EFORMAT, "%%: found an incomplete conversion");
    out->type = f->format.at[f->at++];
    if (out->width > WIDTH_MAX || out->precision > PRECISION_MAX)
        return tpl_fail(f->t, ASSAY_EUNSUPPORTED,
                        "%%: a width of more than %d or a precision of more than %d is not supported",
                        WIDTH_MAX, PRECISION_MAX);
    return f->t->status == ASSAY_OK;
}

/* Appends head and body with what fills the width; with zeros these are between. */
static void add_padded(tpl_builder *b, const conversion *c, const char *head, assay_text body, bool zeros)
{
    const size_t n = strlen(head) + tpl_length(body), width = (size_t)c->width;
    const size_t fill = width > n ? width - n : 0;
    const assay_text blank = {.at = " ", .n = 1}, zero = {.at = "0", .n = 1};
    if (!c->left && !zeros) tpl_add_repeated(b, blank, fill);
    tpl_add_string(b, head);
    if (!c->left && zeros) tpl_add_repeated(b, zero, fill);
    tpl_add(b, body.at, body.n);
    if (c->left) tpl_add_repeated(b, blank, fill);
}

static void add_signed(tpl_builder *b, const conversion *c, bool negative, const char *prefix,
                       assay_text digits)
{
    char head[8];
    (void)snprintf(head, sizeof head, "%s%s", negative ? "-" : c->plus ? "+" : c->blank ? " " : "", prefix);
    add_padded(b, c, head, digits, c->zero);
}

/* A number that a text of a safe format is read as, as int and float do; others are as they are. */
static tpl_value number_of(formatting *f, tpl_value v, bool real)
{
    tpl_value whole;
    double read;
    if (!f->safe || v.kind != TPL_STRING) return v;
    if (real) return tpl_parse_float(f->t, v.text, &read) ? tpl_float(read) : v;
    return tpl_parse_int(f->t, v.text, 10, &whole) ? whole : v;
}

static void add_real(formatting *f, const conversion *c, tpl_value v)
{
    char format[16], text[PRECISION_MAX + 400];
    v = number_of(f, v, true);
    if (!tpl_is_number(v)) {
        (void)tpl_fail_type(f->t, v, "% with a number");
        return;
    }
    const double real = tpl_real(f->t, v);
    (void)snprintf(format, sizeof format, "%%%s.*%c", c->alternate ? "#" : "", c->type);
    (void)snprintf(text, sizeof text, format, c->precision < 0 ? 6 : (int)c->precision,
                   isnan(real) ? (double)NAN : fabs(real));
    const bool nan = isnan(real);
    const char *digits = nan ? c->type >= 'a' ? "nan" : "NAN" : text;
    add_signed(&f->b, c, !nan && signbit(real), "", (assay_text){.at = digits, .n = strlen(digits)});
}

static void add_whole(formatting *f, const conversion *c, tpl_value v)
{
    const int base = c->type == 'o' ? 8 : c->type == 'x' || c->type == 'X' ? 16 : 10;
    const char prefix[] = {'0', c->type, 0};
    tpl_builder body = {.t = f->t};
    if (base == 10) v = number_of(f, v, false);
    if (base == 10 && v.kind == TPL_FLOAT && isfinite(v.real)) v = tpl_integer_truncated(f->t, v.real);
    if (!tpl_is_integer(v) || (f->safe && base != 10)) {
        (void)tpl_fail_type(f->t, v, "% with an integer");
        return;
    }
    const assay_text digits = tpl_integer_digits(f->t, v, base);
    const size_t least = c->precision > 0 ? (size_t)c->precision : 0;
    tpl_add_repeated(&body, (assay_text){.at = "0", .n = 1}, least > digits.n ? least - digits.n : 0);
    for (size_t i = 0; i < digits.n; i++) {
        const char lower = digits.at[i], upper = lower >= 'a' ? (char)(lower - 'a' + 'A') : lower;
        tpl_add(&body, c->type == 'X' ? &upper : &lower, 1);
    }
    add_signed(&f->b, c, tpl_integer_is_negative(v), c->alternate && base != 10 ? prefix : "",
               tpl_built(&body).text);
}

static void add_text(formatting *f, const conversion *c, tpl_value v)
{
    tpl_builder inner = {.t = f->t};
    if (c->type == 's') tpl_add_str(&inner, v);
    else tpl_add_repr(&inner, v);
    assay_text text = tpl_built(&inner).text;
    if (f->safe && !(c->type == 's' && v.kind == TPL_STRING && v.safe)) text = tpl_escape(f->t, text).text;
    if (c->type == 'a') text = tpl_ascii(f->t, text);
    if (c->precision >= 0) text.n = tpl_offset(text, (size_t)c->precision);
    add_padded(&f->b, c, "", text, false);
}

/* %c: a character, or its number. */
static void add_character(formatting *f, const conversion *c, tpl_value v)
{
    char bytes[UTF8_LENGTH_MAX];
    assay_text text = {.at = bytes};
    if (v.kind == TPL_STRING && tpl_length(v.text) == 1 && !f->safe) text = v.text;
    else if (tpl_is_whole(v) && tpl_whole(v) >= 0 && tpl_whole(v) <= 0x10ffff && !f->safe) {
        if (tpl_whole(v) >= 0xd800 && tpl_whole(v) < 0xe000)
            (void)tpl_fail(f->t, ASSAY_EUNSUPPORTED, "half of a surrogate pair in a string is not supported");
        else text.n = utf8_encode(bytes, (uint32_t)tpl_whole(v));
    } else (void)tpl_fail_type(f->t, v, "%c, which takes a character or its number");
    add_padded(&f->b, c, "", text, false);
}

static void add_conversion(formatting *f)
{
    conversion c;
    if (next_byte(f) == '%') {
        tpl_add(&f->b, f->format.at + f->at++, 1);
        return;
    }
    if (!read_conversion(f, &c)) return;
    const tpl_value *named = c.name.at ? tpl_dict_find_text(f->t, f->values, c.name) : NULL;
    if (c.name.at && !named)
        (void)tpl_fail(f->t, ASSAY_EFORMAT,
                       "%%: the values do not have a member of the name in a conversion");
    if (c.name.at) f->n_used = 1;
    const tpl_value v = named ? *named : next_value(f);
    if (f->t->status != ASSAY_OK) return;
    if (c.type && strchr("sra", c.type)) add_text(f, &c, v);
    else if (c.type && strchr("diuxXo", c.type)) add_whole(f, &c, v);
    else if (c.type && strchr("eEfFgG", c.type)) add_real(f, &c, v);
    else if (c.type == 'c') add_character(f, &c, v);
    else (void)tpl_fail(f->t, ASSAY_EFORMAT, "%%: found a conversion that does not exist");
}

/* Whether Python does not complain if a format uses none of it: what has elements with keys. */
static bool may_be_unused(tpl_value values)
{
    const bool list =
        values.kind == TPL_LIST && (values.list->kind == TPL_PLAIN || values.list->kind == TPL_RANGE);
    return list || values.kind == TPL_DICT || values.kind == TPL_UNDEFINED;
}

tpl_value tpl_format_percent(tpl *t, tpl_value format, tpl_value values)
{
    formatting f = {.t = t, .b = {.t = t}, .format = format.text, .values = values, .safe = format.safe};
    while (f.at < f.format.n && tpl_step(t, 1)) {
        const char c = f.format.at[f.at++];
        if (c == '%') add_conversion(&f);
        else tpl_add(&f.b, &c, 1);
    }
    const bool tuple = tpl_is_list_of(values, TPL_TUPLE);
    if (tuple ? f.n_used < values.list->n : f.n_used == 0 && !may_be_unused(values))
        (void)tpl_fail(t, ASSAY_EFORMAT, "%%: found more values than conversions");
    tpl_value text = tpl_built(&f.b);
    text.safe = format.safe;
    return text;
}
