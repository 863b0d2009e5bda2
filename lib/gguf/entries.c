/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/entries.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MAX        65535           /* the format's own limit */
#define ENTRY_SIZE_MIN (8 + 1 + 4 + 1) /* a key of one byte and a value of one */
#define TEXT_SIZE_MIN  8

static assay_status read_kind(gguf_cursor *c, const char *what, gguf_kind *out)
{
    uint32_t kind;
    const assay_status rc = gguf_cursor_u32(c, what, &kind);
    if (rc != ASSAY_OK) return rc;
    if (kind >= GGUF_N_KINDS)
        return gguf_cursor_fail(c, ASSAY_EFORMAT, "found %s %" PRIu32 ", expected 0 to %d", what, kind,
                                GGUF_N_KINDS - 1);
    *out = (gguf_kind)kind;
    return ASSAY_OK;
}

static assay_status read_array(gguf_cursor *c, gguf_value *v)
{
    uint64_t count;
    assay_status rc = read_kind(c, "element type", &v->kind);
    if (rc == ASSAY_OK && v->kind == GGUF_ARRAY)
        rc = gguf_cursor_fail(c, ASSAY_EUNSUPPORTED,
                              "found an array of arrays, expected an array of numbers, bools or strings");
    if (rc == ASSAY_OK) rc = gguf_cursor_u64(c, "number of elements", &count);
    if (rc != ASSAY_OK) return rc;
    const size_t size = gguf_kind_size(v->kind) > 0 ? gguf_kind_size(v->kind) : TEXT_SIZE_MIN;
    if (count > (c->n - c->at) / size)
        return gguf_cursor_fail(c, ASSAY_EFORMAT,
                                "found %" PRIu64
                                " elements of type %s, expected at most the %zu that fit into "
                                "the %zu bytes that are left",
                                count, gguf_kind_name(v->kind), (c->n - c->at) / size, c->n - c->at);
    v->count = (size_t)count;
    return ASSAY_OK;
}

static assay_status check_bools(const gguf_cursor *c, const gguf_value *v)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->data[i] > 1)
            return gguf_cursor_fail(c, ASSAY_EFORMAT, "element %zu: found bool %u, expected 0 or 1", i,
                                    (unsigned)v->data[i]);
    return ASSAY_OK;
}

static assay_status read_value(gguf_cursor *c, gguf_value *v)
{
    assay_status rc = read_kind(c, "type", &v->kind);
    v->is_array = rc == ASSAY_OK && v->kind == GGUF_ARRAY;
    v->count = 1;
    if (v->is_array) rc = read_array(c, v);
    if (rc != ASSAY_OK) return rc;
    v->data = c->bytes + c->at;
    if (v->kind != GGUF_TEXT) rc = gguf_cursor_skip(c, "value", v->count, gguf_kind_size(v->kind));
    assay_text text;
    if (v->kind == GGUF_TEXT)
        for (size_t i = 0; i < v->count && rc == ASSAY_OK; i++) rc = gguf_cursor_text(c, "string", &text);
    return rc == ASSAY_OK && v->kind == GGUF_BOOL ? check_bools(c, v) : rc;
}

static assay_status read_entry(gguf_cursor *c, gguf_entry *e)
{
    *e = (gguf_entry){0};
    gguf_cursor_set_place(c, NULL, (assay_text){0});
    assay_status rc = gguf_cursor_name(c, "key", KEY_MAX, &e->key);
    if (rc != ASSAY_OK) return rc;
    gguf_cursor_set_place(c, "key", e->key);
    rc = read_value(c, &e->value);
    gguf_cursor_set_place(c, NULL, (assay_text){0});
    return rc;
}

static int by_key(const void *a, const void *b)
{
    const assay_text x = ((const gguf_entry *)a)->key, y = ((const gguf_entry *)b)->key;
    const int order = memcmp(x.at, y.at, x.n < y.n ? x.n : y.n);
    return order != 0 ? order : (x.n > y.n) - (x.n < y.n);
}

static assay_status check_unique(gguf_cursor *c, const gguf_entries *e)
{
    for (size_t i = 1; i < e->n; i++) {
        if (by_key(&e->list[i - 1], &e->list[i]) != 0) continue;
        gguf_cursor_set_place(c, "key", e->list[i].key);
        return gguf_cursor_fail(c, ASSAY_EFORMAT, "found twice, expected once");
    }
    return ASSAY_OK;
}

assay_status gguf_entries_read(gguf_cursor *c, uint64_t n, gguf_entries *out)
{
    if (n > (c->n - c->at) / ENTRY_SIZE_MIN)
        return gguf_cursor_fail(c, ASSAY_EFORMAT,
                                "found %" PRIu64 " keys, expected at most the %zu that fit into the file", n,
                                (c->n - c->at) / ENTRY_SIZE_MIN);
    for (uint64_t i = 0; i < n; i++) {
        gguf_entry *grown = grow_by_one(out->list, out->n, sizeof *grown);
        if (!grown) return gguf_cursor_fail(c, ASSAY_ENOMEM, "out of memory");
        out->list = grown;
        const assay_status rc = read_entry(c, &grown[out->n]);
        if (rc != ASSAY_OK) return rc;
        out->n++;
    }
    if (out->n > 1) qsort(out->list, out->n, sizeof *out->list, by_key);
    return check_unique(c, out);
}

void gguf_entries_free(gguf_entries *e)
{
    free(e->list);
}

const gguf_value *gguf_entries_get(const gguf_entries *e, const char *key)
{
    const gguf_entry wanted = {.key = {key, strlen(key)}};
    if (e->n == 0) return NULL;
    const gguf_entry *found = bsearch(&wanted, e->list, e->n, sizeof *e->list, by_key);
    return found ? &found->value : NULL;
}
