/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/dict.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "template/values/integer.h"

tpl_value tpl_dict_new(tpl *t)
{
    tpl_dict *dict = tpl_alloc(t, 1, sizeof *dict);
    return dict ? (tpl_value){.kind = TPL_DICT, .dict = dict} : (tpl_value){0};
}

/* Equal values have equal hashes: numbers that of the nearest double (0 for -0), tuples and ranges that of
 * their elements, all others but strings that of their kind. Returns false if the value is not hashable. */
static bool hash_value(tpl_value v, uint64_t *hash, unsigned depth)
{
    uint64_t h = HASH_START;
    if (tpl_is_number(v)) {
        const double near = v.kind == TPL_FLOAT ? v.real : tpl_integer_real(v), real = near == 0 ? 0 : near;
        *hash = hash_bytes(&real, sizeof real);
    } else if (v.kind == TPL_STRING) {
        *hash = hash_bytes(v.text.at, v.text.n);
    } else if ((tpl_is_list_of(v, TPL_TUPLE) || tpl_is_list_of(v, TPL_RANGE)) && depth < TPL_NESTED_MAX) {
        for (size_t i = 0; i < v.list->n; i++) {
            uint64_t item;
            if (!hash_value(v.list->items[i], &item, depth + 1)) return false;
            h = hash_add(hash_add(h, (uint32_t)item), (uint32_t)(item >> 32));
        }
        *hash = h;
    } else {
        *hash = (uint64_t)v.kind;
        return v.kind != TPL_DICT &&
               (v.kind != TPL_LIST || tpl_is_list_of(v, TPL_VALUES) || tpl_is_list_of(v, TPL_ITERATOR));
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

/* dict.keys() and dict.items(), which compare as sets. */
static bool is_set(tpl_value v)
{
    return tpl_is_list_of(v, TPL_KEYS) || tpl_is_list_of(v, TPL_ITEMS);
}

/* Whether a set contains all of `wanted`. n: how many of these, from the first on, have been found. */
static bool has_all(tpl *t, const tpl_list *set, const tpl_list *wanted)
{
    size_t n = 0;
    for (size_t i = 0; i < wanted->n && n == i; i++)
        for (size_t k = 0; k < set->n && n == i && tpl_step(t, 1); k++)
            n += tpl_equals(t, set->items[k], wanted->items[i]);
    return n == wanted->n;
}

static bool equal_lists(tpl *t, tpl_value av, tpl_value bv)
{
    const tpl_list *a = av.list, *b = bv.list;
    bool same = a == b;
    if (is_set(av) && is_set(bv)) return a->n == b->n && has_all(t, a, b);
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
        if (tpl_is_number(a) && tpl_is_number(b)) same = tpl_compare(t, a, b, "==") == 0;
        else if (a.kind != b.kind) same = false;
        else if (a.kind == TPL_STRING)
            same = tpl_step(t, a.text.n / 64) && a.text.n == b.text.n &&
                   memcmp(a.text.at, b.text.at, a.text.n) == 0;
        else if (a.kind == TPL_LIST) same = equal_lists(t, a, b);
        else if (a.kind == TPL_DICT) same = a.dict == b.dict || equal_dicts(t, a.dict, b);
        else if (a.kind == TPL_NAMESPACE) same = a.dict == b.dict;
        else if (a.kind == TPL_FUNCTION) same = a.function == b.function;
        else if (a.kind == TPL_LOOP) same = a.loop == b.loop;
        else same = true;
    }
    tpl_leave(t);
    return same;
}

/* 2 if one of them is a NaN, which has no order. */
static int compare_numbers(tpl_value a, tpl_value b)
{
    if (a.kind == TPL_FLOAT && b.kind != TPL_FLOAT) {
        const int other = compare_numbers(b, a);
        return other == 2 ? 2 : -other;
    }
    if (b.kind != TPL_FLOAT) return tpl_integer_compare(a, b);
    if (isnan(b.real) || (a.kind == TPL_FLOAT && isnan(a.real))) return 2;
    if (a.kind == TPL_FLOAT) return (a.real > b.real) - (a.real < b.real);
    return tpl_integer_compare_real(a, b.real);
}

static int compare_texts(tpl *t, assay_text a, assay_text b)
{
    const size_t n = a.n < b.n ? a.n : b.n;
    if (!tpl_step(t, n / 64)) return 0;
    const int order = memcmp(a.at, b.at, n);
    return order ? (order > 0) - (order < 0) : (a.n > b.n) - (a.n < b.n);
}

/* -1: a is a proper subset of b; 0: they are equal; 1: a is a proper superset; 2: none of these. */
static int compare_sets(tpl *t, const tpl_list *a, const tpl_list *b)
{
    const bool a_has_b = has_all(t, a, b), b_has_a = has_all(t, b, a);
    return a_has_b && b_has_a ? 0 : b_has_a ? -1 : a_has_b ? 1 : 2;
}

int tpl_compare(tpl *t, tpl_value a, tpl_value b, const char *what)
{
    int order = 0;
    if (!tpl_enter(t)) order = 0;
    else if (tpl_is_number(a) && tpl_is_number(b)) order = compare_numbers(a, b);
    else if (a.kind == TPL_STRING && b.kind == TPL_STRING) order = compare_texts(t, a.text, b.text);
    else if (is_set(a) && is_set(b)) order = compare_sets(t, a.list, b.list);
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
