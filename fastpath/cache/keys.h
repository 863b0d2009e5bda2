/* Keys and values in a page, in the layout of the attention kernels.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_CACHE_KEYS_H
#define FASTPATH_CACHE_KEYS_H

#include <stdbool.h>

#include "fastpath/cache/cache_type.h"
#include "fastpath/kernels/attention/attention.h"
#include "fastpath/kernels/narrow/narrow.h"

/* A page holds ASSAY_PAGE positions of all key/value heads, one head after the other: its keys, [head_dim,
 * ASSAY_PAGE], then its values, [ASSAY_PAGE, head_dim]. In a type of caches both are [ASSAY_PAGE] of what the
 * type makes of a head. */
typedef struct fp_keys {
    size_t n_kv_heads, head_dim;
    fp_narrow_bf16_fn *narrow; /* converts keys and values to bfloat16; NULL: they stay float */
    const fp_cache_type *type; /* or NULL; with it, narrow is NULL */
} fp_keys;

/* The size in bytes of one head's keys in a page; its values have the same size. */
size_t fp_keys_bytes(const fp_keys *keys);

/* Stores n positions from `column` on. Threads may store different positions of a page at the same time.
 * page: aligned to ASSAY_ALIGNMENT. key, value: [n, n_kv_heads, head_dim]. */
void fp_keys_put(const fp_keys *keys, void *page, size_t column, size_t n, const float *key,
                 const float *value);

/* A page of a head's keys, or of its values, to be had as the attention kernels take it, in float32. pages:
 * those of the head, in a type of caches, of which it is page i. out: [head_dim, ASSAY_PAGE], or [ASSAY_PAGE,
 * head_dim] of values. */
typedef struct fp_widening {
    const fp_keys *keys;
    const void *const *pages;
    size_t i;
    bool is_values;
    float *out;
} fp_widening;

void fp_keys_widen(const fp_widening *w);

#endif
