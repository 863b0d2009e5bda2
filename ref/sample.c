/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/inputs/positions.h"

void ref_sample_clear(ref_sample *s)
{
    free(s->tokens);
    free(s->positions);
    media_list_free(&s->media);
    *s = (ref_sample){0};
}

size_t ref_sample_next(const plan *p, const ref_sample *s)
{
    return positions_next(p, &s->media, s->tokens, s->positions, s->n_tokens);
}

/* Makes *out a copy of s with space for n_new tokens, and for positions if it has any or with_positions. */
static bool copy_sample(const ref_sample *s, size_t n_new, bool with_positions, ref_sample *out)
{
    const size_t n = s->n_tokens;
    const bool has_positions = s->positions || with_positions;
    *out = (ref_sample){.is_used = true, .n_tokens = n};
    out->tokens = calloc(n + n_new + 1, sizeof *out->tokens);
    if (has_positions) out->positions = calloc(n + n_new + 1, ROPE_AXES_MAX * sizeof *out->positions);
    if (!out->tokens || (has_positions && !out->positions) || !media_list_copy(&out->media, &s->media)) {
        ref_sample_clear(out);
        return false;
    }
    if (n) memcpy(out->tokens, s->tokens, n * sizeof *out->tokens);
    for (size_t i = 0; has_positions && i < n * ROPE_AXES_MAX; i++)
        out->positions[i] = s->positions ? s->positions[i] : (int32_t)(i / ROPE_AXES_MAX);
    return true;
}

bool ref_sample_copy(const ref_sample *s, ref_sample *out)
{
    return copy_sample(s, 0, false, out);
}

/* Fills the positions of the step's tokens, which s has already. */
static void fill_positions(const plan *p, ref_sample *s, const assay_step *step)
{
    const size_t n_before = s->n_tokens - step->n_tokens;
    int32_t *position = s->positions + n_before * ROPE_AXES_MAX;
    if (!step->positions) {
        positions_fill(p, &s->media, s->tokens, s->positions, n_before, step->n_tokens, position);
        return;
    }
    for (size_t t = 0; t < step->n_tokens; t++)
        for (size_t a = 0; a < ROPE_AXES_MAX; a++)
            position[t * ROPE_AXES_MAX + a] =
                step->positions[(a < step->n_axes ? a : 0) * step->n_tokens + t];
}

assay_status ref_sample_extend(const plan *p, const ref_sample *s, const assay_step *step, ref_sample *out,
                               assay_error *err)
{
    ref_sample made;
    if (!copy_sample(s, step->n_tokens, step->positions || p->positions != PLAN_POSITIONS_INDEX, &made))
        return assay_fail(err, ASSAY_ENOMEM, "step: sample %zu: out of memory", step->sample);
    memcpy(made.tokens + s->n_tokens, step->tokens, step->n_tokens * sizeof *made.tokens);
    made.n_tokens += step->n_tokens;
    assay_status rc = media_list_add(&made.media, p, step, s->n_tokens, made.tokens, true, err);
    if (rc == ASSAY_OK && made.positions) fill_positions(p, &made, step);
    if (rc != ASSAY_OK) ref_sample_clear(&made);
    *out = made;
    return rc;
}

void ref_sample_rewind(ref_sample *s, size_t n_tokens)
{
    media_list_rewind(&s->media, n_tokens);
    s->n_tokens = n_tokens;
}
