/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/value.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"

tpl_value tpl_none(void)
{
    return (tpl_value){.kind = TPL_NONE};
}

tpl_value tpl_bool(bool truth)
{
    return (tpl_value){.kind = TPL_BOOL, .truth = truth};
}

tpl_value tpl_int(int64_t whole)
{
    return (tpl_value){.kind = TPL_INT, .whole = whole};
}

tpl_value tpl_float(double real)
{
    return (tpl_value){.kind = TPL_FLOAT, .real = real};
}

tpl_value tpl_text(const char *at, size_t n)
{
    return (tpl_value){.kind = TPL_STRING, .text = {.at = at ? at : "", .n = n}};
}

tpl_value tpl_string(const char *terminated)
{
    return tpl_text(terminated, strlen(terminated));
}

tpl_value tpl_list_new(tpl *t, tpl_list_kind kind)
{
    tpl_list *list = tpl_alloc(t, 1, sizeof *list);
    if (!list) return (tpl_value){0};
    list->kind = kind;
    return (tpl_value){.kind = TPL_LIST, .list = list};
}

tpl_value tpl_dict_new(tpl *t)
{
    tpl_dict *dict = tpl_alloc(t, 1, sizeof *dict);
    return dict ? (tpl_value){.kind = TPL_DICT, .dict = dict} : (tpl_value){0};
}

void tpl_list_add(tpl *t, tpl_value list, tpl_value item)
{
    if (list.kind != TPL_LIST || !tpl_step(t, 1)) return;
    tpl_value *items =
        tpl_grow(t, list.list->items, list.list->n, &list.list->capacity, sizeof *list.list->items);
    if (!items) return;
    list.list->items = items;
    items[list.list->n++] = item;
}

bool tpl_is_string(tpl_value v)
{
    return v.kind == TPL_STRING;
}

bool tpl_is_whole(tpl_value v)
{
    return v.kind == TPL_INT || v.kind == TPL_BOOL;
}

bool tpl_is_number(tpl_value v)
{
    return tpl_is_whole(v) || v.kind == TPL_FLOAT;
}

int64_t tpl_whole(tpl_value v)
{
    return v.kind == TPL_BOOL ? v.truth : v.whole;
}

double tpl_real(tpl_value v)
{
    return v.kind == TPL_FLOAT ? v.real : (double)tpl_whole(v);
}

bool tpl_is_list_of(tpl_value v, tpl_list_kind kind)
{
    return v.kind == TPL_LIST && v.list->kind == kind;
}

bool tpl_same_text(assay_text a, const char *terminated)
{
    return a.n == strlen(terminated) && memcmp(a.at, terminated, a.n) == 0;
}

bool tpl_truth(tpl_value v)
{
    switch (v.kind) {
    case TPL_UNDEFINED:
    case TPL_MISSING:
    case TPL_NONE: return false;
    case TPL_BOOL: return v.truth;
    case TPL_INT: return v.whole != 0;
    case TPL_FLOAT: return v.real != 0;
    case TPL_STRING: return v.text.n > 0;
    case TPL_LIST: return v.list->n > 0 || v.list->kind == TPL_ITERATOR;
    case TPL_DICT: return v.dict->n > 0;
    default: return true;
    }
}

const char *tpl_type_name(tpl_value v)
{
    static const char *const names[] = {"undefined", "missing",   "None",     "bool",
                                        "int",       "float",     "str",      "list",
                                        "dict",      "Namespace", "function", "LoopContext"};
    static const char *const lists[] = {"list",       "tuple", "dict_keys", "dict_values",
                                        "dict_items", "range", "iterator"};
    return v.kind == TPL_LIST ? lists[v.list->kind] : names[v.kind];
}

tpl_value tpl_fail_type(tpl *t, tpl_value v, const char *what)
{
    (void)tpl_fail(t, ASSAY_EFORMAT, "%s: found a value of type %s", what, tpl_type_name(v));
    return (tpl_value){0};
}

