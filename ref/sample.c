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

size_t ref_sample_next(const ref_sample *s)
{
    if (s->n_tokens == 0 || !s->positions) return s->n_tokens;
    const int32_t *last = s->positions + (s->n_tokens - 1) * ROPE_AXES_MAX;
    int32_t largest = last[0];
    for (size_t a = 1; a < ROPE_AXES_MAX; a++)
        if (last[a] > largest) largest = last[a];
    return (size_t)largest + 1;
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

/* No position that the plan derives may exceed INT32_MAX: each of the tokens and of the rows, columns and
 * frames of the media adds at most 1 to the position of the last token before the step. */
static assay_status check_positions(const ref_sample *s, const assay_step *step, size_t next,
                                    assay_error *err)
{
    size_t most = (size_t)INT32_MAX + 1 - next, used = step->n_tokens;
    for (size_t m = 0; m < s->media.n; m++)
        for (size_t a = 0; a < 3; a++) used += media_grid(s->media.place[m].medium)[a];
    if (used <= most) return ASSAY_OK;
    return assay_fail(
        err, ASSAY_EINVAL,
        "step: sample %zu: found positions for tokens and grids from %zu to %zu, expected at most %d",
        step->sample, next, next + used - 1, INT32_MAX);
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
                step->positions[(step->n_axes == 1 ? 0 : a) * step->n_tokens + t];
}

assay_status ref_sample_extend(const plan *p, const ref_sample *s, const assay_step *step, ref_sample *out,
                               assay_error *err)
{
    const size_t next = ref_sample_next(s);
    ref_sample made;
    if (!copy_sample(s, step->n_tokens, step->positions || p->positions == PLAN_POSITIONS_GRID, &made))
        return assay_fail(err, ASSAY_ENOMEM, "step: sample %zu: out of memory", step->sample);
    memcpy(made.tokens + s->n_tokens, step->tokens, step->n_tokens * sizeof *made.tokens);
    made.n_tokens += step->n_tokens;
    assay_status rc = media_list_add(&made.media, p, step, s->n_tokens, made.tokens, true, err);
    if (rc == ASSAY_OK && !step->positions) rc = check_positions(&made, step, next, err);
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
