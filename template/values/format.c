/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "template/values/field.h"
#include "template/values/literal.h"
#include "template/values/strings.h"
#include "template/values/text.h"

/* A conversion: %[(name)][flags][width][.precision]type */
typedef struct conversion {
    assay_text name; /* at NULL: none */
    char flags[6];
    int width, precision; /* precision -1: none */
    char type;
} conversion;

/* Digits as a number of at most 9999. */
static int read_count(assay_text format, size_t *at)
{
    int n = 0;
    for (; *at < format.n && format.at[*at] >= '0' && format.at[*at] <= '9'; (*at)++)
        n = n > 999 ? 9999 : 10 * n + (format.at[*at] - '0');
    return n;
}

/* Reads the conversion after a % and moves past it. */
static bool read_conversion(tpl *t, assay_text format, size_t *at, conversion *out)
{
    size_t n_flags = 0;
    *out = (conversion){.precision = -1};
    if (*at < format.n && format.at[*at] == '(') {
        const size_t from = *at + 1;
        while (*at < format.n && format.at[*at] != ')') (*at)++;
        out->name = (assay_text){.at = format.at + from, .n = *at - from};
        (*at)++;
    }
    while (*at < format.n && format.at[*at] && strchr("-+ #0", format.at[*at]) && n_flags < 5)
        out->flags[n_flags++] = format.at[(*at)++];
    out->width = read_count(format, at);
    if (*at < format.n && format.at[*at] == '.') {
        (*at)++;
        out->precision = read_count(format, at);
    }
    if (*at >= format.n) return tpl_fail(t, ASSAY_EFORMAT, "%%: found an incomplete conversion");
    out->type = format.at[(*at)++];
    if (out->width > 999 || out->precision > 300)
        return tpl_fail(t, ASSAY_EUNSUPPORTED, "%%: a width of more than 999 is not supported");
    return true;
}

static void add_number(tpl_builder *b, const conversion *c, tpl_value v)
{
    char format[64], text[2048];
    const bool real = strchr("eEfFgG", c->type) != NULL;
    if (!tpl_is_number(v) || (strchr("xXo", c->type) && v.kind == TPL_FLOAT)) {
        (void)tpl_fail_type(b->t, v, "% with a number");
        return;
    }
    if (!real && v.kind == TPL_FLOAT) {
        if (!(fabs(v.real) < 0x1p62)) (void)tpl_fail(b->t, ASSAY_EUNSUPPORTED, "%%d of a float that large");
        v = tpl_int(b->t->status == ASSAY_OK ? (int64_t)v.real : 0);
    }
    if (strchr("xXo", c->type) && (tpl_whole(v) < 0 || strchr(c->flags, '#'))) {
        (void)tpl_fail(b->t, ASSAY_EUNSUPPORTED, "%%%c of a negative number or with # is not supported",
                       c->type);
        return;
    }
    char precision[16] = "";
    if (c->precision >= 0) (void)snprintf(precision, sizeof precision, ".%d", c->precision);
    const char type = c->type == 'i' || c->type == 'u' ? 'd' : c->type;
    (void)snprintf(format, sizeof format, "%%%s%.0d%s%s%c", c->flags, c->width, precision, real ? "" : "ll",
                   type);
    if (real) (void)snprintf(text, sizeof text, format, tpl_real(v));
    else (void)snprintf(text, sizeof text, format, (long long)tpl_whole(v));
    tpl_add_string(b, text);
}

static void add_text(tpl_builder *b, const conversion *c, tpl_value v)
{
    tpl_builder inner = {.t = b->t};
    if (c->type == 'r') tpl_add_repr(&inner, v);
    else tpl_add_str(&inner, v);
    assay_text text = tpl_built(&inner).text;
    if (c->precision >= 0) text.n = tpl_offset(text, (size_t)c->precision);
    const size_t n = tpl_length(text), width = (size_t)c->width, fill = width > n ? width - n : 0;
    const bool left = strchr(c->flags, '-') != NULL;
    if (!left) tpl_add_repeated(b, (assay_text){.at = " ", .n = 1}, fill);
    tpl_add(b, text.at, text.n);
    if (left) tpl_add_repeated(b, (assay_text){.at = " ", .n = 1}, fill);
}

/* The value of a conversion: a member of the dict, or the next one. */
static tpl_value next_value(tpl *t, const conversion *c, tpl_value values, size_t *n_used)
{
    if (c->name.at) {
        const tpl_value *found = tpl_dict_find_text(t, values, c->name);
        if (found) return *found;
        (void)tpl_fail(t, ASSAY_EFORMAT, "%%: the values do not have a member of the name in a conversion");
    } else if (tpl_is_list_of(values, TPL_TUPLE) ? *n_used < values.list->n : *n_used == 0) {
        const size_t i = (*n_used)++;
        return tpl_is_list_of(values, TPL_TUPLE) ? values.list->items[i] : values;
    } else (void)tpl_fail(t, ASSAY_EFORMAT, "%%: found fewer values than conversions");
    return (tpl_value){0};
}

