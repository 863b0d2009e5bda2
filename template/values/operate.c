/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/operate.h"

#include <math.h>

#include "base/utf8.h"
#include "template/values/format.h"
#include "template/values/literal.h"
#include "template/values/loop.h"
#include "template/values/methods.h"
#include "template/values/strings.h"

static tpl_value fail_operands(tpl *t, assay_text operation, tpl_value a, tpl_value b)
{
    (void)tpl_fail(t, ASSAY_EFORMAT, "%.*s: found operands of types %s and %s", (int)operation.n,
                   operation.at, tpl_type_name(a), tpl_type_name(b));
    return (tpl_value){0};
}

static tpl_value fail_overflow(tpl *t)
{
    (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "an integer of more than 64 bits is not supported");
    return (tpl_value){0};
}

static tpl_value checked(tpl *t, bool overflows, const int64_t *result)
{
    return overflows ? fail_overflow(t) : tpl_int(*result);
}

static tpl_value fail_zero(tpl *t)
{
    (void)tpl_fail(t, ASSAY_EFORMAT, "found a division by zero");
    return (tpl_value){0};
}

static tpl_value power(tpl *t, int64_t base, int64_t exponent)
{
    int64_t result = 1;
    if (exponent < 0) return base == 0 ? fail_zero(t) : tpl_float(pow((double)base, (double)exponent));
    if (base == 0 || base == 1) return tpl_int(exponent == 0 ? 1 : base);
    if (base == -1) return tpl_int(exponent % 2 ? -1 : 1);
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(result, base, &result)) return fail_overflow(t);
    return tpl_int(result);
}

static tpl_value whole_operation(tpl *t, char c, bool twice, int64_t a, int64_t b)
{
    int64_t r = 0;
    if (c == '+') return checked(t, __builtin_add_overflow(a, b, &r), &r);
    if (c == '-') return checked(t, __builtin_sub_overflow(a, b, &r), &r);
    if (c == '*' && !twice) return checked(t, __builtin_mul_overflow(a, b, &r), &r);
    if (c == '*') return power(t, a, b);
    if (b == 0) return fail_zero(t);
    if (c == '/' && !twice) return tpl_float((double)a / (double)b);
    if (b == -1) return c == '%' ? tpl_int(0) : checked(t, __builtin_sub_overflow((int64_t)0, a, &r), &r);
    const int64_t rest = a % b;
    const bool below = rest != 0 && (rest < 0) != (b < 0);
    return tpl_int(c == '%' ? rest + (below ? b : 0) : a / b - below);
}

static tpl_value real_operation(tpl *t, char c, bool twice, double a, double b)
{
    if (c == '+') return tpl_float(a + b);
    if (c == '-') return tpl_float(a - b);
    if (c == '*' && !twice) return tpl_float(a * b);
    if (c == '*') {
        const double r = pow(a, b);
        if ((isinf(r) && isfinite(a) && isfinite(b)) || (isnan(r) && !isnan(a) && !isnan(b)))
            (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "a power that is not a finite real number");
        return tpl_float(r);
    }
    if (b == 0) return fail_zero(t);
    if (c == '/' && !twice) return tpl_float(a / b);
    double rest = fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
    if (c == '%') return tpl_float(rest == 0 ? copysign(0.0, b) : rest);
    const double quotient = (a - rest) / b;
    return tpl_float(quotient == 0 ? copysign(0.0, a / b) : round(quotient));
}

static tpl_value join_texts(tpl *t, tpl_value a, tpl_value b)
{
    tpl_builder builder = {.t = t};
    const bool safe = a.safe || b.safe;
    if (safe && !a.safe) a = tpl_escape(t, a.text);
    if (safe && !b.safe) b = tpl_escape(t, b.text);
    tpl_add(&builder, a.text.at, a.text.n);
    tpl_add(&builder, b.text.at, b.text.n);
    tpl_value v = tpl_built(&builder);
    v.safe = safe;
    return v;
}

static tpl_value join_lists(tpl *t, const tpl_list *a, const tpl_list *b)
{
    tpl_value v = tpl_list_new(t, a->kind);
    for (size_t i = 0; i < a->n && t->status == ASSAY_OK; i++) tpl_list_add(t, v, a->items[i]);
    for (size_t i = 0; i < b->n && t->status == ASSAY_OK; i++) tpl_list_add(t, v, b->items[i]);
    return v;
}

static tpl_value repeat(tpl *t, tpl_value v, int64_t n)
{
    if (v.kind == TPL_STRING) {
        tpl_builder b = {.t = t};
        tpl_add_repeated(&b, v.text, n < 0 ? 0 : (size_t)n);
        tpl_value text = tpl_built(&b);
        text.safe = v.safe;
        return text;
    }
    tpl_value list = tpl_list_new(t, v.list->kind);
    for (int64_t i = 0; i < n && v.list->n > 0 && t->status == ASSAY_OK; i++)
        for (size_t k = 0; k < v.list->n && t->status == ASSAY_OK; k++)
            tpl_list_add(t, list, v.list->items[k]);
    return list;
}

