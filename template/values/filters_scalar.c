/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/filters_scalar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "template/values/format.h"
#include "template/values/json.h"
#include "template/values/literal.h"
#include "template/values/methods.h"
#include "template/values/operate.h"
#include "template/values/split.h"
#include "template/values/strings.h"
#include "template/values/text.h"

#define FILTER TPL_FILTER
#define UNUSED TPL_FILTER_UNUSED

FILTER(filter_text)
{
    assay_text text = tpl_str(t, v);
    UNUSED;
    if (tpl_same_text(filter, "string")) {
        tpl_value out = tpl_text(text.at, text.n);
        out.safe = v.kind == TPL_STRING && v.safe;
        return out;
    }
    if (tpl_same_text(filter, "trim")) {
        if (at[0].kind == TPL_MISSING || at[0].kind == TPL_NONE) text = tpl_strip_left(tpl_strip_right(text));
        else text = tpl_strip_chars(t, text, tpl_argument_text(t, at[0], ""), true, true);
        return tpl_text(text.at, text.n);
    }
    const char c = filter.at[0];
    return tpl_change_case(t, text,
                           c == 'u'   ? TPL_UPPER
                           : c == 'l' ? TPL_LOWER
                           : c == 't' ? TPL_TITLE_WORDS
                                      : TPL_CAPITALIZE);
}

FILTER(filter_safe)
{
    const assay_text text = tpl_str(t, v);
    UNUSED;
    if (!tpl_same_text(filter, "safe") && !(v.kind == TPL_STRING && v.safe)) return tpl_escape(t, text);
    tpl_value out = tpl_text(text.at, text.n);
    out.safe = true;
    return out;
}

FILTER(filter_replace)
{
    UNUSED;
    const assay_text text = tpl_str(t, v), from = tpl_str(t, at[0]), to = tpl_str(t, at[1]);
    return tpl_replace(t, text, from, to, at[2].kind == TPL_NONE ? -1 : tpl_argument_whole(t, at[2], -1));
}

FILTER(filter_default)
{
    UNUSED;
    if (v.kind != TPL_UNDEFINED && (tpl_truth(v) || !tpl_argument_truth(at[1], false))) return v;
    return at[0].kind == TPL_MISSING ? tpl_string("") : at[0];
}

FILTER(filter_tojson)
{
    tpl_dump how = {.item_separator = {.at = ", ", .n = 2}, .key_separator = {.at = ": ", .n = 2}};
    UNUSED;
    how.ensure_ascii = tpl_argument_truth(at[0], false);
    how.sort_keys = tpl_argument_truth(at[3], false);
    if (at[1].kind == TPL_STRING) how.indent = at[1].text;
    else if (at[1].kind != TPL_MISSING && at[1].kind != TPL_NONE) {
        const int64_t n = tpl_argument_whole(t, at[1], 0);
        tpl_builder b = {.t = t};
        tpl_add_repeated(&b, (assay_text){.at = " ", .n = 1}, n > 0 ? (size_t)n : 0);
        how.indent = tpl_built(&b).text;
    }
    if (how.indent.at) how.item_separator.n = 1;
    if (at[2].kind != TPL_MISSING && at[2].kind != TPL_NONE) {
        const tpl_list *pair = tpl_elements(t, at[2]);
        if (pair->n != 2) return tpl_fail_type(t, at[2], "tojson: separators");
        how.item_separator = tpl_argument_text(t, pair->items[0], "");
        how.key_separator = tpl_argument_text(t, pair->items[1], "");
    }
    return tpl_to_json(t, v, &how);
}

/* int(float(value)), or the default. */
static tpl_value truncated(tpl *t, double real, tpl_value otherwise)
{
    if (isnan(real) || isinf(real)) return otherwise;
    if (fabs(real) < 0x1p63) return tpl_int((int64_t)real);
    (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "an integer of more than 64 bits is not supported");
    return otherwise;
}