/* Numbers that are equal have the same hash. Returns false if the value is not hashable. */
static bool hash_value(tpl_value v, uint64_t *hash, unsigned depth)
{
    uint64_t h = HASH_START;
    if (tpl_is_number(v)) {
        const double real = tpl_real(v) == 0 ? 0 : tpl_real(v);
        *hash = hash_bytes(&real, sizeof real);
    } else if (v.kind == TPL_STRING) {
        *hash = hash_bytes(v.text.at, v.text.n);
    } else if (tpl_is_list_of(v, TPL_TUPLE) && depth < TPL_NESTED_MAX) {
        for (size_t i = 0; i < v.list->n; i++) {
            uint64_t item;
            if (!hash_value(v.list->items[i], &item, depth + 1)) return false;
            h = hash_add(hash_add(h, (uint32_t)item), (uint32_t)(item >> 32));
        }
        *hash = h;
    } else {
        *hash = (uint64_t)v.kind;
        return v.kind != TPL_LIST && v.kind != TPL_DICT;
    }
    return true;
}

/* The slot of a key, or the empty one where it belongs. */
static size_t find_slot(tpl *t, const tpl_dict *dict, uint64_t hash, tpl_value key)
{
    size_t slot = (hash ^ hash >> 32) & (dict->n_slots - 1);
    for (; dict->slots[slot] != 0; slot = (slot + 1) & (dict->n_slots - 1)) {
        const tpl_entry *entry = &dict->entries[dict->slots[slot] - 1];
        if (!tpl_step(t, 1) || (entry->hash == hash && tpl_equals(t, entry->key, key))) break;
    }
    return slot;
}

/* Ensures that a dict has a free slot for one more entry. */
static bool grow_slots(tpl *t, tpl_dict *dict)
{
    if (2 * (dict->n + 1) <= dict->n_slots) return true;
    const size_t n_slots = dict->n_slots ? 2 * dict->n_slots : 8;
    uint32_t *slots = tpl_alloc(t, n_slots, sizeof *slots);
    if (!slots) return false;
    for (size_t i = 0; i < dict->n; i++) {
        size_t slot = (dict->entries[i].hash ^ dict->entries[i].hash >> 32) & (n_slots - 1);
        while (slots[slot] != 0 && tpl_step(t, 1)) slot = (slot + 1) & (n_slots - 1);
        slots[slot] = (uint32_t)i + 1;
    }
    dict->slots = slots;
    dict->n_slots = n_slots;
    return t->status == ASSAY_OK;
}

void tpl_dict_set(tpl *t, tpl_value v, tpl_value key, tpl_value value)
{
    uint64_t hash;
    if ((v.kind != TPL_DICT && v.kind != TPL_NAMESPACE) || !tpl_step(t, 1)) return;
    tpl_dict *dict = v.dict;
    if (!hash_value(key, &hash, 0)) {
        (void)tpl_fail_type(t, key, "a key of a dict");
        return;
    }
    if (!grow_slots(t, dict)) return;
    const size_t slot = find_slot(t, dict, hash, key);
    if (t->status != ASSAY_OK) return;
    if (dict->slots[slot] != 0) {
        dict->entries[dict->slots[slot] - 1].value = value;
        return;
    }
    tpl_entry *entries = tpl_grow(t, dict->entries, dict->n, &dict->capacity, sizeof *entries);
    if (!entries) return;
    dict->entries = entries;
    entries[dict->n++] = (tpl_entry){.hash = hash, .key = key, .value = value};
    dict->slots[slot] = (uint32_t)dict->n;
}

const tpl_value *tpl_dict_find(tpl *t, tpl_value v, tpl_value key, bool strict)
{
    uint64_t hash;
    if ((v.kind != TPL_DICT && v.kind != TPL_NAMESPACE)) return NULL;
    if (!hash_value(key, &hash, 0)) {
        if (strict) (void)tpl_fail_type(t, key, "a key of a dict");
        return NULL;
    }
    if (v.dict->n == 0) return NULL;
    const size_t slot = find_slot(t, v.dict, hash, key);
    if (t->status != ASSAY_OK || v.dict->slots[slot] == 0) return NULL;
    return &v.dict->entries[v.dict->slots[slot] - 1].value;
}

