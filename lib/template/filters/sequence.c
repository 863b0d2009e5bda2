/* SPDX-License-Identifier: Apache-2.0 */
#include "template/filters/sequence.h"

#include "template/values/integer.h"
#include "template/values/item.h"
#include "template/values/methods.h"
#include "template/values/operate.h"
#include "template/values/strings.h"
#include "template/values/text.h"

#define FILTER TPL_FILTER
#define UNUSED TPL_FILTER_UNUSED

FILTER(filter_length)
{
    size_t n;
    UNUSED;
    return tpl_size(v, &n) ? tpl_int((int64_t)n) : tpl_fail_type(t, v, "length");
}

FILTER(filter_first)
{
    UNUSED;
    tpl_cursor from = tpl_cursor_open(t, v);
    tpl_value item;
    return tpl_cursor_next(t, &from, &item) ? item : (tpl_value){0};
}

FILTER(filter_last)
{
    UNUSED;
    if (tpl_is_list_of(v, TPL_ITERATOR)) return tpl_fail_type(t, v, "last");
    if (v.kind == TPL_UNDEFINED) return v;
    const tpl_list *items = tpl_elements(t, v);
    tpl_value last = items->n > 0 ? items->items[items->n - 1] : (tpl_value){0};
    if (v.kind == TPL_STRING) last.safe = v.safe;
    return last;
}

FILTER(filter_list)
{
    const tpl_list *items = tpl_elements(t, v);
    tpl_value list = tpl_list_new(t, TPL_PLAIN);
    UNUSED;
    for (size_t i = 0; i < items->n && t->status == ASSAY_OK; i++) tpl_list_add(t, list, items->items[i]);
    return list;
}

FILTER(filter_join)
{
    const tpl_list *items = tpl_elements(t, v);
    const assay_text between = at[0].kind == TPL_MISSING ? (assay_text){.at = "", .n = 0} : tpl_str(t, at[0]);
    tpl_builder b = {.t = t};
    UNUSED;
    for (size_t i = 0; i < items->n && tpl_step(t, 1); i++) {
        if (i > 0) tpl_add(&b, between.at, between.n);
        tpl_add_str(&b, tpl_path(t, items->items[i], at[1], (tpl_value){.kind = TPL_MISSING}));
    }
    return tpl_built(&b);
}

/* The error of `items` is made by its first element. */
static bool fail_items(tpl *t, void *state, tpl_value *out)
{
    *out = tpl_fail_type(t, *(const tpl_value *)state, "items");
    return false;
}

FILTER(filter_items)
{
    UNUSED;
    if (v.kind == TPL_UNDEFINED) return tpl_list_new(t, TPL_ITERATOR);
    if (v.kind == TPL_DICT) return tpl_dict_view(t, v, TPL_ITERATOR);
    tpl_value *state = tpl_alloc(t, 1, sizeof *state);
    if (state) *state = v;
    return tpl_iterator_new(t, fail_items, state);
}

FILTER(filter_reverse)
{
    tpl_builder b = {.t = t};
    UNUSED;
    const bool is_iterator = tpl_is_list_of(v, TPL_ITERATOR);
    const tpl_list *items = tpl_elements(t, v);
    tpl_value list = tpl_list_new(t, is_iterator ? TPL_PLAIN : TPL_ITERATOR);
    for (size_t i = items->n; i-- > 0 && t->status == ASSAY_OK;) {
        if (v.kind == TPL_STRING) tpl_add(&b, items->items[i].text.at, items->items[i].text.n);
        else tpl_list_add(t, list, items->items[i]);
    }
    if (v.kind != TPL_STRING) return list;
    tpl_value text = tpl_built(&b);
    text.safe = v.safe;
    return text;
}

FILTER(filter_sum)
{
    const tpl_list *items = tpl_elements(t, v);
    const assay_text plus = {.at = "+", .n = 1};
    tpl_value sum = at[1].kind == TPL_MISSING ? tpl_int(0) : at[1];
    UNUSED;
    if (sum.kind == TPL_STRING) return tpl_fail_type(t, sum, "sum");
    for (size_t i = 0; i < items->n && tpl_step(t, 1); i++)
        sum = tpl_binary(t, plus, sum, tpl_path(t, items->items[i], at[0], (tpl_value){.kind = TPL_MISSING}));
    return sum;
}