FILTER(filter_int)
{
    const tpl_value otherwise = at[0].kind == TPL_MISSING ? tpl_int(0) : at[0];
    int64_t whole;
    double real;
    UNUSED;
    if (v.kind == TPL_UNDEFINED) return tpl_fail_type(t, v, "int");
    if (tpl_is_whole(v)) return tpl_int(tpl_whole(v));
    if (v.kind == TPL_FLOAT && isinf(v.real)) return tpl_fail_type(t, v, "int of an infinite number");
    if (v.kind == TPL_FLOAT) return truncated(t, v.real, otherwise);
    if (v.kind != TPL_STRING) return otherwise;
    if (tpl_parse_int(t, v.text, tpl_argument_whole(t, at[1], 10), &whole)) return tpl_int(whole);
    return tpl_parse_float(t, v.text, &real) ? truncated(t, real, otherwise) : otherwise;
}

FILTER(filter_float)
{
    double real;
    UNUSED;
    if (v.kind == TPL_UNDEFINED) return tpl_fail_type(t, v, "float");
    if (tpl_is_number(v)) return tpl_float(tpl_real(v));
    if (v.kind == TPL_STRING && tpl_parse_float(t, v.text, &real)) return tpl_float(real);
    return at[0].kind == TPL_MISSING ? tpl_float(0) : at[0];
}

FILTER(filter_abs)
{
    UNUSED;
    if (v.kind == TPL_FLOAT) return tpl_float(fabs(v.real));
    return tpl_negate(t, v, tpl_is_whole(v) && tpl_whole(v) < 0);
}

/* Python's round: correctly rounded decimals, halves to even. */
static double round_decimals(double real, int64_t decimals)
{
    char text[512];
    if (decimals > 300 || !isfinite(real)) return real;
    if (decimals < 0) {
        const double unit = pow(10, (double)-decimals);
        return decimals < -308 ? copysign(0.0, real) : nearbyint(real / unit) * unit;
    }
    (void)snprintf(text, sizeof text, "%.*f", (int)decimals, real);
    return strtod(text, NULL);
}

FILTER(filter_round)
{
    const int64_t precision = tpl_argument_whole(t, at[0], 0);
    const assay_text how = tpl_argument_text(t, at[1], "common");
    const bool ceils = tpl_same_text(how, "ceil"), floors = tpl_same_text(how, "floor");
    UNUSED;
    if (!tpl_is_number(v)) return tpl_fail_type(t, v, "round");
    if (!ceils && !floors) {
        if (!tpl_same_text(how, "common")) return tpl_fail_type(t, at[1], "round: method");
        if (v.kind == TPL_FLOAT) return tpl_float(round_decimals(v.real, precision));
        if (precision >= 0) return tpl_int(tpl_whole(v));
    }
    if (precision < 0 || precision > 22) {
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "round: a precision of %lld is not supported",
                       (long long)precision);
        return v;
    }
    const double unit = pow(10, (double)precision), scaled = tpl_real(v) * unit;
    return tpl_float((ceils ? ceil(scaled) : floor(scaled)) / unit);
}

FILTER(filter_indent)
{
    const bool blank = tpl_argument_truth(at[2], false);
    tpl_builder fill = {.t = t}, b = {.t = t};
    UNUSED;
    if (v.kind != TPL_STRING) return tpl_fail_type(t, v, "indent");
    if (at[0].kind == TPL_STRING) tpl_add(&fill, at[0].text.at, at[0].text.n);
    else {
        const int64_t n = tpl_argument_whole(t, at[0], 4);
        tpl_add_repeated(&fill, (assay_text){.at = " ", .n = 1}, n > 0 ? (size_t)n : 0);
    }
    tpl_builder whole = {.t = t};
    tpl_add(&whole, v.text.at, v.text.n);
    tpl_add_string(&whole, "\n");
    const tpl_value lines = tpl_split_lines(t, tpl_built(&whole).text, false);
    if (tpl_argument_truth(at[1], false)) tpl_add(&b, fill.data, fill.n);
    for (size_t i = 0; lines.kind == TPL_LIST && i < lines.list->n && tpl_step(t, 1); i++) {
        const assay_text line = lines.list->items[i].text;
        if (i > 0) tpl_add_string(&b, "\n");
        if (i > 0 && (blank || line.n > 0)) tpl_add(&b, fill.data, fill.n);
        tpl_add(&b, line.at, line.n);
    }
    tpl_value out = tpl_built(&b);
    out.safe = v.safe;
    return out;
}

