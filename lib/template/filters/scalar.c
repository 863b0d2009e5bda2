/* SPDX-License-Identifier: Apache-2.0 */
#include "template/filters/scalar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "template/filters/round.h"
#include "template/values/casing.h"
#include "template/values/integer.h"
#include "template/values/json.h"
#include "template/values/literal.h"
#include "template/values/methods.h"
#include "template/values/operate.h"
#include "template/values/percent.h"
#include "template/values/split.h"
#include "template/values/strings.h"
#include "template/values/text.h"

#define FILTER TPL_FILTER
#define UNUSED TPL_FILTER_UNUSED

/* The text of a value; that of a safe one stays safe (markupsafe.soft_str). */
static tpl_value soft_text(tpl *t, tpl_value v)
{
    const assay_text text = tpl_str(t, v);
    tpl_value out = tpl_text(text.at, text.n);
    out.safe = v.kind == TPL_STRING && v.safe;
    return out;
}

/* The text in another case. jinja2's title joins words, whose mark is lost. */
FILTER(filter_case)
{
    const char c = filter.at[0];
    UNUSED;
    const tpl_value text = soft_text(t, v);
    tpl_value out = tpl_change_case(t, text.text,
                                    c == 'u'   ? TPL_UPPER
                                    : c == 'l' ? TPL_LOWER
                                    : c == 't' ? TPL_TITLE_WORDS
                                               : TPL_CAPITALIZE);
    out.safe = text.safe && c != 't';
    return out;
}

FILTER(filter_string)
{
    UNUSED;
    return soft_text(t, v);
}

FILTER(filter_trim)
{
    tpl_value out = soft_text(t, v);
    UNUSED;
    if (at[0].kind == TPL_MISSING || at[0].kind == TPL_NONE)
        out.text = tpl_strip_left(tpl_strip_right(out.text));
    else out.text = tpl_strip_chars(t, out.text, tpl_argument_text(t, at[0], ""), true, true);
    return out;
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
    const bool is_text = v.kind == TPL_STRING; /* Python looks at neither indent nor separators then */
    if (at[1].kind == TPL_STRING) how.indent = at[1].text;
    else if (!is_text && at[1].kind != TPL_MISSING && at[1].kind != TPL_NONE) {
        const int64_t n = tpl_argument_whole(t, at[1], 0);
        tpl_builder b = {.t = t};
        tpl_add_repeated(&b, (assay_text){.at = " ", .n = 1}, n > 0 ? (size_t)n : 0);
        how.indent = tpl_built(&b).text;
    }
    if (how.indent.at) how.item_separator.n = 1;
    if (at[2].kind != TPL_MISSING && at[2].kind != TPL_NONE) {
        const tpl_list *pair = tpl_elements(t, at[2]);
        if (pair->n != 2) return tpl_fail_type(t, at[2], "tojson: separators");
        if (is_text) return tpl_to_json(t, v, &how);
        how.item_separator = tpl_argument_text(t, pair->items[0], "");
        how.key_separator = tpl_argument_text(t, pair->items[1], "");
    }
    return tpl_to_json(t, v, &how);
}

FILTER(filter_int)
{
    const tpl_value otherwise = at[0].kind == TPL_MISSING ? tpl_int(0) : at[0];
    const int64_t base = at[1].kind == TPL_MISSING ? 10 : tpl_is_whole(at[1]) ? tpl_whole(at[1]) : -1;
    tpl_value whole;
    double real = NAN;
    UNUSED;
    if (v.kind == TPL_UNDEFINED) return tpl_fail_type(t, v, "int");
    if (v.kind == TPL_BIG) return v;
    if (tpl_is_whole(v)) return tpl_int(tpl_whole(v));
    if (v.kind == TPL_FLOAT && isinf(v.real)) return tpl_fail_type(t, v, "int of an infinite number");
    if (v.kind == TPL_FLOAT) real = v.real;
    else if (v.kind != TPL_STRING) return otherwise;
    else if (tpl_parse_int(t, v.text, base, &whole)) return whole;
    else if (!tpl_parse_float(t, v.text, &real)) return otherwise;
    return isfinite(real) ? tpl_integer_truncated(t, real) : otherwise;
}

FILTER(filter_float)
{
    double real;
    UNUSED;
    if (v.kind == TPL_UNDEFINED) return tpl_fail_type(t, v, "float");
    if (tpl_is_number(v)) return tpl_float(tpl_real(t, v));
    if (v.kind == TPL_STRING && tpl_parse_float(t, v.text, &real)) return tpl_float(real);
    return at[0].kind == TPL_MISSING ? tpl_float(0) : at[0];
}

