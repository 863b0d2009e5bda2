/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/sample.h"

#include <stdlib.h>
#include <string.h>

#include "model/numerics/rope.h"

void ref_sample_clear(ref_sample *s)
{
    free(s->tokens);
    free(s->positions);
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

/* Fills the positions of `to`: those of `from`, then those of the step's tokens. */
static void fill_positions(ref_sample *to, const ref_sample *from, const assay_step *step)
{
    const size_t next = ref_sample_next(from);
    for (size_t t = 0; t < to->n_tokens; t++)
        for (size_t a = 0; a < ROPE_AXES_MAX; a++) {
            int32_t *position = &to->positions[t * ROPE_AXES_MAX + a];
            const size_t i = t - from->n_tokens; /* in the step */
            if (t < from->n_tokens)
                *position = from->positions ? from->positions[t * ROPE_AXES_MAX + a] : (int32_t)t;
            else if (step->positions)
                *position = step->positions[(step->n_axes == 1 ? 0 : a) * step->n_tokens + i];
            else *position = (int32_t)(next + i);
        }
}

bool ref_sample_copy(const ref_sample *s, const assay_step *step, ref_sample *out)
{
    const size_t n_new = step ? step->n_tokens : 0, n = s->n_tokens + n_new;
    const bool has_positions = s->positions || (step && step->positions);
    *out = (ref_sample){.is_used = true, .n_tokens = n};
    out->tokens = calloc(n + 1, sizeof *out->tokens);
    if (has_positions) out->positions = calloc(n + 1, ROPE_AXES_MAX * sizeof *out->positions);
    if (!out->tokens || (has_positions && !out->positions)) {
        ref_sample_clear(out);
        return false;
    }
    if (s->n_tokens) memcpy(out->tokens, s->tokens, s->n_tokens * sizeof *out->tokens);
    if (n_new) memcpy(out->tokens + s->n_tokens, step->tokens, n_new * sizeof *out->tokens);
    if (has_positions) fill_positions(out, s, step);
    return true;
}
