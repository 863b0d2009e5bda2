/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/operate.h"

#include <math.h>

#include "template/values/dict.h"
#include "template/values/integer.h"
#include "template/values/percent.h"
#include "template/values/strings.h"

static tpl_value fail_operands(tpl *t, assay_text operation, tpl_value a, tpl_value b)
{
    (void)tpl_fail(t, ASSAY_EFORMAT, "%.*s: found operands of types %s and %s", (int)operation.n,
                   operation.at, tpl_type_name(a), tpl_type_name(b));
    return (tpl_value){0};
}

static tpl_value fail_zero(tpl *t)
{
    (void)tpl_fail(t, ASSAY_EFORMAT, "found a division by zero");
    return (tpl_value){0};
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
    const double rest = fmod(a, b), quotient = (a - rest) / b;
    const bool borrows = rest != 0 && (rest < 0) != (b < 0);
    if (c == '%') return tpl_float(rest == 0 ? copysign(0.0, b) : borrows ? rest + b : rest);
    const double below = quotient - borrows, whole = floor(below);
    if (below == 0) return tpl_float(copysign(0.0, a / b));
    return tpl_float(below - whole > 0.5 ? whole + 1 : whole);
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
    if (tpl_is_integer(a) && tpl_is_integer(b)) return tpl_integer_operate(t, c, twice, a, b);
    if (tpl_is_number(a) && tpl_is_number(b))
        return real_operation(t, c, twice, tpl_real(t, a), tpl_real(t, b));
    if (c == '+' && a.kind == TPL_STRING && b.kind == TPL_STRING) return join_texts(t, a, b);
    if (c == '+' && a.kind == TPL_LIST && b.kind == TPL_LIST && a.list->kind <= TPL_TUPLE &&
        a.list->kind == b.list->kind)
        return join_lists(t, a.list, b.list);
    if (c == '*' && !twice && repeats(a) && tpl_is_whole(b)) return repeat(t, a, tpl_whole(b));
    if (c == '*' && !twice && repeats(b) && tpl_is_whole(a)) return repeat(t, b, tpl_whole(a));
    if (c == '%' && a.kind == TPL_STRING) return tpl_format_percent(t, a, b);
    if (c == '-' && (tpl_is_list_of(a, TPL_KEYS) || tpl_is_list_of(a, TPL_ITEMS)))
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "-: a set is not supported");
    return fail_operands(t, operation, a, b);
}

tpl_value tpl_negate(tpl *t, tpl_value v, bool negative)
{
    if (!tpl_is_number(v)) return tpl_fail_type(t, v, negative ? "unary -" : "unary +");
    if (v.kind == TPL_FLOAT) return tpl_float(negative ? -v.real : v.real);
    return tpl_integer_operate(t, negative ? '-' : '+', false, tpl_int(0), v);
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