static bool repeats(tpl_value v)
{
    return v.kind == TPL_STRING || (v.kind == TPL_LIST && v.list->kind <= TPL_TUPLE);
}

tpl_value tpl_binary(tpl *t, assay_text operation, tpl_value a, tpl_value b)
{
    const char c = operation.at[0];
    const bool twice = operation.n == 2;
    if (t->status != ASSAY_OK) return (tpl_value){0};
    if (tpl_is_whole(a) && tpl_is_whole(b)) return whole_operation(t, c, twice, tpl_whole(a), tpl_whole(b));
    if (tpl_is_number(a) && tpl_is_number(b)) return real_operation(t, c, twice, tpl_real(a), tpl_real(b));
    if (c == '+' && a.kind == TPL_STRING && b.kind == TPL_STRING) return join_texts(t, a, b);
    if (c == '+' && a.kind == TPL_LIST && b.kind == TPL_LIST && a.list->kind <= TPL_TUPLE &&
        a.list->kind == b.list->kind)
        return join_lists(t, a.list, b.list);
    if (c == '*' && !twice && repeats(a) && tpl_is_whole(b)) return repeat(t, a, tpl_whole(b));
    if (c == '*' && !twice && repeats(b) && tpl_is_whole(a)) return repeat(t, b, tpl_whole(a));
    if (c == '%' && a.kind == TPL_STRING) return tpl_format_percent(t, a, b);
    return fail_operands(t, operation, a, b);
}

tpl_value tpl_negate(tpl *t, tpl_value v, bool negative)
{
    if (!tpl_is_number(v)) return tpl_fail_type(t, v, negative ? "unary -" : "unary +");
    if (v.kind == TPL_FLOAT) return tpl_float(negative ? -v.real : v.real);
    return negative ? whole_operation(t, '-', false, 0, tpl_whole(v)) : tpl_int(tpl_whole(v));
}

static bool contains(tpl *t, tpl_value container, tpl_value item)
{
    if (container.kind == TPL_STRING) {
        if (item.kind == TPL_STRING) return tpl_find(t, container.text, item.text, 0) != SIZE_MAX;
        (void)tpl_fail_type(t, item, "in, left of a string");
        return false;
    }
    if (container.kind == TPL_DICT) return tpl_dict_find(t, container, item, true) != NULL;
    if (tpl_is_list_of(container, TPL_KEYS))
        (void)tpl_dict_find(t, tpl_dict_new(t), item, true); /* hashable? */
    tpl_cursor from = tpl_cursor_open(t, container);
    tpl_value element;
    while (tpl_cursor_next(t, &from, &element))
        if (tpl_equals(t, element, item)) return true;
    return false;
}

bool tpl_holds(tpl *t, assay_text operation, tpl_value a, tpl_value b)
{
    const char c = operation.at[0];
    if (t->status != ASSAY_OK) return false;
    if (c == '=') return tpl_equals(t, a, b);
    if (c == '!') return !tpl_equals(t, a, b);
    if (c == 'i') return contains(t, b, a);
    if (c == 'n') return !contains(t, b, a);
    const int order = tpl_compare(t, a, b, "a comparison");
    if (order == 2) return false;
    const bool with_equal = operation.n == 2 && order == 0;
    return with_equal || (c == '<' ? order < 0 : order > 0);
}

static tpl_value member_of(tpl *t, tpl_value object, assay_text name)
{
    const tpl_value *found = tpl_dict_find_text(t, object, name);
    if (found) return *found;
    if (name.n > 1 && name.at[0] == '_' && name.at[1] == '_')
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "the attribute \"%.*s\" is not supported",
                       name.n > 60 ? 60 : (int)name.n, name.at);
    return (tpl_value){0};
}

tpl_value tpl_attribute(tpl *t, tpl_value object, assay_text name)
{
    if (object.kind == TPL_UNDEFINED) {
        (void)tpl_fail(t, ASSAY_EFORMAT, "the attribute \"%.*s\" of an undefined value",
                       name.n > 60 ? 60 : (int)name.n, name.at);
        return (tpl_value){0};
    }
    if (object.kind == TPL_LOOP) return tpl_loop_attribute(t, object.loop, name);
    const bool is_group = object.kind == TPL_LIST && object.list->is_group;
    if (is_group && tpl_same_text(name, "grouper")) return object.list->items[0];
    if (is_group && tpl_same_text(name, "list")) return object.list->items[1];
    const tpl_value method = tpl_method(t, object, name);
    return method.kind == TPL_FUNCTION ? method : member_of(t, object, name);
}

