/* The state of a sample in each layer: keys and values, or whatever else the layer's mixer continues
 * from.
 *
 * A page of keys and values holds ASSAY_PAGE positions, n * ASSAY_PAGE and on, of all key/value heads of one
 * layer. Samples that were forked from each other share pages, whichever session and thread they are in;
 * whoever writes to a shared page copies it first.
 *
 * How far the caches of a sample reach is said once, by fp_state.n_tokens: the next token's position is that
 * number, and every other position follows from it.
 *
 * A session may limit what layers without a window hold (fp_cache_limit): their caches then rotate, too, and
 * keep their first `kept` positions.
 *
 * No family asks yet for one thing that caches can do: a mixer that carries a state of fixed size, such as
 * the sums and the last inputs of a gated delta net, has a recurrent cache.
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
    FP_CACHE_ROTATING, /* the first `kept` and the last `window` positions; other pages are given back */
    FP_CACHE_SHARED,   /* none of its own: reads that of another layer */
    FP_CACHE_RECURRENT /* n_floats that each token changes */
} fp_cache_kind;

/* Of a token at position p: keys j with p - window < j <= p, and those of positions 0 … kept - 1 before them.
 * window 0: all. */
typedef struct fp_view {
    size_t window, kept;
} fp_view;

/* How one layer caches. The model has one for each of its layers, and a session with a limit its own. */
typedef struct fp_cache_spec {
    fp_cache_kind kind;
    size_t source; /* the layer whose keys are read: itself, or an earlier one */
    fp_view view;  /* what the layer sees of them */
    size_t window; /* rotating: the widest window of all layers that read it */
    size_t kept;   /* rotating: positions 0 … kept - 1 stay, and are seen behind the window, too */
    size_t n_kv_heads, head_dim;
    fp_narrow_bf16_fn *narrow; /* keys and values are bfloat16, as this makes them; NULL: they stay float */
    size_t n_floats;           /* recurrent */
} fp_cache_spec;

/* Fills in spec: [n_layers]. narrow: as in fp_cache_spec. */
void fp_cache_specs(const plan *p, fp_narrow_bf16_fn *narrow, fp_cache_spec *spec);

/* Changes specs as fp_cache_specs makes them: of layers without a window no more than `limit` positions are
 * seen and held, the first `kept` and the latest; kept < limit. The others keep to their windows. */
void fp_cache_limit(const plan *p, size_t limit, size_t kept, fp_cache_spec *spec);

/* What a token sees of keys: positions below `kept`, and those from `first` on; kept <= first. */
typedef struct fp_seen {
    size_t kept, first;
} fp_seen;

fp_seen fp_view_seen(fp_view view, size_t position);

/* What any layer that reads the cache sees of it. */
fp_seen fp_cache_seen(const fp_cache_spec *spec, size_t position);

/* Of keys: the pages 0 … n_kept - 1 of the sample, then those from first_page on; n_kept is 0 as long as none
 * between them is missing.
 * Recurrent: a page for each snapshot of the state, and last the present one. */
typedef struct fp_cache {
    fp_page **page; /* [n_pages] */
    size_t n_pages, capacity;
    size_t n_kept, first_page;
    fp_page *next; /* recurrent: what a pass writes; or NULL */
} fp_cache;

/* All layers' caches of one sample. */
typedef struct fp_state {
    size_t n_tokens;  /* positions 0 … n_tokens - 1 are in them */
    fp_cache *caches; /* [n_layers]; shared ones stay empty */
    const fp_cache_spec *spec;
    size_t n_layers;
    size_t *snapshot; /* [n_snapshots], numbers of tokens, ascending */
    size_t n_snapshots, snapshot_capacity;
} fp_state;

/* Fails with ASSAY_ENOMEM. spec is borrowed for as long as the state lives. */
assay_status fp_state_open(fp_state *s, const fp_cache_spec *spec, size_t n_layers);
void fp_state_free(fp_state *s);

/* Back to no token. */
void fp_state_reset(fp_state *s);

/* Makes room for positions n_tokens … n_tokens + n - 1, to be written with fp_state_put or
 * fp_state_recurrent. Fails with ASSAY_ENOMEM; what was cached stays. */
assay_status fp_state_reserve(fp_state *s, size_t n);

/* Writes positions position … position + n - 1 of a layer that has a cache of its own; several threads may,
 * each its own positions. key, value: [n, n_kv_heads, head_dim]. */
void fp_state_put(fp_state *s, size_t layer, size_t position, size_t n, const float *key, const float *value);

/* The state behind n_tokens tokens, to be read, and where that behind all reserved ones must be written to:
 * [n_floats] each. Until fp_state_advance the old one counts: a pass that fails has changed nothing. */
void fp_state_recurrent(const fp_state *s, size_t layer, const float **from, float **to);

/* The n positions that were reserved and written now count; pages that no later position sees are given
 * back. */
void fp_state_advance(fp_state *s, size_t n);

/* Makes n_tokens a number that a rewind can go back to in recurrent caches, too, which cannot be unwound.
 * Fails with ASSAY_ENOMEM, with nothing changed. */
assay_status fp_state_snapshot(fp_state *s);

/* Forgets position n_tokens and what follows. False, with nothing changed, where a rotating cache has already
 * given back what a token at that position would see, or a recurrent one has no snapshot there. */
bool fp_state_rewind(fp_state *s, size_t n_tokens);

/* Makes `to`, which is open and has the same specs, hold what `from` holds; pages are shared. Nobody else may
 * use either meanwhile. Fails with ASSAY_ENOMEM, `to` being empty then. */
assay_status fp_state_fork(fp_state *to, const fp_state *from);

/* Pages that a layer reads, for one key/value head, from that of position `first` on: n pointers each, as
 * assay_attention_call wants them. None of them may lie between the kept positions and the window. */
void fp_state_pages(const fp_state *s, size_t layer, size_t kv_head, size_t first, size_t n, const void **k,
                    const void **v);

#endif
