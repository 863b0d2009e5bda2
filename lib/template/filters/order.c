/* SPDX-License-Identifier: Apache-2.0 */
#include "template/filters/order.h"

#include <string.h>

#include "template/values/casing.h"
#include "template/values/dict.h"
#include "template/values/item.h"
#include "template/values/methods.h"
#include "template/values/operate.h"
#include "template/values/strings.h"

#define FILTER TPL_FILTER
#define UNUSED TPL_FILTER_UNUSED

static tpl_value fold_case(tpl *t, tpl_value key, bool case_sensitive)
{
    return key.kind == TPL_STRING && !case_sensitive ? tpl_change_case(t, key.text, TPL_LOWER) : key;
}

/* The key by which a filter sorts or compares an element. */
static tpl_value key_of(tpl *t, tpl_value item, tpl_value attribute, bool case_sensitive)
{
    return fold_case(t, tpl_path(t, item, attribute, (tpl_value){.kind = TPL_MISSING}), case_sensitive);
}

/* The keys of sort, whose attribute may name several, with commas between. They are a list, as in jinja2:
 * lists compare their elements for equality first, so that equal elements need no order. */
static tpl_value sort_key(tpl *t, tpl_value item, tpl_value attribute, bool case_sensitive)
{
    tpl_value keys = tpl_list_new(t, TPL_PLAIN);
    const bool named = attribute.kind == TPL_STRING;
    for (size_t at = 0; at <= (named ? attribute.text.n : 0) && t->status == ASSAY_OK;) {
        size_t end = at;
        while (named && end < attribute.text.n && attribute.text.at[end] != ',') end++;
        const tpl_value one = named ? tpl_text(attribute.text.at + at, end - at) : attribute;
        tpl_list_add(t, keys, key_of(t, item, one, case_sensitive));
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
            if (order == 2) (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "sorting a NaN is not supported");
            first = reverse ? order <= 0 : order >= 0;
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
    return sorted(t, entries, entries ? items->n : 0, tpl_argument_flag(t, at[0], "sort: reverse"));
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
    return sorted(t, entries, entries ? n : 0, tpl_argument_flag(t, at[2], "dictsort: reverse"));
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

/* The elements of an input whose key was not seen before. */
typedef struct unique {
    tpl_cursor from;
    tpl_value seen, attribute;
    bool case_sensitive;
} unique;

static bool next_unique(tpl *t, void *state, tpl_value *out)
{
    unique *u = state;
    while (tpl_cursor_next(t, &u->from, out)) {
        const tpl_value key = key_of(t, *out, u->attribute, u->case_sensitive);
        if (tpl_dict_find(t, u->seen, key, true)) continue;
        tpl_dict_set(t, u->seen, key, tpl_none());
        return t->status == ASSAY_OK;
    }
    return false;
}

FILTER(filter_unique)
{
    unique *u = tpl_alloc(t, 1, sizeof *u);
    UNUSED;
    if (!u) return v;
    *u = (unique){.from = tpl_cursor_open(t, v),
                  .seen = tpl_dict_new(t),
                  .attribute = at[1],
                  .case_sensitive = tpl_argument_truth(at[0], false)};
    return tpl_iterator_new(t, next_unique, u);
}

/* A group: (key, [element, …]), a tuple whose members have the names grouper and list. */
static tpl_value new_group(tpl *t, tpl_value key, tpl_value items)
{
    tpl_value group = tpl_list_new(t, TPL_TUPLE);
    tpl_list_add(t, group, key);
    tpl_list_add(t, group, items);
    if (group.kind == TPL_LIST) group.list->is_group = true;
    return group;
}

FILTER(filter_groupby)
{
    const tpl_list *items = tpl_elements(t, v);
    const bool case_sensitive = tpl_argument_truth(at[2], false);
    tpl_entry *entries = items->n > 0 ? tpl_alloc(t, items->n, sizeof *entries) : NULL;
    tpl_value groups = tpl_list_new(t, TPL_PLAIN), group = {0}, key = {0};
    UNUSED;
    for (size_t i = 0; entries && i < items->n; i++) {
        entries[i].value = items->items[i];
        entries[i].key = fold_case(t, tpl_path(t, items->items[i], at[0], at[1]), case_sensitive);
    }
    const tpl_value order = sorted(t, entries, entries ? items->n : 0, false);
    for (size_t i = 0; order.kind == TPL_LIST && i < order.list->n && tpl_step(t, 1); i++) {
        const tpl_value item = order.list->items[i], own = tpl_path(t, item, at[0], at[1]);
        const tpl_value folded = fold_case(t, own, case_sensitive);
        if (i == 0 || !tpl_equals(t, key, folded)) {
            group = tpl_list_new(t, TPL_PLAIN);
            tpl_list_add(t, groups, new_group(t, own, group));
        }
        key = folded;
        tpl_list_add(t, group, item);
    }
    return groups;
}

const tpl_filter_row tpl_order_filters[] = {
    {"sort", "reverse case_sensitive attribute", filter_sort},
    {"dictsort", "case_sensitive by reverse", filter_dictsort},
    {"unique", "case_sensitive attribute", filter_unique},
    {"groupby", "!attribute default case_sensitive", filter_groupby},
    {"min", "case_sensitive attribute", filter_extreme},
    {"max", "case_sensitive attribute", filter_extreme},
    {0},
};
