/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/value.h"

#include <string.h>

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
    return tpl_is_whole(v) || v.kind == TPL_BIG || v.kind == TPL_FLOAT;
}

int64_t tpl_whole(tpl_value v)
{
    return v.kind == TPL_BOOL ? v.truth : v.whole;
}

bool tpl_is_list_of(tpl_value v, tpl_list_kind kind)
{
    return v.kind == TPL_LIST && v.list->kind == kind;
}

bool tpl_same(assay_text a, assay_text b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
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
    static const char *const names[] = {
        "undefined", "missing", "None", "bool",      "int",      "int",         "float",
        "str",       "list",    "dict", "Namespace", "function", "LoopContext", "TemplateReference"};
    static const char *const lists[] = {"list",       "tuple", "dict_keys", "dict_values",
                                        "dict_items", "range", "iterator"};
    return v.kind == TPL_LIST ? lists[v.list->kind] : names[v.kind];
}

tpl_value tpl_fail_type(tpl *t, tpl_value v, const char *what)
{
    (void)tpl_fail(t, ASSAY_EFORMAT, "%s: found a value of type %s", what, tpl_type_name(v));
    return (tpl_value){0};
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
