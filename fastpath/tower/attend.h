/* Attention of a tower's layer: every patch attends to all patches of its segment.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_ATTEND_H
#define FASTPATH_TOWER_ATTEND_H

#include "fastpath/cache/keys.h"
#include "fastpath/tower/pass.h"

/* The keys and values of a layer. */
typedef struct fp_tower_keys {
    fp_keys shape;
    const fp_segments *segments;
    unsigned char *pages; /* [n_pages, page_bytes] */
    size_t page_bytes;
    const void **k, **v; /* [n_kv_heads, n_pages] */
} fp_tower_keys;

/* Allocates the keys and values of layer i from the scratch. Fails with ASSAY_ENOMEM. */
assay_status fp_tower_keys_alloc(fp_tower_pass *v, size_t i, fp_tower_keys *keys);

/* Computes the keys and values of `n` rows from `first` on. x: [n, D], the normalised input. */
assay_status fp_tower_keys_put(fp_tower_pass *v, size_t i, fp_tower_keys *keys, size_t first, size_t n,
                               const float *x);

/* Computes attention of `n` rows from `first` on, once all keys of their segments are there. x, y: [n, D]. */
assay_status fp_tower_attend(fp_tower_pass *v, size_t i, const fp_tower_keys *keys, size_t first, size_t n,
                             const float *x, float *y);

#endif