FILTER(filter_truncate)
{
    const int64_t length = tpl_argument_whole(t, at[0], 255);
    const assay_text end = tpl_argument_text(t, at[2], "...");
    const int64_t leeway = at[3].kind == TPL_NONE ? 5 : tpl_argument_whole(t, at[3], 5);
    const int64_t n_end = (int64_t)tpl_length(end);
    tpl_builder b = {.t = t};
    UNUSED;
    if (v.kind == TPL_UNDEFINED || (v.kind == TPL_LIST && v.list->kind != TPL_ITERATOR && length >= 0 &&
                                    length < INT32_MAX && v.list->n <= (size_t)length))
        return v;
    if (v.kind != TPL_STRING) return tpl_fail_type(t, v, "truncate");
    if (length < n_end || leeway < 0 || length > INT32_MAX || leeway > INT32_MAX) {
        (void)tpl_fail(t, ASSAY_EFORMAT, "truncate: found length %lld and leeway %lld", (long long)length,
                       (long long)leeway);
        return v;
    }
    if ((int64_t)tpl_length(v.text) <= length + leeway) return v;
    if (v.safe) (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "truncate of a safe string is not supported");
    assay_text text = {.at = v.text.at, .n = tpl_offset(v.text, (size_t)(length - n_end))};
    const size_t space = tpl_find_last(t, text, (assay_text){.at = " ", .n = 1}, text.n);
    if (!tpl_argument_truth(at[1], false) && space != SIZE_MAX) text.n = space;
    tpl_add(&b, text.at, text.n);
    tpl_add(&b, end.at, end.n);
    return tpl_built(&b);
}

FILTER(filter_format)
{
    const assay_text text = tpl_str(t, v);
    tpl_value values = args->named;
    UNUSED;
    if (values.kind != TPL_DICT) {
        values = tpl_list_new(t, TPL_TUPLE);
        for (size_t i = 0; i < args->n; i++) tpl_list_add(t, values, args->at[i]);
    } else if (args->n > 0) return tpl_fail_type(t, values, "format: arguments by position and by name");
    return tpl_format_percent(t, tpl_text(text.at, text.n), values);
}

FILTER(filter_method)
{
    const assay_text text = tpl_str(t, v);
    UNUSED;
    const tpl_value method = tpl_method(t, tpl_text(text.at, text.n), filter);
    const tpl_value width = at[0].kind == TPL_MISSING ? tpl_int(80) : at[0];
    const tpl_arguments pass = {.at = &width, .n = 1};
    return method.kind == TPL_FUNCTION ? tpl_method_call(t, method.function, &pass) : method;
}

const tpl_filter_row tpl_scalar_filters[] = {
    {"string", "", filter_text},
    {"trim", "chars", filter_text},
    {"upper", "", filter_text},
    {"lower", "", filter_text},
    {"title", "", filter_text},
    {"capitalize", "", filter_text},
    {"safe", "", filter_safe},
    {"e", "", filter_safe},
    {"escape", "", filter_safe},
    {"replace", "!old !new count", filter_replace},
    {"default", "default_value boolean", filter_default},
    {"d", "default_value boolean", filter_default},
    {"tojson", "ensure_ascii indent separators sort_keys", filter_tojson},
    {"int", "default base", filter_int},
    {"float", "default", filter_float},
    {"abs", "", filter_abs},
    {"round", "precision method", filter_round},
    {"indent", "width first blank", filter_indent},
    {"truncate", "length killwords end leeway", filter_truncate},
    {"format", NULL, filter_format},
    {"center", "width", filter_method},
    {0},
};