tpl_value tpl_format_percent(tpl *t, tpl_value v, tpl_value values)
{
    const assay_text format = v.text;
    tpl_builder b = {.t = t};
    size_t n_used = 0;
    if (v.safe) (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "%% of a safe string is not supported");
    for (size_t at = 0; at < format.n && tpl_step(t, 1);) {
        conversion c;
        if (format.at[at] != '%') {
            tpl_add(&b, format.at + at++, 1);
            continue;
        }
        at++;
        if (!read_conversion(t, format, &at, &c)) break;
        if (c.type == '%') {
            tpl_add_string(&b, "%");
            continue;
        }
        const tpl_value value = next_value(t, &c, values, &n_used);
        if (t->status != ASSAY_OK) break;
        if (c.type == 's' || c.type == 'r') add_text(&b, &c, value);
        else if (c.type && strchr("diuxXoeEfFgG", c.type)) add_number(&b, &c, value);
        else (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "%%: the conversion \"%c\" is not supported", c.type);
    }
    const bool single = !tpl_is_list_of(values, TPL_TUPLE) && values.kind != TPL_DICT &&
                        values.kind != TPL_LIST && n_used == 0;
    if (single || (tpl_is_list_of(values, TPL_TUPLE) && n_used < values.list->n))
        (void)tpl_fail(t, ASSAY_EFORMAT, "%%: found more values than conversions");
    return tpl_built(&b);
}

/* The value of a field of str.format: {}, {0} or {name}. n_used: fields without a name so far; SIZE_MAX:
 * fields have numbers. */
static tpl_value field_value(tpl *t, assay_text field, const tpl_arguments *args, size_t *n_used)
{
    int64_t index = (int64_t)*n_used;
    const bool counted = field.n == 0, numbered = !counted && tpl_has_class(field, "digit");
    if ((counted && *n_used == SIZE_MAX) || (numbered && *n_used > 0 && *n_used < SIZE_MAX)) {
        (void)tpl_fail(t, ASSAY_EFORMAT, "format: found fields with and without numbers");
        return (tpl_value){0};
    }
    if (counted) (*n_used)++;
    else if (numbered) *n_used = SIZE_MAX;
    if (!counted && (!numbered || !tpl_parse_int(t, field, 10, &index))) {
        if (tpl_name_length(field) != field.n) {
            (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "format: the field {%.*s} is not supported",
                           field.n > 60 ? 60 : (int)field.n, field.at);
            return (tpl_value){0};
        }
        const tpl_value *found = tpl_dict_find_text(t, args->named, field);
        if (found) return *found;
        index = -1;
    }
    if (index >= 0 && (size_t)index < args->n) return args->at[index];
    (void)tpl_fail(t, ASSAY_EFORMAT, "format: there is no argument for the field {%.*s}",
                   field.n > 60 ? 60 : (int)field.n, field.at);
    return (tpl_value){0};
}

/* Appends the field between braces: which value, and after a colon its specification. */
static void add_field(tpl_builder *b, assay_text field, const tpl_arguments *args, size_t *n_used)
{
    const char *colon = field.n > 0 ? memchr(field.at, ':', field.n) : NULL;
    const size_t n = colon ? (size_t)(colon - field.at) : field.n, after = colon ? n + 1 : n;
    const tpl_value v = field_value(b->t, (assay_text){.at = field.at, .n = n}, args, n_used);
    if (b->t->status != ASSAY_OK) return;
    tpl_add_field(b, v, (assay_text){.at = field.at + after, .n = field.n - after});
}

tpl_value tpl_format_braces(tpl *t, assay_text format, const tpl_arguments *args)
{
    tpl_builder b = {.t = t};
    size_t n_used = 0;
    for (size_t at = 0; at < format.n && tpl_step(t, 1); at++) {
        const char c = format.at[at];
        const bool twice = at + 1 < format.n && format.at[at + 1] == c;
        if ((c == '{' || c == '}') && twice) tpl_add(&b, &format.at[at++], 1);
        else if (c == '{') {
            const size_t from = at + 1;
            while (at < format.n && format.at[at] != '}') at++;
            if (at == format.n) (void)tpl_fail(t, ASSAY_EFORMAT, "format: found a { without its }");
            else add_field(&b, (assay_text){.at = format.at + from, .n = at - from}, args, &n_used);
        } else if (c == '}') (void)tpl_fail(t, ASSAY_EFORMAT, "format: found a } without its {");
        else tpl_add(&b, &c, 1);
    }
    return tpl_built(&b);
}

tpl_value tpl_format_time(tpl *t, assay_text format)
{
    static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    const time_t now = (time_t)t->now;
    struct tm tm;
    char text[64];
    tpl_builder b = {.t = t};
    if (!gmtime_r(&now, &tm)) (void)tpl_fail(t, ASSAY_EINVAL, "strftime_now: the time is out of range");
    for (size_t at = 0; at < format.n && tpl_step(t, 1); at++) {
        if (format.at[at] != '%' || at + 1 == format.n) {
            tpl_add(&b, format.at + at, 1);
            continue;
        }
        const bool unpadded = format.at[++at] == '-' && at + 1 < format.n;
        const char c = format.at[at += unpadded];
        const char directive[] = {'%', unpadded ? '-' : c, unpadded ? c : 0, 0};
        const bool names = c == 'A' || c == 'a' || c == 'B' || c == 'b' || c == 'h';
        if (t->status != ASSAY_OK || !c || !strchr("AaBbhYymdeHIMSpjFTDRCuwUWGVgnt%", c)) {
            (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "strftime_now: the directive %%%c is not supported", c);
            break;
        }
        if (c == 'p') tpl_add_string(&b, tm.tm_hour < 12 ? "AM" : "PM");
        else if (names) {
            const char *name = c == 'A' || c == 'a' ? days[tm.tm_wday] : months[tm.tm_mon];
            tpl_add(&b, name, c == 'A' || c == 'B' ? strlen(name) : 3);
        } else tpl_add(&b, text, strftime(text, sizeof text, directive, &tm));
    }
    return tpl_built(&b);
}
