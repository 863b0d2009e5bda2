/* The state of a sample in each layer: keys and values, or the recurrent state of the layer's mixer.
 *
 * Page n of a layer holds the keys and values of positions n * ASSAY_PAGE … n * ASSAY_PAGE + ASSAY_PAGE
 * - 1, of all key/value heads. Forks of a sample share pages, also across sessions and threads; a
 * shared page is copied before a write (copy on write).
 *
 * fp_state.n_tokens is the only counter of a sample's caches: it is the position of the next token, and
 * every other position is derived from it.
 *
 * A session may limit the capacity of layers without a window (fp_cache_limit): their caches then
 * rotate, too, and keep the attention sink tokens, positions 0 … sink_tokens - 1.
 *
 * Recurrent caches have no user yet: they are for mixers with a state of fixed size, such as the sums
 * and the last inputs of a gated delta net.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_CACHE_H
#define FASTPATH_CACHE_H

#include "fastpath/kernels/attention/attention.h"
#include "fastpath/kernels/narrow/narrow.h"
#include "fastpath/page.h"
#include "model/plan/plan.h"

typedef enum fp_cache_kind {
    FP_CACHE_FULL,     /* every position */
    FP_CACHE_ROTATING, /* the attention sink tokens and the last `window` positions; other pages are freed */
    FP_CACHE_SHARED,   /* no cache of its own: reads that of another layer */
    FP_CACHE_RECURRENT /* n_floats numbers, updated by each token */
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
    size_t n_floats;           /* recurrent */
} fp_cache_spec;

/* Fills in spec: [n_layers]. narrow: as in fp_cache_spec. */
void fp_cache_specs(const plan *p, fp_narrow_bf16_fn *narrow, fp_cache_spec *spec);

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

/* Keys and values: pages 0 … n_sink_pages - 1 of the sample, then pages from first_page on; n_sink_pages is 0
 * as long as no page between them has been freed. Recurrent: one page for each snapshot of the state, then
 * one for the current state. */
typedef struct fp_cache {
    fp_page **page; /* [n_pages] */
    size_t n_pages, capacity;
    size_t n_sink_pages, first_page;
    fp_page *next; /* recurrent: the state that the current pass writes, or NULL */
} fp_cache;

/* All layers' caches of one sample. */
typedef struct fp_state {
    size_t n_tokens;  /* positions 0 … n_tokens - 1 are cached */
    fp_cache *caches; /* [n_layers]; shared ones stay empty */
    const fp_cache_spec *spec;
    size_t n_layers;
    size_t *snapshot; /* [n_snapshots], token counts at which snapshots were taken, ascending */
    size_t n_snapshots, snapshot_capacity;
} fp_state;

/* Fails with ASSAY_ENOMEM. spec is borrowed for as long as the state lives. */
assay_status fp_state_open(fp_state *s, const fp_cache_spec *spec, size_t n_layers);
void fp_state_free(fp_state *s);

/* Empties the caches. */
void fp_state_reset(fp_state *s);

/* Allocates positions n_tokens … n_tokens + n - 1, to be written with fp_state_put or
 * fp_state_recurrent. Fails with ASSAY_ENOMEM; cached positions are unchanged. */
assay_status fp_state_reserve(fp_state *s, size_t n);

/* Writes positions position … position + n - 1 of a layer with a cache of its own. Threads may write
 * different positions at the same time. key, value: [n, n_kv_heads, head_dim]. */
void fp_state_put(fp_state *s, size_t layer, size_t position, size_t n, const float *key, const float *value);

/* *from: the state after n_tokens tokens, to be read; *to: receives the state after all reserved
 * tokens; [n_floats] each. The old state stays current until fp_state_advance, so a failed pass changes
 * nothing. */
void fp_state_recurrent(const fp_state *s, size_t layer, const float **from, float **to);

/* Appends the n positions that were reserved and written; frees pages to which no later position
 * attends. */
void fp_state_advance(fp_state *s, size_t n);

/* Takes a snapshot of the recurrent caches, so that fp_state_rewind can return to the current n_tokens.
 * Fails with ASSAY_ENOMEM; the state is unchanged then. */
assay_status fp_state_snapshot(fp_state *s);

/* Drops cached positions >= n_tokens. False, and the state is unchanged, if a rotating cache no longer
 * holds the positions that a token at n_tokens attends to, or if a recurrent cache has no snapshot
 * there. */
bool fp_state_rewind(fp_state *s, size_t n_tokens);

/* Copies the contents of `from` to `to`, which is open with the same specs; pages are shared. No other
 * thread may use either during the call. Fails with ASSAY_ENOMEM; `to` is empty then. */
assay_status fp_state_fork(fp_state *to, const fp_state *from);

/* Gets the n pages that a layer reads for one key/value head, from the page of position `first` on, in
 * the form of assay_attention_call. None may lie between the attention sink tokens and the window. */
void fp_state_pages(const fp_state *s, size_t layer, size_t kv_head, size_t first, size_t n, const void **k,
                    const void **v);

#endif
