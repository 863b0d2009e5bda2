/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/cache/keys.h"

#include <string.h>

size_t fp_keys_bytes(const fp_keys *keys)
{
    if (keys->type) return keys->type->bytes(keys->head_dim) * ASSAY_PAGE;
    return keys->head_dim * ASSAY_PAGE * (keys->narrow ? sizeof(uint16_t) : sizeof(float));
}

/* Keys are transposed into columns a tile at a time: their rows are so far apart that only few fit into
 * the L1 cache together. */
enum { TILE = 16 };

/* Stores one head's keys and values of some positions of a page. k: the first position's column of
 * [head_dim, ASSAY_PAGE]; v: its row. key, value: the head at the first position; ld: stride between
 * positions. */
static void put_f32(float *k, float *v, const float *key, const float *value, size_t ld, size_t head_dim,
                    size_t n)
{
    float tile[ASSAY_PAGE][TILE];
    for (size_t d = 0; d < head_dim; d += TILE) {
        const size_t width = head_dim - d < TILE ? head_dim - d : TILE;
        for (size_t j = 0; j < n; j++) memcpy(tile[j], key + j * ld + d, width * sizeof **tile);
        for (size_t i = 0; i < width; i++)
            for (size_t j = 0; j < n; j++) k[(d + i) * ASSAY_PAGE + j] = tile[j][i];
    }
    for (size_t j = 0; j < n; j++) memcpy(v + j * head_dim, value + j * ld, head_dim * sizeof *v);
}

static void put_bf16(uint16_t *k, uint16_t *v, const float *key, const float *value, size_t ld,
                     size_t head_dim, size_t n, fp_narrow_bf16_fn *narrow)
{
    uint16_t tile[ASSAY_PAGE][TILE];
    for (size_t d = 0; d < head_dim; d += TILE) {
        const size_t width = head_dim - d < TILE ? head_dim - d : TILE;
        for (size_t j = 0; j < n; j++) narrow(tile[j], key + j * ld + d, width);
        for (size_t i = 0; i < width; i++)
            for (size_t j = 0; j < n; j++) k[(d + i) * ASSAY_PAGE + j] = tile[j][i];
    }
    for (size_t j = 0; j < n; j++) narrow(v + j * head_dim, value + j * ld, head_dim);
}

/* The same for positions `column` to column + n - 1 in a type of caches. */
static void put_typed(const fp_keys *keys, unsigned char *own, size_t column, size_t n, const float *key,
                      const float *value)
{
    const size_t d = keys->head_dim, ld = keys->n_kv_heads * d, row = keys->type->bytes(d);
    for (size_t j = 0; j < n; j++) {
        keys->type->put(own + (column + j) * row, key + j * ld, d);
        keys->type->put(own + (ASSAY_PAGE + column + j) * row, value + j * ld, d);
    }
}

void fp_keys_put(const fp_keys *keys, void *page, size_t column, size_t n, const float *key,
                 const float *value)
{
    const size_t d = keys->head_dim, ld = keys->n_kv_heads * d, bytes = fp_keys_bytes(keys);
    for (size_t h = 0; h < keys->n_kv_heads; h++) {
        unsigned char *own = (unsigned char *)page + 2 * h * bytes;
        void *k = own, *v = own + bytes;
        if (keys->type) put_typed(keys, own, column, n, key + h * d, value + h * d);
        else if (keys->narrow)
            put_bf16((uint16_t *)k + column, (uint16_t *)v + column * d, key + h * d, value + h * d, ld, d, n,
                     keys->narrow);
        else put_f32((float *)k + column, (float *)v + column * d, key + h * d, value + h * d, ld, d, n);
    }
}

void fp_keys_widen(const fp_widening *w)
{
    const fp_cache_type *type = w->keys->type;
    const size_t d = w->keys->head_dim, row = type->bytes(d);
    for (size_t j = 0; j < ASSAY_PAGE; j++) {
        const unsigned char *from = (const unsigned char *)w->pages[w->i] + j * row;
        if (w->is_values) type->take(w->out + j * d, 1, from, d);
        else type->take(w->out + j, ASSAY_PAGE, from, d);
    }
}