const tpl_value *tpl_dict_find_text(tpl *t, tpl_value dict, assay_text key)
{
    return tpl_dict_find(t, dict, tpl_text(key.at, key.n), false);
}

static bool equal_dicts(tpl *t, const tpl_dict *a, tpl_value b)
{
    bool same = a->n == b.dict->n;
    for (size_t i = 0; same && i < a->n; i++) {
        const tpl_value *other = tpl_dict_find(t, b, a->entries[i].key, false);
        same = other && tpl_equals(t, a->entries[i].value, *other);
    }
    return same;
}

static bool equal_lists(tpl *t, const tpl_list *a, const tpl_list *b)
{
    bool same = a == b;
    if (same || a->kind != b->kind || a->n != b->n) return same;
    if (a->kind == TPL_ITERATOR || a->kind == TPL_VALUES) return false;
    same = true;
    for (size_t i = 0; same && i < a->n; i++) same = tpl_equals(t, a->items[i], b->items[i]);
    return same;
}

bool tpl_equals(tpl *t, tpl_value a, tpl_value b)
{
    bool same = false;
    if (tpl_enter(t)) {
        if (tpl_is_whole(a) && tpl_is_whole(b)) same = tpl_whole(a) == tpl_whole(b);
        else if (tpl_is_number(a) && tpl_is_number(b)) same = tpl_compare(t, a, b, "==") == 0;
        else if (a.kind != b.kind) same = false;
        else if (a.kind == TPL_STRING)
            same = tpl_step(t, a.text.n / 64) && a.text.n == b.text.n &&
                   memcmp(a.text.at, b.text.at, a.text.n) == 0;
        else if (a.kind == TPL_LIST) same = equal_lists(t, a.list, b.list);
        else if (a.kind == TPL_DICT) same = a.dict == b.dict || equal_dicts(t, a.dict, b);
        else if (a.kind == TPL_NAMESPACE) same = a.dict == b.dict;
        else if (a.kind == TPL_FUNCTION) same = a.function == b.function;
        else if (a.kind == TPL_LOOP) same = a.loop == b.loop;
        else same = true;
    }
    tpl_leave(t);
    return same;
}

/* Exact, although not every int is a double. 2 if one of them is a NaN, which has no order. */
static int compare_numbers(tpl_value a, tpl_value b)
{
    if (a.kind == TPL_FLOAT && b.kind != TPL_FLOAT) {
        const int other = compare_numbers(b, a);
        return other == 2 ? 2 : -other;
    }
    if (b.kind != TPL_FLOAT) return (tpl_whole(a) > tpl_whole(b)) - (tpl_whole(a) < tpl_whole(b));
    if (isnan(b.real) || (a.kind == TPL_FLOAT && isnan(a.real))) return 2;
    if (a.kind == TPL_FLOAT) return (a.real > b.real) - (a.real < b.real);
    if (b.real >= 0x1p63) return -1;
    if (b.real < -0x1p63) return 1;
    const int64_t floor_b = (int64_t)floor(b.real);
    if (tpl_whole(a) != floor_b) return tpl_whole(a) > floor_b ? 1 : -1;
    return b.real > floor(b.real) ? -1 : 0;
}

static int compare_texts(tpl *t, assay_text a, assay_text b)
{
    const size_t n = a.n < b.n ? a.n : b.n;
    if (!tpl_step(t, n / 64)) return 0;
    const int order = memcmp(a.at, b.at, n);
    return order ? (order > 0) - (order < 0) : (a.n > b.n) - (a.n < b.n);
}

