/* SPDX-License-Identifier: Apache-2.0 */
#include "template/filters_sequence.h"

#include <string.h>

#include "template/methods.h"
#include "template/operate.h"
#include "template/strings.h"
#include "template/text.h"

#define FILTER TPL_FILTER
#define UNUSED TPL_FILTER_UNUSED

/* The length of a value, as Python's len. */
FILTER(filter_length)
{
    UNUSED;
    if (v.kind == TPL_STRING) return tpl_int((int64_t)tpl_length(v.text));
    if (v.kind == TPL_DICT) return tpl_int((int64_t)v.dict->n);
    if (v.kind == TPL_UNDEFINED) return tpl_int(0);
    if (v.kind == TPL_LIST && v.list->kind != TPL_ITERATOR) return tpl_int((int64_t)v.list->n);
    return tpl_fail_type(t, v, "length");
}

FILTER(filter_first)
{
    UNUSED;
    if (tpl_is_list_of(v, TPL_ITERATOR))
        return v.list->n_read < v.list->n ? v.list->items[v.list->n_read++] : (tpl_value){0};
    const tpl_list *items = tpl_elements(t, v);
    return items->n > 0 ? items->items[0] : (tpl_value){0};
}

FILTER(filter_last)
{
    UNUSED;
    if (tpl_is_list_of(v, TPL_ITERATOR)) return tpl_fail_type(t, v, "last");
    if (v.kind == TPL_UNDEFINED) return v;
    const tpl_list *items = tpl_elements(t, v);
    return items->n > 0 ? items->items[items->n - 1] : (tpl_value){0};
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

FILTER(filter_items)
{
    UNUSED;
    if (v.kind == TPL_UNDEFINED) return tpl_list_new(t, TPL_ITERATOR);
    if (v.kind != TPL_DICT) return tpl_fail_type(t, v, "items");
    return tpl_dict_view(t, v, TPL_ITERATOR);
}

FILTER(filter_reverse)
{
    tpl_builder b = {.t = t};
    UNUSED;
    if (tpl_is_list_of(v, TPL_ITERATOR)) v = filter_list(t, v, at, args, filter);
    const tpl_list *items = tpl_elements(t, v);
    tpl_value list = tpl_list_new(t, TPL_ITERATOR);
    for (size_t i = items->n; i-- > 0 && t->status == ASSAY_OK;) {
        if (v.kind == TPL_STRING) tpl_add(&b, items->items[i].text.at, items->items[i].text.n);
        else tpl_list_add(t, list, items->items[i]);
    }
    return v.kind == TPL_STRING ? tpl_built(&b) : list;
}

/* The key by which a filter sorts or compares an element. */
static tpl_value key_of(tpl *t, tpl_value item, tpl_value attribute, bool case_sensitive)
{
    const tpl_value none = {.kind = TPL_MISSING};
    tpl_value key = tpl_path(t, item, attribute, none);
    return key.kind == TPL_STRING && !case_sensitive ? tpl_change_case(t, key.text, TPL_LOWER) : key;
}

/* The keys of sort, whose attribute may name several, with commas between. */
static tpl_value sort_key(tpl *t, tpl_value item, tpl_value attribute, bool case_sensitive)
{
    if (attribute.kind != TPL_STRING || !memchr(attribute.text.at, ',', attribute.text.n))
        return key_of(t, item, attribute, case_sensitive);
    tpl_value keys = tpl_list_new(t, TPL_PLAIN);
    for (size_t at = 0; at <= attribute.text.n && t->status == ASSAY_OK;) {
        size_t end = at;
        while (end < attribute.text.n && attribute.text.at[end] != ',') end++;
        tpl_list_add(t, keys, key_of(t, item, tpl_text(attribute.text.at + at, end - at), case_sensitive));
        at = end + 1;
    }
    return keys;
}

/* Sorts entries by their keys, keeping the order of equal ones. other: [n]. */
static void merge_sort(tpl *t, tpl_entry *entries, tpl_entry *other, size_t n, bool reverse)
{
    const size_t half = n / 2;
    if (n < 2 || t->status != ASSAY_OK) return;
    merge_sort(t, entries, other, half, reverse);
    merge_sort(t, entries + half, other, n - half, reverse);
    memcpy(other, entries, n * sizeof *entries);
    for (size_t i = 0, a = 0, b = half; i < n; i++) {
        bool first = b == n;
        if (!first && a < half) {
            const int order = tpl_compare(t, other[b].key, other[a].key, "sort");
            first = order == 2 || (reverse ? order <= 0 : order >= 0);
        }
        entries[i] = other[first ? a++ : b++];
    }
}

/* A list of the elements, sorted by keys; entries: [n], with keys and values. */
static tpl_value sorted(tpl *t, tpl_entry *entries, size_t n, bool reverse)
{
    tpl_entry *other = n > 0 ? tpl_alloc(t, n, sizeof *other) : NULL;
    tpl_value list = tpl_list_new(t, TPL_PLAIN);
    if (other) merge_sort(t, entries, other, n, reverse);
    for (size_t i = 0; i < n && t->status == ASSAY_OK; i++) tpl_list_add(t, list, entries[i].value);
    return list;
}

FILTER(filter_sort)
{
    const tpl_list *items = tpl_elements(t, v);
    tpl_entry *entries = items->n > 0 ? tpl_alloc(t, items->n, sizeof *entries) : NULL;
    UNUSED;
    for (size_t i = 0; entries && i < items->n; i++) {
        entries[i].value = items->items[i];
        entries[i].key = sort_key(t, items->items[i], at[2], tpl_argument_truth(at[1], false));
    }
    return sorted(t, entries, entries ? items->n : 0, tpl_argument_truth(at[0], false));
}

FILTER(filter_dictsort)
{
    const assay_text by = tpl_argument_text(t, at[1], "key");
    const size_t which = tpl_same_text(by, "value");
    UNUSED;
    if (which == 0 && !tpl_same_text(by, "key"))
        (void)tpl_fail(t, ASSAY_EFORMAT, "dictsort: found by=\"%.*s\", expected \"key\" or \"value\"",
                       by.n > 60 ? 60 : (int)by.n, by.at);
    if (v.kind != TPL_DICT) return tpl_fail_type(t, v, "dictsort");
    tpl_value pairs = tpl_dict_view(t, v, TPL_PLAIN);
    const size_t n = pairs.kind == TPL_LIST ? pairs.list->n : 0;
    tpl_entry *entries = n > 0 ? tpl_alloc(t, n, sizeof *entries) : NULL;
    for (size_t i = 0; entries && i < n; i++) {
        entries[i].value = pairs.list->items[i];
        entries[i].key =
            key_of(t, entries[i].value, tpl_int((int64_t)which), tpl_argument_truth(at[0], false));
    }
    return sorted(t, entries, entries ? n : 0, tpl_argument_truth(at[2], false));
}

FILTER(filter_unique)
{
    const tpl_list *items = tpl_elements(t, v);
    tpl_value seen = tpl_dict_new(t), list = tpl_list_new(t, TPL_ITERATOR);
    UNUSED;
    for (size_t i = 0; i < items->n && t->status == ASSAY_OK; i++) {
        const tpl_value key = key_of(t, items->items[i], at[1], tpl_argument_truth(at[0], false));
        if (tpl_dict_find(t, seen, key, true)) continue;
        tpl_dict_set(t, seen, key, tpl_none());
        tpl_list_add(t, list, items->items[i]);
    }
    return list;
}

FILTER(filter_extreme)
{
    const tpl_list *items = tpl_elements(t, v);
    const bool largest = tpl_same_text(filter, "max"), case_sensitive = tpl_argument_truth(at[0], false);
    tpl_value best = {0}, best_key = {0};
    UNUSED;
    for (size_t i = 0; i < items->n && tpl_step(t, 1); i++) {
        const tpl_value key = key_of(t, items->items[i], at[1], case_sensitive);
        const int order = i == 0 ? 0 : tpl_compare(t, key, best_key, "min or max");
        if (i > 0 && order != (largest ? 1 : -1)) continue;
        best = items->items[i];
        best_key = key;
    }
    return best;
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

FILTER(filter_batch)
{
    const tpl_list *items = tpl_elements(t, v);
    const int64_t n = tpl_argument_whole(t, at[0], 0);
    tpl_value list = tpl_list_new(t, TPL_ITERATOR), part = {0};
    UNUSED;
    if (n < 1) {
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "batch: found %lld, expected 1 or more", (long long)n);
        return list;
    }
    for (size_t i = 0; i < items->n && t->status == ASSAY_OK; i++) {
        if (i % (size_t)n == 0) {
            part = tpl_list_new(t, TPL_PLAIN);
            tpl_list_add(t, list, part);
        }
        tpl_list_add(t, part, items->items[i]);
    }
    const bool fills = at[1].kind != TPL_MISSING && at[1].kind != TPL_NONE && part.kind == TPL_LIST;
    while (fills && part.list->n < (size_t)n && t->status == ASSAY_OK) tpl_list_add(t, part, at[1]);
    return list;
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
    {"sort", "reverse case_sensitive attribute", filter_sort},
    {"dictsort", "case_sensitive by reverse", filter_dictsort},
    {"unique", "case_sensitive attribute", filter_unique},
    {"min", "case_sensitive attribute", filter_extreme},
    {"max", "case_sensitive attribute", filter_extreme},
    {"sum", "attribute start", filter_sum},
    {"batch", "!linecount fill_with", filter_batch},
    {0},
};
