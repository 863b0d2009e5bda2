/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "template/values/dict.h"
#include "template/values/literal.h"
#include "template/values/text.h"

typedef struct dump {
    tpl_builder b;
    const tpl_dump *how;
    size_t level;
} dump;

static void dump_value(dump *d, tpl_value v);

static void dump_string(dump *d, assay_text text)
{
    static const char names[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    char escape[16];
    uint32_t c;
    size_t n;
    tpl_add_string(&d->b, "\"");
    for (size_t at = 0; at < text.n && tpl_step(d->b.t, 1); at += n) {
        n = utf8_decode(text.at + at, text.n - at, &c, NULL);
        const char *name = c > 0 && c < 0x80 ? strchr(names, (int)c) : NULL;
        if (name) (void)snprintf(escape, sizeof escape, "\\%c", letters[name - names]);
        else if (c < 0x20 || (d->how->ensure_ascii && c >= 0x7f && c < 0x10000))
            (void)snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
        else if (d->how->ensure_ascii && c >= 0x10000)
            (void)snprintf(escape, sizeof escape, "\\u%04x\\u%04x",
                           (unsigned)(0xd800 + ((c - 0x10000) >> 10)),
                           (unsigned)(0xdc00 + ((c - 0x10000) & 0x3ff)));
        else {
            tpl_add(&d->b, text.at + at, n);
            continue;
        }
        tpl_add_string(&d->b, escape);
    }
    tpl_add_string(&d->b, "\"");
}

/* A new line of the current level, if the text is indented. */
static void dump_line(dump *d)
{
    if (!d->how->indent.at) return;
    tpl_add_string(&d->b, "\n");
    tpl_add_repeated(&d->b, d->how->indent, d->level);
}

static void dump_separator(dump *d, size_t i)
{
    if (i > 0) tpl_add(&d->b, d->how->item_separator.at, d->how->item_separator.n);
    dump_line(d);
}

/* A scalar as json.dumps writes it; false if it is none. */
static bool dump_scalar(dump *d, tpl_value v)
{
    if (v.kind == TPL_NONE) tpl_add_string(&d->b, "null");
    else if (v.kind == TPL_BOOL) tpl_add_string(&d->b, v.truth ? "true" : "false");
    else if (v.kind == TPL_FLOAT && isnan(v.real)) tpl_add_string(&d->b, "NaN");
    else if (v.kind == TPL_FLOAT && isinf(v.real))
        tpl_add_string(&d->b, v.real < 0 ? "-Infinity" : "Infinity");
    else if (tpl_is_number(v)) tpl_add_repr(&d->b, v);
    else return false;
    return true;
}

static void dump_key(dump *d, tpl_value key)
{
    tpl_value text = key;
    if (key.kind != TPL_STRING) {
        dump scalar = {.b = {.t = d->b.t}, .how = d->how};
        if (!dump_scalar(&scalar, key)) (void)tpl_fail_type(d->b.t, key, "tojson of a key");
        text = tpl_built(&scalar.b);
    }
    dump_string(d, text.text);
}

static void sort_entries(tpl *t, tpl_entry *entries, tpl_entry *other, size_t n)
{
    const size_t half = n / 2;
    if (n < 2 || t->status != ASSAY_OK) return;
    sort_entries(t, entries, other, half);
    sort_entries(t, entries + half, other, n - half);
    memcpy(other, entries, n * sizeof *entries);
    for (size_t i = 0, a = 0, b = half; i < n; i++) {
        const bool first = b == n || (a < half && tpl_compare(t, other[b].key, other[a].key, "tojson") >= 0);
        entries[i] = other[first ? a++ : b++];
    }
}

static void dump_dict(dump *d, const tpl_dict *dict)
{
    const tpl_entry *entries = dict->entries;
    if (d->how->sort_keys && dict->n > 1) {
        tpl_entry *sorted = tpl_alloc(d->b.t, dict->n, 2 * sizeof *sorted);
        if (!sorted) return;
        memcpy(sorted, entries, dict->n * sizeof *sorted);
        sort_entries(d->b.t, sorted, sorted + dict->n, dict->n);
        entries = sorted;
    }
    tpl_add_string(&d->b, "{");
    d->level++;
    for (size_t i = 0; i < dict->n && tpl_step(d->b.t, 1); i++) {
        dump_separator(d, i);
        dump_key(d, entries[i].key);
        tpl_add(&d->b, d->how->key_separator.at, d->how->key_separator.n);
        dump_value(d, entries[i].value);
    }
    d->level--;
    if (dict->n > 0) dump_line(d);
    tpl_add_string(&d->b, "}");
}

static void dump_list(dump *d, const tpl_list *list)
{
    tpl_add_string(&d->b, "[");
    d->level++;
    for (size_t i = 0; i < list->n && tpl_step(d->b.t, 1); i++) {
        dump_separator(d, i);
        dump_value(d, list->items[i]);
    }
    d->level--;
    if (list->n > 0) dump_line(d);
    tpl_add_string(&d->b, "]");
}

static void dump_value(dump *d, tpl_value v)
{
    if (!tpl_enter(d->b.t) || dump_scalar(d, v)) {
        tpl_leave(d->b.t);
        return;
    }
    if (v.kind == TPL_STRING) dump_string(d, v.text);
    else if (v.kind == TPL_DICT) dump_dict(d, v.dict);
    else if (v.kind == TPL_LIST && v.list->kind <= TPL_TUPLE) dump_list(d, v.list);
    else (void)tpl_fail_type(d->b.t, v, "tojson");
    tpl_leave(d->b.t);
}

tpl_value tpl_to_json(tpl *t, tpl_value v, const tpl_dump *how)
{
    dump d = {.b = {.t = t}, .how = how};
    dump_value(&d, v);
    return tpl_built(&d.b);
}

static tpl_value copy_string(tpl *t, const char *at, size_t n)
{
    char *copy = tpl_alloc(t, n + 1, 1);
    if (!copy) return (tpl_value){0};
    memcpy(copy, at, n);
    return tpl_text(copy, n);
}

static tpl_value read_number(tpl *t, json_object *document)
{
    size_t n;
    double real;
    tpl_value whole;
    const char *at = json_object_to_json_string_length(document, JSON_C_TO_STRING_PLAIN, &n);
    const assay_text text = {.at = at ? at : "", .n = at ? n : 0};
    if (strcspn(text.at, ".eE") == text.n && tpl_parse_int(t, text, 10, &whole)) return whole;
    if (!tpl_parse_float(t, text, &real)) (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "a number is not supported");
    return tpl_float(real);
}

tpl_value tpl_from_json(tpl *t, json_object *document)
{
    tpl_value v = tpl_none();
    const json_type type = json_object_get_type(document);
    if (!tpl_enter(t)) v = (tpl_value){0};
    else if (type == json_type_boolean) v = tpl_bool(json_object_get_boolean(document));
    else if (type == json_type_int || type == json_type_double) v = read_number(t, document);
    else if (type == json_type_string)
        v = copy_string(t, json_object_get_string(document), (size_t)json_object_get_string_len(document));
    else if (type == json_type_array) {
        v = tpl_list_new(t, TPL_PLAIN);
        for (size_t i = 0; i < json_object_array_length(document) && t->status == ASSAY_OK; i++)
            tpl_list_add(t, v, tpl_from_json(t, json_object_array_get_idx(document, i)));
    } else if (type == json_type_object) {
        v = tpl_dict_new(t);
        json_object_object_foreach(document, name, value)
        {
            tpl_dict_set(t, v, copy_string(t, name, strlen(name)), tpl_from_json(t, value));
        }
    }
    tpl_leave(t);
    return v;
}