int tpl_compare(tpl *t, tpl_value a, tpl_value b, const char *what)
{
    int order = 0;
    if (!tpl_enter(t)) order = 0;
    else if (tpl_is_number(a) && tpl_is_number(b)) order = compare_numbers(a, b);
    else if (a.kind == TPL_STRING && b.kind == TPL_STRING) order = compare_texts(t, a.text, b.text);
    else if (a.kind == TPL_LIST && b.kind == TPL_LIST && a.list->kind == b.list->kind &&
             a.list->kind <= TPL_TUPLE) {
        size_t i = 0;
        const size_t n = a.list->n < b.list->n ? a.list->n : b.list->n;
        while (i < n && tpl_equals(t, a.list->items[i], b.list->items[i])) i++;
        order = i < n ? tpl_compare(t, a.list->items[i], b.list->items[i], what)
                      : (a.list->n > b.list->n) - (a.list->n < b.list->n);
    } else
        (void)tpl_fail(t, ASSAY_EFORMAT, "%s: values of types %s and %s have no order", what,
                       tpl_type_name(a), tpl_type_name(b));
    tpl_leave(t);
    return order;
}

static const tpl_list *characters(tpl *t, assay_text text)
{
    tpl_value list = tpl_list_new(t, TPL_PLAIN);
    uint32_t codepoint;
    for (size_t at = 0, n; at < text.n && t->status == ASSAY_OK; at += n) {
        n = utf8_decode(text.at + at, text.n - at, &codepoint, NULL);
        tpl_list_add(t, list, tpl_text(text.at + at, n));
    }
    return list.kind == TPL_LIST ? list.list : NULL;
}

tpl_value tpl_iterator_new(tpl *t, tpl_next_fn *next, void *state)
{
    tpl_value v = tpl_list_new(t, TPL_ITERATOR);
    if (v.kind != TPL_LIST) return v;
    v.list->next = next;
    v.list->state = state;
    return v;
}

bool tpl_iterator_next(tpl *t, tpl_list *iterator, tpl_value *out)
{
    bool found = false;
    if (tpl_enter(t)) {
        found = iterator->n_read < iterator->n;
        if (found) *out = iterator->items[iterator->n_read++];
        else if (iterator->next) found = iterator->next(t, iterator->state, out);
    }
    tpl_leave(t);
    return found && t->status == ASSAY_OK;
}

tpl_cursor tpl_cursor_open(tpl *t, tpl_value v)
{
    if (tpl_is_list_of(v, TPL_ITERATOR)) return (tpl_cursor){.iterator = v.list};
    return (tpl_cursor){.items = tpl_elements(t, v)};
}

bool tpl_cursor_next(tpl *t, tpl_cursor *cursor, tpl_value *out)
{
    if (cursor->iterator) return tpl_iterator_next(t, cursor->iterator, out);
    if (!tpl_step(t, 1) || cursor->n_read == cursor->items->n) return false;
    *out = cursor->items->items[cursor->n_read++];
    return true;
}

const tpl_list *tpl_elements(tpl *t, tpl_value v)
{
    static const tpl_list empty = {0};
    const tpl_list *list = NULL;
    if (v.kind == TPL_STRING) list = characters(t, v.text);
    else if (v.kind == TPL_DICT) {
        tpl_value keys = tpl_list_new(t, TPL_PLAIN);
        for (size_t i = 0; i < v.dict->n; i++) tpl_list_add(t, keys, v.dict->entries[i].key);
        list = keys.kind == TPL_LIST ? keys.list : NULL;
    } else if (tpl_is_list_of(v, TPL_ITERATOR)) {
        tpl_value rest = tpl_list_new(t, TPL_PLAIN), item;
        while (tpl_iterator_next(t, v.list, &item)) tpl_list_add(t, rest, item);
        list = rest.kind == TPL_LIST ? rest.list : NULL;
    } else if (v.kind == TPL_LIST) list = v.list;
    else if (v.kind != TPL_UNDEFINED) (void)tpl_fail_type(t, v, "iteration");
    return list && t->status == ASSAY_OK ? list : &empty;
}