FILTER(filter_abs)
{
    UNUSED;
    if (v.kind == TPL_FLOAT) return tpl_float(fabs(v.real));
    return tpl_negate(t, v, tpl_is_integer(v) && tpl_integer_is_negative(v));
}

FILTER(filter_round)
{
    const assay_text how = tpl_argument_text(t, at[1], "common");
    UNUSED;
    const tpl_value precision = at[0].kind == TPL_MISSING ? tpl_int(0) : at[0];
    if (tpl_same_text(how, "ceil") || tpl_same_text(how, "floor"))
        return tpl_round_up_or_down(t, v, precision, *how.at == 'c');
    if (tpl_same_text(how, "common")) return tpl_round(t, v, precision);
    (void)tpl_fail(t, ASSAY_EFORMAT, "round: found the method \"%.*s\", expected common, ceil or floor",
                   how.n > 60 ? 60 : (int)how.n, how.at);
    return v;
}

FILTER(filter_indent)
{
    const bool blank = tpl_argument_truth(at[2], false);
    tpl_builder fill = {.t = t}, b = {.t = t};
    UNUSED;
    if (v.kind != TPL_STRING) return tpl_fail_type(t, v, "indent");
    if (at[0].kind == TPL_STRING && at[0].safe && !v.safe)
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "indent by a safe text is not supported");
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

/* An argument that is a number of characters; the big ones are INT64_MAX. */
static int64_t count_argument(tpl *t, tpl_value v, int64_t missing)
{
    return tpl_is_integer(v) ? tpl_index(v) : tpl_argument_whole(t, v, missing);
}

FILTER(filter_truncate)
{
    const int64_t length = count_argument(t, at[0], 255);
    const int64_t leeway = at[3].kind == TPL_NONE ? 5 : count_argument(t, at[3], 5);
    const tpl_value end = at[2].kind == TPL_MISSING ? tpl_string("...") : at[2];
    const int64_t n_end = (int64_t)tpl_length(tpl_argument_text(t, end, ""));
    size_t n;
    UNUSED;
    if (length < n_end || leeway < 0) {
        (void)tpl_fail(t, ASSAY_EFORMAT, "truncate: found length %lld and leeway %lld", (long long)length,
                       (long long)leeway);
        return v;
    }
    if (!tpl_size(v, &n)) return tpl_fail_type(t, v, "truncate");
    if (leeway > INT64_MAX - length || n <= (uint64_t)(length + leeway)) return v;
    if (v.kind != TPL_STRING) return tpl_fail_type(t, v, "truncate");
    assay_text text = {.at = v.text.at, .n = tpl_offset(v.text, (size_t)(length - n_end))};
    const size_t space = tpl_find_last(t, text, (assay_text){.at = " ", .n = 1}, text.n);
    if (!tpl_argument_truth(at[1], false) && space != SIZE_MAX) text.n = space;
    tpl_value kept = tpl_text(text.at, text.n);
    kept.safe = v.safe;
    return tpl_binary(t, (assay_text){.at = "+", .n = 1}, kept, end);
}

FILTER(filter_format)
{
    tpl_value values = args->named;
    UNUSED;
    if (values.kind != TPL_DICT) {
        values = tpl_list_new(t, TPL_TUPLE);
        for (size_t i = 0; i < args->n; i++) tpl_list_add(t, values, args->at[i]);
    } else if (args->n > 0) return tpl_fail_type(t, values, "format: arguments by position and by name");
    return tpl_format_percent(t, soft_text(t, v), values);
}

FILTER(filter_method)
{
    UNUSED;
    const tpl_value method = tpl_method(t, soft_text(t, v), filter);
    const tpl_value width = at[0].kind == TPL_MISSING ? tpl_int(80) : at[0];
    const tpl_arguments pass = {.at = &width, .n = 1};
    return method.kind == TPL_FUNCTION ? tpl_method_call(t, method.function, &pass, NULL) : method;
}

const tpl_filter_row tpl_scalar_filters[] = {
    {"string", "", filter_string},
    {"trim", "chars", filter_trim},
    {"upper", "", filter_case},
    {"lower", "", filter_case},
    {"title", "", filter_case},
    {"capitalize", "", filter_case},
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