/* The parts of `batch` and `slice`. */
typedef struct parts {
    tpl_cursor from;
    tpl_value part;  /* of batch, the one that is being filled */
    tpl_value fill;  /* missing: none */
    tpl_value whole; /* of slice, the input, until the first part is read */
    const tpl_list *items;
    int64_t n; /* elements of a part, or number of parts */
    int64_t index;
} parts;

static parts *new_parts(tpl *t, int64_t n, tpl_value fill)
{
    parts *p = tpl_alloc(t, 1, sizeof *p);
    if (!p) return NULL;
    p->n = n;
    if (fill.kind != TPL_NONE) p->fill = fill;
    else p->fill.kind = TPL_MISSING;
    return p;
}

/* A part is complete when the next element is read, as in jinja2: with linecount 0 the first one is empty. */
static bool next_batch(tpl *t, void *state, tpl_value *out)
{
    parts *p = state;
    tpl_value item;
    if (p->part.kind != TPL_LIST) p->part = tpl_list_new(t, TPL_PLAIN);
    while (t->status == ASSAY_OK && tpl_cursor_next(t, &p->from, &item)) {
        *out = p->part;
        const bool complete = (int64_t)p->part.list->n == p->n;
        if (complete) p->part = tpl_list_new(t, TPL_PLAIN);
        tpl_list_add(t, p->part, item);
        if (complete) return true;
    }
    if (t->status != ASSAY_OK || p->part.list->n == 0) return false;
    *out = p->part;
    p->part = tpl_list_new(t, TPL_PLAIN);
    while (p->fill.kind != TPL_MISSING && (int64_t)out->list->n < p->n && t->status == ASSAY_OK)
        tpl_list_add(t, *out, p->fill);
    return true;
}

FILTER(filter_batch)
{
    UNUSED;
    if (!tpl_is_integer(at[0]))
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED,
                       "batch: parts of a number of elements of type %s are not supported",
                       tpl_type_name(at[0]));
    parts *p = new_parts(t, tpl_argument_whole(t, at[0], 0), at[1]);
    if (p) p->from = tpl_cursor_open(t, v);
    return tpl_iterator_new(t, next_batch, p);
}

static bool next_slice(tpl *t, void *state, tpl_value *out)
{
    parts *p = state;
    if (!p->items) p->items = tpl_elements(t, p->whole);
    const int64_t n_items = (int64_t)p->items->n;
    if (p->n == 0) return tpl_fail(t, ASSAY_EFORMAT, "slice: found 0 slices");
    if (p->index >= p->n) return false;
    const int64_t size = n_items / p->n, n_larger = n_items % p->n, i = p->index++;
    const int64_t first = i * size + (i < n_larger ? i : n_larger);
    const int64_t end = first + size + (i < n_larger);
    *out = tpl_list_new(t, TPL_PLAIN);
    for (int64_t k = first; k < end && t->status == ASSAY_OK; k++) tpl_list_add(t, *out, p->items->items[k]);
    if (p->fill.kind != TPL_MISSING && i >= n_larger) tpl_list_add(t, *out, p->fill);
    return true;
}

FILTER(filter_slice)
{
    parts *p = new_parts(t, tpl_argument_whole(t, at[0], 0), at[1]);
    UNUSED;
    if (p) p->whole = v;
    return tpl_iterator_new(t, next_slice, p);
}

/* The attribute of an object, without the members of a dict that the operator . finds as well. */
FILTER(filter_attr)
{
    UNUSED;
    const assay_text name = tpl_argument_text(t, at[0], "");
    return v.kind == TPL_DICT ? tpl_method(t, v, name) : tpl_attribute(t, v, name);
}

const tpl_filter_row tpl_sequence_filters[] = {
    {"length", "", filter_length},
    {"count", "", filter_length},
    {"first", "", filter_first},
    {"last", "", filter_last},
    {"list", "", filter_list},
    {"join", "d attribute", filter_join},
    {"items", "", filter_items},
    {"reverse", "", filter_reverse},
    {"sum", "attribute start", filter_sum},
    {"batch", "!linecount fill_with", filter_batch},
    {"slice", "!slices fill_with", filter_slice},
    {"attr", "!name", filter_attr},
    {0},
};
