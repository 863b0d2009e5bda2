/* What a sample leaves behind in each layer: keys and values in pages.
 *
 * A page holds ASSAY_PAGE positions, n * ASSAY_PAGE and on, of all key/value heads of one layer. Samples that
 * were forked from each other share pages; whoever writes to a shared page copies it first.
 *
 * How far the caches of a sample reach is said once, by fp_state.n_tokens: the next token's position is that
 * number, and every other position follows from it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_CACHE_H
#define FASTPATH_CACHE_H

#include "fastpath/kernels/attention.h"
#include "model/plan.h"

typedef enum fp_cache_kind {
    FP_CACHE_FULL,     /* every position */
    FP_CACHE_ROTATING, /* the last `window` positions; pages that have left it are given back */
    FP_CACHE_SHARED    /* none of its own: reads that of another layer */
} fp_cache_kind;

/* How one layer caches. The model has one for each of its layers. */
typedef struct fp_cache_spec {
    fp_cache_kind kind;
    size_t source; /* the layer whose keys are read: itself, or an earlier one */
    size_t window; /* rotating: the widest window of all layers that read it */
    size_t n_kv_heads, head_dim;
} fp_cache_spec;

/* Fills in spec: [n_layers]. */
void fp_cache_specs(const plan *p, fp_cache_spec *spec);

typedef struct fp_page fp_page;

typedef struct fp_cache {
    fp_page **page; /* [n_pages], of positions (first_page + i) * ASSAY_PAGE and on */
    size_t n_pages, capacity;
    size_t first_page;
} fp_cache;

/* All layers' caches of one sample. */
typedef struct fp_state {
    size_t n_tokens;  /* positions 0 … n_tokens - 1 are in them */
    fp_cache *caches; /* [n_layers]; shared ones stay empty */
    const fp_cache_spec *spec;
    size_t n_layers;
} fp_state;

/* Fails with ASSAY_ENOMEM. spec is borrowed for as long as the state lives. */
assay_status fp_state_open(fp_state *s, const fp_cache_spec *spec, size_t n_layers);
void fp_state_free(fp_state *s);

/* Back to no token. */
void fp_state_reset(fp_state *s);

/* Makes room for positions n_tokens … n_tokens + n - 1, to be written with fp_state_put. Fails with
 * ASSAY_ENOMEM; what was cached stays. */
assay_status fp_state_reserve(fp_state *s, size_t n);

/* Writes one position of a layer that has a cache of its own. key, value: [n_kv_heads, head_dim]. */
void fp_state_put(fp_state *s, size_t layer, size_t position, const float *key, const float *value);

/* The n positions that were reserved and written now count; pages that no later position sees are given
 * back. */
void fp_state_advance(fp_state *s, size_t n);

/* Forgets position n_tokens and what follows. False, with nothing changed, where a rotating cache has already
 * given back what a token at that position would see. */
bool fp_state_rewind(fp_state *s, size_t n_tokens);

/* Makes `to`, which is open and of the same layers, hold what `from` holds; pages are shared. Fails with
 * ASSAY_ENOMEM, `to` being empty then. */
assay_status fp_state_fork(fp_state *to, const fp_state *from);

/* Pages that a layer reads, for one key/value head, from that of position `first` on: n pointers each, as
 * assay_attention_call wants them. */
void fp_state_pages(const fp_state *s, size_t layer, size_t kv_head, size_t first, size_t n, const void **k,
                    const void **v);

#endif
