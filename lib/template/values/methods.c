/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/methods.h"

#include <math.h>
#include <string.h>

#include "template/values/dict.h"
#include "template/values/integer.h"
#include "template/values/limbs.h"
#include "template/values/methods_text.h"
#include "template/values/search.h"

#define METHOD(name) static tpl_value name(tpl *t, const tpl_method_call_args *m)

METHOD(list_index)
{
    const tpl_list *list = m->self.list;
    const size_t from = tpl_bound(t, m->at[1], list->n, 0), to = tpl_bound(t, m->at[2], list->n, list->n);
    for (size_t i = from; i < to && tpl_step(t, 1); i++)
        if (tpl_equals(t, list->items[i], m->at[0])) return tpl_int((int64_t)i);
    (void)tpl_fail(t, ASSAY_EFORMAT, "index: the list does not have the value");
    return (tpl_value){0};
}

METHOD(list_count)
{
    int64_t n = 0;
    for (size_t i = 0; i < m->self.list->n && tpl_step(t, 1); i++)
        n += tpl_equals(t, m->self.list->items[i], m->at[0]);
    return tpl_int(n);
}

METHOD(copy)
{
    (void)t;
    return m->self;
}

METHOD(get)
{
    const tpl_value *found = tpl_dict_find(t, m->self, m->at[0], true);
    return found ? *found : m->at[1].kind == TPL_MISSING ? tpl_none() : m->at[1];
}

tpl_value tpl_dict_view(tpl *t, tpl_value dict, tpl_list_kind kind)
{
    tpl_value list = tpl_list_new(t, kind);
    for (size_t i = 0; i < dict.dict->n && t->status == ASSAY_OK; i++) {
        const tpl_entry *entry = &dict.dict->entries[i];
        tpl_value item = kind == TPL_KEYS ? entry->key : entry->value;
        if (kind != TPL_KEYS && kind != TPL_VALUES) {
            item = tpl_list_new(t, TPL_TUPLE);
            tpl_list_add(t, item, entry->key);
            tpl_list_add(t, item, entry->value);
        }
        tpl_list_add(t, list, item);
    }
    return list;
}

METHOD(view)
{
    const char c = m->name[0];
    return tpl_dict_view(t, m->self, c == 'k' ? TPL_KEYS : c == 'v' ? TPL_VALUES : TPL_ITEMS);
}

METHOD(from_keys)
{
    tpl_cursor from = tpl_cursor_open(t, m->at[0]);
    tpl_value dict = tpl_dict_new(t), key;
    while (tpl_cursor_next(t, &from, &key))
        tpl_dict_set(t, dict, key, m->at[1].kind == TPL_MISSING ? tpl_none() : m->at[1]);
    return dict;
}

METHOD(bit_length)
{
    mp_limb_t one;
    const tpl_limbs limbs = tpl_limbs_of(m->self, &one);
    (void)t;
    return tpl_int((int64_t)tpl_limbs_bits(&limbs));
}

METHOD(conjugate)
{
    return m->self.kind == TPL_FLOAT ? m->self : tpl_integer_operate(t, '+', false, m->self, tpl_int(0));
}

METHOD(is_integer)
{
    (void)t;
    return tpl_bool(isfinite(m->self.real) && floor(m->self.real) == m->self.real);
}

/* Methods that change an object are none: Jinja's sandbox has an undefined value for them. */
static const tpl_method_row list_methods[] = {
    {"index", "!value start stop /", list_index}, {"count", "!value /", list_count}, {"copy", "", copy}, {0}};
static const tpl_method_row tuple_methods[] = {
    {"index", "!value start stop /", list_index}, {"count", "!value /", list_count}, {0}};
static const tpl_method_row range_methods[] = {
    {"index", "!value /", list_index}, {"count", "!value /", list_count}, {0}};
