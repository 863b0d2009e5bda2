/* Faults of caches: data that is still to be read is overwritten.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/faults/fault.h"

/* Overwrites the cached keys and values of a position in a layer with zeros. */
static void zero_position(fp_state *s, size_t layer, size_t position)
{
    const fp_cache_spec *spec = &s->spec[layer];
    float *zeros = calloc(spec->n_kv_heads * spec->head_dim, sizeof *zeros);
    if (!zeros) abort();
    fp_state_put(s, layer, position, 1, zeros, zeros);
    free(zeros);
}

/* x [n], each rounded to the nearest bfloat16. */
static float *round_to_bf16(const float *x, size_t n)
{
    double *wide = calloc(n, sizeof *wide);
    uint16_t *narrow = calloc(n, sizeof *narrow);
    float *rounded = calloc(n, sizeof *rounded);
    if (!wide || !narrow || !rounded) abort();
    dtype_to_f64(wide, x, ASSAY_F32, n);
    dtype_from_f64(narrow, wide, ASSAY_BF16, n);
    dtype_to_f32(rounded, narrow, ASSAY_BF16, n);
    free(wide);
    free(narrow);
    return rounded;
}

void fault_cache_bf16(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                      const float *value)
{
    static _Thread_local bool rounding; /* fp_state_put calls this function, too */
    const fp_cache_spec *spec = &s->spec[layer];
    if (rounding) return;
    rounding = true;
    float *keys = round_to_bf16(key, n * spec->n_kv_heads * spec->head_dim);
    float *values = round_to_bf16(value, n * spec->n_kv_heads * spec->head_dim);
    fp_state_put(s, layer, position, n, keys, values);
    rounding = false;
    free(keys);
    free(values);
}

/* Makes the ring one position too short: window - 1. In decode only, since a prefill writes all rows
 * before it reads. */
void fault_rotating_early(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                          const float *value)
{
    const fp_cache_spec *spec = &s->spec[layer];
    if (spec->kind != FP_CACHE_ROTATING || spec->window < 2 || position != s->n_tokens || n > 1) return;
    if (position + 1 >= spec->window) fp_state_put(s, layer, position + 1 - spec->window, 1, key, value);
}

/* Leaves the ring only, without the attention sink tokens. */
void fault_sinks_dropped(size_t *limit, size_t *sink_tokens)
{
    *limit -= *sink_tokens;
    *sink_tokens = 0;
}

/* Each turn of the ring begins one position too early, at the last attention sink token. */
void fault_sinks_overwritten(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                             const float *value)
{
    const fp_cache_spec *spec = &s->spec[layer];
    if (spec->sink_tokens == 0 || position < spec->sink_tokens + spec->window || position != s->n_tokens ||
        n > 1)
        return;
    if ((position - spec->sink_tokens) % spec->window == 0)
        fp_state_put(s, layer, spec->sink_tokens - 1, 1, key, value);
}

/* Simulates a page that is freed one position too early, and overwritten by its next user: only one of
 * its positions is still to be read. */
void fault_page_early(fp_state *s)
{
    for (size_t i = 0; i < s->n_layers; i++) {
        if (s->spec[i].kind != FP_CACHE_ROTATING) continue;
        size_t oldest = fp_cache_key_range(&s->spec[i], s->n_tokens).first;
        if ((oldest + 1) % ASSAY_PAGE == 0) zero_position(s, i, oldest);
    }
}

/* A position that is a multiple of `page` overwrites the one before it. Applies to prefill as well: all rows
 * are cached before the first attends. */
static void overwrite_before(size_t page, fp_state *s, size_t layer, size_t position, size_t n,
                             const float *key, const float *value)
{
    size_t width = s->spec[layer].n_kv_heads * s->spec[layer].head_dim;
    for (size_t i = 0; i < n; i++)
        if (position + i > 0 && (position + i) % page == 0)
            fp_state_put(s, layer, position + i - 1, 1, key + i * width, value + i * width);
}

void fault_page_first(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                      const float *value)
{
    overwrite_before(ASSAY_PAGE, s, layer, position, n, key, value);
}

void fault_page_128(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                    const float *value)
{
    overwrite_before(128, s, layer, position, n, key, value);
}

void fault_page_256(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                    const float *value)
{
    overwrite_before(256, s, layer, position, n, key, value);
}

/* Of int8, whose scale is before the codes of each position. */
void fault_scales_of_page_before(const fp_widening *w, fault_widen_fn *widen)
{
    const size_t row = w->keys->type->bytes(w->keys->head_dim);
    unsigned char *page = malloc(row * ASSAY_PAGE);
    if (!page) abort();
    memcpy(page, w->pages[w->i], row * ASSAY_PAGE);
    for (size_t j = 0; w->i > 0 && j < ASSAY_PAGE; j++)
        memcpy(page + j * row, (const unsigned char *)w->pages[w->i - 1] + j * row, sizeof(float));
    const void *const pages[] = {page};
    widen(&(fp_widening){w->keys, pages, 0, w->is_values, w->out});
    free(page);
}

/* Zeroes the keys that earlier rows of a run see and its last row does not. */
void fault_shared_trimmed(fp_pass *pass, size_t i)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    if (a->cache_layer == i || !a->window) return;
    for (size_t j = 0; j < pass->n_runs; j++) {
        const fp_run *run = &pass->runs[j];
        size_t next = fp_run_position(run, run->first_row + run->n_rows);
        size_t at = fp_cache_key_range(&run->state->spec[a->cache_layer], run->state->n_tokens).first;
        for (; at + a->window < next; at++) zero_position(run->state, a->cache_layer, at);
    }
}

/* Positions of the first rows of chunks, each after other tokens of its sample; a decoded token is no chunk.
 */
enum { CHUNKS_MAX = 64 };
static size_t chunk_starts[CHUNKS_MAX], n_chunks;

void fault_chunks_noted(fp_pass *pass, size_t i)
{
    (void)i;
    n_chunks = 0;
    for (size_t j = 0; j < pass->n_runs && n_chunks < CHUNKS_MAX; j++)
        if (pass->runs[j].state->n_tokens > 0 && pass->runs[j].n_rows > 1)
            chunk_starts[n_chunks++] = pass->runs[j].state->n_tokens;
}

static bool late_chunk;

void fault_late_chunk_noted(fp_session *s, const fp_step *steps, size_t n_steps)
{
    late_chunk = false;
    for (size_t i = 0; i < n_steps; i++)
        late_chunk = late_chunk || (steps[i].n_tokens > 1 && fp_session_length(s, steps[i].slot) >= 512);
}

bool fault_in_late_chunk(void)
{
    return late_chunk;
}

void fault_late_chunks_noted(fp_pass *pass, size_t i)
{
    fault_chunks_noted(pass, i);
    if (!late_chunk) n_chunks = 0;
}

/* Hides the first key. */
void fault_chunk_masked(fp_key_range *range, size_t position)
{
    for (size_t j = 0; j < n_chunks; j++)
        if (chunk_starts[j] == position) {
            range->first++;
            return;
        }
}

/* In decode frequencies change as they must. */
bool fault_rope_of_chunk(size_t length, size_t other)
{
    return other > length + 1;
}
