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
 * A recurrent cache holds a state of fixed size: of a gated delta net, the sums of each value head,
 * [n_v_heads, k_dim, v_dim], and the latest inputs of the convolution, [kernel - 1, channels], the oldest
 * first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_CACHE_CACHE_H
#define FASTPATH_CACHE_CACHE_H

#include "fastpath/cache/cache_spec.h"
#include "fastpath/cache/page.h"

/* Keys and values: pages 0 … n_sink_pages - 1 of the sample, then pages from first_page on; n_sink_pages is 0
 * as long as no page between them has been freed. Recurrent: one page for each snapshot of the state, then
 * one for the current state. */
typedef struct fp_cache {
    fp_page **page; /* [n_pages] */
    size_t n_pages, capacity;
    size_t n_sink_pages, first_page;
    fp_page *next; /* recurrent: the state that the current pass writes, or NULL */
} fp_cache;

/* A snapshot holds the recurrent states of all layers. */
#define FP_SNAPSHOTS_MAX ((size_t)4)

/* All layers' caches of one sample. */
typedef struct fp_state {
    size_t n_tokens;  /* positions 0 … n_tokens - 1 are cached */
    fp_cache *caches; /* [n_layers]; shared ones stay empty */
    const fp_cache_spec *spec;
    size_t n_layers;
    bool has_recurrent;
    size_t snapshot[FP_SNAPSHOTS_MAX]; /* [n_snapshots], token counts of the snapshots, ascending */
    size_t n_snapshots;
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

/* Takes a snapshot of the recurrent caches, if there are any, so that fp_state_rewind can return to the
 * current n_tokens; its pages are shared, not copied. Of more than FP_SNAPSHOTS_MAX snapshots, the one whose
 * loss costs a later rewind least is dropped: older ones are further apart. Fails with ASSAY_ENOMEM; the
 * state is unchanged then. */
assay_status fp_state_snapshot(fp_state *s);

/* Drops cached positions >= n_tokens; with recurrent caches, those after the latest snapshot at or before
 * n_tokens, or all if there is none. False, and the state is unchanged, if a rotating cache no longer holds
 * the positions that a token there attends to. */
bool fp_state_rewind(fp_state *s, size_t n_tokens);

/* Copies the contents of `from` to `to`, which is open with the same specs; pages are shared. No other
 * thread may use either during the call. Fails with ASSAY_ENOMEM; `to` is empty then. */
assay_status fp_state_fork(fp_state *to, const fp_state *from);

/* Gets the n pages that a layer reads for one key/value head, from the page of position `first` on, in
 * the form of assay_attention_call. None may lie between the attention sink tokens and the window. */
void fp_state_pages(const fp_state *s, size_t layer, size_t kv_head, size_t first, size_t n, const void **k,
                    const void **v);

#endif