static const tpl_method_row view_methods[] = {{"isdisjoint", NULL, NULL}, {"mapping", NULL, NULL}, {0}};
static const tpl_method_row dict_methods[] = {
    {"get", "!key default /", get},
    {"keys", "", view},
    {"values", "", view},
    {"items", "", view},
    {"copy", "", copy},
    {"fromkeys", "!iterable value /", from_keys},
    {0},
};
static const tpl_method_row whole_methods[] = {
    {"bit_length", "", bit_length},
    {"conjugate", "", conjugate},
    {"bit_count", NULL, NULL},
    {"to_bytes", NULL, NULL},
    {"from_bytes", NULL, NULL},
    {"as_integer_ratio", NULL, NULL},
    {0},
};
static const tpl_method_row real_methods[] = {
    {"is_integer", "", is_integer}, {"conjugate", "", conjugate},     {"hex", NULL, NULL},
    {"fromhex", NULL, NULL},        {"as_integer_ratio", NULL, NULL}, {0},
};
static const tpl_method_row safe_methods[] = {
    {"unescape", NULL, NULL}, {"striptags", NULL, NULL}, {"escape", NULL, NULL}, {0}};

/* The row of a method; NULL: a value has no method of that name. */
static const tpl_method_row *find_row(const tpl_method_row *row, assay_text name)
{
    for (; row && row->name; row++)
        if (tpl_same_text(name, row->name)) return row;
    return NULL;
}

static const tpl_method_row *table_of(tpl_value v)
{
    if (v.kind == TPL_STRING) return tpl_text_methods;
    if (v.kind == TPL_DICT) return dict_methods;
    if (v.kind == TPL_FLOAT) return real_methods;
    if (tpl_is_integer(v)) return whole_methods;
    if (v.kind != TPL_LIST) return NULL;
    switch (v.list->kind) {
    case TPL_PLAIN: return list_methods;
    case TPL_TUPLE: return tuple_methods;
    case TPL_RANGE: return range_methods;
    case TPL_KEYS:
    case TPL_ITEMS: return view_methods;
    default: return NULL;
    }
}

static const tpl_method_row *row_of(tpl_value v, assay_text name)
{
    const tpl_method_row *row = find_row(table_of(v), name);
    return row || v.kind != TPL_STRING || !v.safe ? row : find_row(safe_methods, name);
}

bool tpl_is_unsupported_method(assay_text name)
{
    const tpl_method_row *row = find_row(tpl_text_methods, name);
    return row && !row->call;
}

tpl_value tpl_method(tpl *t, tpl_value object, assay_text name)
{
    const tpl_method_row *row = row_of(object, name);
    if (!row) return (tpl_value){0};
    if (!row->call) {
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "the method \"%s\" of a value of type %s is not supported",
                       row->name, tpl_type_name(object));
        return (tpl_value){0};
    }
    tpl_function *bound = tpl_alloc(t, 1, sizeof *bound);
    if (!bound) return (tpl_value){0};
    *bound = (tpl_function){.name = row->name, .self = object};
    return (tpl_value){.kind = TPL_FUNCTION, .function = bound};
}

/* Marks the texts of the result of a safe string's method as safe. */
static tpl_value mark_safe(tpl_value v)
{
    if (v.kind == TPL_STRING) v.safe = true;
    for (size_t i = 0; v.kind == TPL_LIST && i < v.list->n; i++) v.list->items[i].safe = true;
    return v;
}

tpl_value tpl_method_call(tpl *t, const tpl_function *bound, const tpl_arguments *args,
                          const tpl_access *access)
{
    tpl_value at[TPL_PARAMETERS_MAX];
    const assay_text name = {.at = bound->name, .n = strlen(bound->name)};
    const tpl_method_row *row = row_of(bound->self, name);
    const tpl_method_call_args m = {
        .name = bound->name, .self = bound->self, .at = at, .args = args, .access = access};
    if (row->parameters && !tpl_bind(t, name, args, row->parameters, at)) return (tpl_value){0};
    const tpl_value v = row->call(t, &m);
    return bound->self.kind == TPL_STRING && bound->self.safe ? mark_safe(v) : v;
}

tpl_value tpl_number_attribute(tpl *t, tpl_value v, assay_text name)
{
    const bool whole = tpl_is_integer(v);
    const bool itself = tpl_same_text(name, "real") || (whole && tpl_same_text(name, "numerator"));
    if (itself) return whole ? tpl_integer_operate(t, '+', false, v, tpl_int(0)) : v;
    if (tpl_same_text(name, "imag")) return whole ? tpl_int(0) : tpl_float(0);
    return whole && tpl_same_text(name, "denominator") ? tpl_int(1) : (tpl_value){0};
}
