/* Faults of what is cached: something is overwritten that will still be read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "conformance/faults/fault.h"

/* Keys and values of zeros in place of those that a layer has cached of a position. */
static void forget(fp_state *s, size_t layer, size_t position)
{
    const fp_cache_spec *spec = &s->spec[layer];
    float *zeros = calloc(spec->n_kv_heads * spec->head_dim, sizeof *zeros);
    if (!zeros) abort();
    fp_state_put(s, layer, position, 1, zeros, zeros);
    free(zeros);
}

/* A ring of window - 1 places; in decode, since a prefill writes all of its rows before it reads any. */
void fault_rotating_early(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                          const float *value)
{
    const fp_cache_spec *spec = &s->spec[layer];
    if (spec->kind != FP_CACHE_ROTATING || spec->window < 2 || position != s->n_tokens || n > 1) return;
    if (position + 1 >= spec->window) fp_state_put(s, layer, position + 1 - spec->window, 1, key, value);
}

/* The ring takes the place of what was to stay. */
void fault_kept_dropped(size_t *limit, size_t *kept)
{
    *limit -= *kept;
    *kept = 0;
}

/* Each turn of the ring begins one place too early, with the last that is kept. */
void fault_kept_overwritten(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                            const float *value)
{
    const fp_cache_spec *spec = &s->spec[layer];
    if (spec->kept == 0 || position < spec->kept + spec->window || position != s->n_tokens || n > 1) return;
    if ((position - spec->kept) % spec->window == 0) fp_state_put(s, layer, spec->kept - 1, 1, key, value);
}

/* Whoever is given the page writes to it; all that was still to be read is one position. */
void fault_page_early(fp_state *s)
{
    for (size_t i = 0; i < s->n_layers; i++) {
        if (s->spec[i].kind != FP_CACHE_ROTATING) continue;
        size_t oldest = fp_cache_seen(&s->spec[i], s->n_tokens).first;
        if ((oldest + 1) % ASSAY_PAGE == 0) forget(s, i, oldest);
    }
}

/* In prefill, too: a cache is given all rows before any of them attends. */
void fault_page_first(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                      const float *value)
{
    size_t width = s->spec[layer].n_kv_heads * s->spec[layer].head_dim;
    for (size_t i = 0; i < n; i++)
        if (position + i > 0 && (position + i) % ASSAY_PAGE == 0)
            fp_state_put(s, layer, position + i - 1, 1, key + i * width, value + i * width);
}

/* Of the keys that the rows of a run see, those that the last one does not see. */
void fault_shared_trimmed(fp_pass *pass, size_t i)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    if (a->cache_layer == i || !a->window) return;
    for (size_t j = 0; j < pass->n_runs; j++) {
        const fp_run *run = &pass->runs[j];
        size_t next = fp_run_position(run, run->first_row + run->n_rows);
        size_t at = fp_cache_seen(&run->state->spec[a->cache_layer], run->state->n_tokens).first;
        for (; at + a->window < next; at++) forget(run->state, a->cache_layer, at);
    }
}
