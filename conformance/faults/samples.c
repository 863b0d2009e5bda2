/* Faults that confuse positions, the samples of a batch, or parts of a row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/faults/fault.h"

/* A position counts from the sample's own first token, so the padding is already subtracted. */
int32_t fault_padding_twice(int32_t position, int32_t padding)
{
    return position - padding;
}

int32_t fault_padding_never(int32_t position, int32_t padding)
{
    return position + padding;
}

int32_t fault_rope_late(int32_t position)
{
    return position < 36 ? position : position + 1;
}

int32_t fault_rope_wraps(int32_t position)
{
    return position % 1024;
}

void fault_slot_used(fp_session *s, size_t slot)
{
    static const int32_t LEFT[] = {1, 2, 3};
    static const fp_session *of;
    static uint64_t used; /* a bit for each slot of the session that a sample has joined before */
    const uint64_t bit = UINT64_C(1) << slot % 64;
    if (of != s) used = 0;
    const bool is_used = used & bit;
    of = s;
    used |= bit;
    if (!is_used) return;
    (void)fp_session_step(s, &(fp_step){.slot = slot, .tokens = LEFT, .n_tokens = 3}, 1, NULL, NULL);
}

static bool is_decode(const fp_step *steps, size_t n_steps)
{
    return n_steps > 1 && steps[0].n_tokens == 1 && steps[1].n_tokens == 1;
}

void fault_rows_swapped(fp_step *steps, size_t n_steps)
{
    if (!is_decode(steps, n_steps)) return;
    float *first = steps[0].logits;
    steps[0].logits = steps[1].logits;
    steps[1].logits = first;
}

/* The next step overwrites the position that is not counted. */
void fault_counter_stays(fp_session *s, const fp_step *steps, size_t n_steps)
{
    if (!is_decode(steps, n_steps)) return;
    size_t slot = steps[1].slot;
    (void)fp_session_rewind(s, slot, fp_session_length(s, slot) - 1, NULL);
}

enum { SLOTS_MAX = 64 };

/* By how much the first tokens of a sample are placed too late: the length of the longest other one. */
static size_t late_by;

void fault_late_noted(fp_session *s, const fp_step *steps, size_t n_steps)
{
    (void)steps;
    (void)n_steps;
    late_by = 0;
    for (size_t slot = 0; slot < SLOTS_MAX; slot++) {
        const size_t n = fp_session_length(s, slot);
        if (n > late_by) late_by = n;
    }
}

/* Only the first tokens: attention depends on differences of positions, so it would not show if all of the
 * sample's tokens were placed too late. */
int32_t fault_late_placed(const fp_run *run, int32_t position)
{
    return run->state->n_tokens == 0 ? position + (int32_t)late_by : position;
}

static bool has_step(const fp_step *steps, size_t n_steps, size_t slot)
{
    for (size_t i = 0; i < n_steps; i++)
        if (steps[i].slot == slot) return true;
    return false;
}

/* A batch of fixed size, in which a sample that rests gets a padding token. */
void fault_rest_padded(fp_session *s, const fp_step *steps, size_t n_steps)
{
    static const int32_t PADDING = 0;
    static bool is_padding; /* the step below comes here again */
    if (is_padding) return;
    is_padding = true;
    for (size_t slot = 0; slot < SLOTS_MAX; slot++)
        if (fp_session_length(s, slot) > 0 && !has_step(steps, n_steps, slot))
            (void)fp_session_step(s, &(fp_step){.slot = slot, .tokens = &PADDING, .n_tokens = 1}, 1, NULL,
                                  NULL);
    is_padding = false;
}

void fault_tail_dropped(float *y, size_t n_rows, size_t n_out)
{
    enum { TILE = 8 };
    for (size_t r = 0; r < n_rows; r++)
        for (size_t o = n_out / TILE * TILE; o < n_out; o++) y[r * n_out + o] = 0;
}

/* In layers with a rope, the first row of each run has the angles of the first row of the pass. */
void fault_rotated_as_first(fp_pass *pass, size_t i)
{
    const size_t r = plan_layer_attention(&pass->plan->layers[i])->rope;
    if (r == PLAN_NONE) return;
    const size_t n = rope_n_angles(&pass->plan->ropes[r]);
    for (size_t j = 1; j < pass->n_runs; j++) {
        const size_t first = pass->runs[j].first_row * n;
        memcpy(pass->cosine[r] + first, pass->cosine[r], n * sizeof(float));
        memcpy(pass->sine[r] + first, pass->sine[r], n * sizeof(float));
    }
}