/* A list or string at index i, from its end if it is negative. */
static tpl_value element(tpl_value object, int64_t i)
{
    const size_t n = object.kind == TPL_STRING ? tpl_length(object.text) : object.list->n;
    uint32_t codepoint;
    if (i < 0) i += (int64_t)n;
    if (i < 0 || (size_t)i >= n) return (tpl_value){0};
    if (object.kind == TPL_LIST) return object.list->items[i];
    const char *at = object.text.at + tpl_offset(object.text, (size_t)i);
    const size_t rest = object.text.n - (size_t)(at - object.text.at);
    tpl_value v = tpl_text(at, utf8_decode(at, rest, &codepoint, NULL));
    v.safe = object.safe;
    return v;
}

static bool has_elements(tpl_value v)
{
    return v.kind == TPL_STRING ||
           (v.kind == TPL_LIST && (v.list->kind <= TPL_TUPLE || v.list->kind == TPL_RANGE));
}

tpl_value tpl_item(tpl *t, tpl_value object, tpl_value key)
{
    if (object.kind == TPL_UNDEFINED) return tpl_fail_type(t, object, "an element of a value");
    if (object.kind == TPL_STRING && !tpl_step(t, object.text.n / 64)) return (tpl_value){0};
    if (has_elements(object) && tpl_is_whole(key)) return element(object, tpl_whole(key));
    const tpl_value *found = object.kind == TPL_DICT ? tpl_dict_find(t, object, key, false) : NULL;
    if (found) return *found;
    return key.kind == TPL_STRING ? tpl_attribute(t, object, key.text) : (tpl_value){0};
}

/* One end of a slice, limited to 0 … n, or to -1 … n-1 if it runs backwards. */
static int64_t slice_end(tpl_value v, int64_t n, bool backwards, int64_t missing)
{
    if (v.kind == TPL_NONE) return missing;
    int64_t i = tpl_whole(v);
    const int64_t low = backwards ? -1 : 0, high = backwards ? n - 1 : n;
    if (i < 0) i = i < -n ? low : i + n;
    return i < low ? low : i > high ? high : i;
}

/* What a slice of a range prints: as range() computes it, without regard to overflow. */
static void slice_range(tpl_list *out, const int64_t range[3], int64_t first, int64_t end, int64_t by)
{
    const uint64_t from = (uint64_t)range[0], step = (uint64_t)range[2];
    out->range[0] = (int64_t)(from + (uint64_t)first * step);
    out->range[1] = (int64_t)(from + (uint64_t)end * step);
    out->range[2] = (int64_t)((uint64_t)by * step);
}

tpl_value tpl_slice(tpl *t, tpl_value object, tpl_value from, tpl_value to, tpl_value step)
{
    const tpl_value ends[] = {from, to, step};
    if (!has_elements(object)) return tpl_fail_type(t, object, "a slice of a value");
    for (size_t i = 0; i < 3; i++)
        if (ends[i].kind != TPL_NONE && !tpl_is_whole(ends[i]))
            return tpl_fail_type(t, ends[i], "an index of a slice");
    int64_t by = step.kind == TPL_NONE ? 1 : tpl_whole(step);
    if (by == 0) {
        (void)tpl_fail(t, ASSAY_EFORMAT, "found a slice with step 0");
        return (tpl_value){0};
    }
    const tpl_list *items = tpl_elements(t, object);
    const int64_t n = (int64_t)items->n;
    if (by > n) by = n + 1;
    if (by < -n) by = -n - 1;
    const int64_t first = slice_end(from, n, by < 0, by < 0 ? n - 1 : 0);
    const int64_t end = slice_end(to, n, by < 0, by < 0 ? -1 : n);
    tpl_builder b = {.t = t};
    tpl_value list = object.kind == TPL_LIST ? tpl_list_new(t, object.list->kind) : (tpl_value){0};
    if (tpl_is_list_of(list, TPL_RANGE)) slice_range(list.list, object.list->range, first, end, by);
    for (int64_t i = first; (by < 0 ? i > end : i < end) && tpl_step(t, 1); i += by) {
        if (object.kind == TPL_LIST) tpl_list_add(t, list, items->items[i]);
        else tpl_add(&b, items->items[i].text.at, items->items[i].text.n);
    }
    if (object.kind == TPL_LIST) return list;
    list = tpl_built(&b);
    list.safe = object.safe;
    return list;
}

tpl_value tpl_path(tpl *t, tpl_value object, tpl_value path, tpl_value missing)
{
    if (path.kind != TPL_STRING)
        return path.kind == TPL_NONE || path.kind == TPL_MISSING ? object : tpl_item(t, object, path);
    for (size_t at = 0; at <= path.text.n && t->status == ASSAY_OK;) {
        size_t end = at;
        int64_t index;
        while (end < path.text.n && path.text.at[end] != '.') end++;
        const assay_text part = {.at = path.text.at + at, .n = end - at};
        const bool digits = tpl_has_class(part, "digit") && tpl_parse_int(t, part, 10, &index);
        object = tpl_item(t, object, digits ? tpl_int(index) : tpl_text(part.at, part.n));
        if (object.kind == TPL_UNDEFINED && missing.kind != TPL_MISSING && missing.kind != TPL_NONE)
            object = missing;
        at = end + 1;
    }
    return object;
}
