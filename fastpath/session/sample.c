/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/session/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/plan/mask.h"

void fp_sample_free(fp_sample *one)
{
    fp_state_free(&one->state);
    free(one->tokens);
    fp_positions_free(&one->positions);
    *one = (fp_sample){0};
}

/* Ensures capacity for n more tokens, and for the positions of all if they are stored. */
static bool reserve_tokens(fp_sample *one, size_t n, bool has_positions)
{
    int32_t *grown = grow_to(one->tokens, &one->capacity, one->n_tokens + n, sizeof *grown);
    if (grown) one->tokens = grown;
    return grown && (!has_positions || fp_positions_reserve(&one->positions, one->n_tokens, n));
}

bool fp_sample_append(fp_sample *one, const int32_t *tokens, size_t n_new, const int32_t *positions,
                      size_t n_axes)
{
    const bool has_positions = one->positions.list || positions;
    if (!reserve_tokens(one, n_new, has_positions)) return false;
    memcpy(one->tokens + one->n_tokens, tokens, n_new * sizeof *one->tokens);
    if (has_positions) fp_positions_append(&one->positions, one->n_tokens, positions, n_axes, n_new);
    one->n_tokens += n_new;
    return true;
}

void fp_sample_rewind(fp_sample *one, const plan *p, size_t n_tokens)
{
    size_t n_valid = n_tokens;
    if (plan_divides_block(p, one->tokens, one->n_tokens, n_tokens))
        while (n_valid > 0 && plan_is_block_token(p, one->tokens[n_valid - 1])) n_valid--;
    one->n_tokens = n_tokens;
    if (one->state.n_tokens > n_valid && !fp_state_rewind(&one->state, n_valid)) fp_state_reset(&one->state);
}

bool fp_sample_copy(fp_sample *to, const fp_sample *from)
{
    if (!reserve_tokens(to, from->n_tokens, false) ||
        !fp_positions_copy(&to->positions, &from->positions, from->n_tokens) ||
        fp_state_fork(&to->state, &from->state) != ASSAY_OK)
        return false;
    if (from->n_tokens) memcpy(to->tokens, from->tokens, from->n_tokens * sizeof *to->tokens);
    to->n_tokens = from->n_tokens;
    to->length = from->length;
    return true;
}
