/* What each layer's cache holds, and to which keys the layer attends.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_CACHE_CACHE_SPEC_H
#define FASTPATH_CACHE_CACHE_SPEC_H

#include <stdbool.h>

#include "fastpath/cache/cache_type.h"
#include "fastpath/kernels/attention/attention.h"
#include "fastpath/kernels/narrow/narrow.h"
#include "model/plan/plan.h"

typedef enum fp_cache_kind {
    FP_CACHE_FULL,      /* every position */
    FP_CACHE_ROTATING,  /* the attention sink tokens and the last `window` positions; other pages are freed */
    FP_CACHE_SHARED,    /* no cache of its own: reads that of another layer */
    FP_CACHE_RECURRENT, /* n_floats numbers, updated by each token */
    FP_CACHE_NONE       /* the layer attends to images: fp_cross_keys */
} fp_cache_kind;

/* The earliest keys that a token at position p attends to: positions j with p - window < j, and the attention
 * sink tokens, j < sink_tokens. window 0: all positions. The mask of the layer says which key is the last. */
typedef struct fp_view {
    size_t window, sink_tokens;
} fp_view;

/* The kind of cache of one layer. The model has one for each of its layers; a session with a limit has
 * its own. */
typedef struct fp_cache_spec {
    fp_cache_kind kind;
    size_t source;      /* the layer whose keys are read: itself, or an earlier one */
    fp_view view;       /* the keys that the layer attends to */
    size_t window;      /* rotating: the widest window of all layers that read the cache */
    size_t sink_tokens; /* rotating: number of attention sink tokens: positions 0 … sink_tokens - 1 stay, and
                    are attended to as well */
    size_t n_kv_heads, head_dim;
    fp_narrow_bf16_fn *narrow; /* converts keys and values to bfloat16; NULL: they stay float */
    const fp_cache_type *type; /* in which they are cached instead; or NULL */
    size_t n_floats;           /* recurrent */
} fp_cache_spec;

/* Fills in spec: [n_layers]. narrow: as in fp_cache_spec. */
void fp_cache_specs(const plan *p, fp_narrow_bf16_fn *narrow, fp_cache_spec *spec);

/* Has the caches of positions keep keys and values in a type. Fails with ASSAY_EUNSUPPORTED if its blocks do
 * not divide the heads of a layer. */
assay_status fp_cache_narrow(const plan *p, const fp_cache_type *type, fp_cache_spec *spec, assay_error *err);

/* Limits specs from fp_cache_specs: layers without a window hold and attend to at most `limit`
 * positions, the first `sink_tokens` and the latest; sink_tokens < limit. Layers with a window are unchanged.
 */
void fp_cache_limit(const plan *p, size_t limit, size_t sink_tokens, fp_cache_spec *spec);

/* The keys that a token attends to: positions below `sink_tokens`, and from `first` to the last that the mask
 * of the layer allows; sink_tokens <= first. */
typedef struct fp_key_range {
    size_t sink_tokens, first;
} fp_key_range;

fp_key_range fp_view_key_range(fp_view view, size_t position);

/* The union of the keys that the layers reading the cache attend to from a position. */
fp_key_range fp_cache_key_range(const fp_cache_spec *spec, size_t position);

#endif
