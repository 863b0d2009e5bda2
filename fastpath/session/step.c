/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/session/step.h"

#include <assert.h>

#include "base/error.h"
#include "model/plan/mask.h"

assay_status fp_step_check_tokens(const plan *p, const int32_t *tokens, size_t n_tokens, const char *where,
                                  size_t slot, assay_error *err)
{
    for (size_t t = 0; t < n_tokens; t++)
        if (plan_embeds_as(p, tokens[t]) < 0)
            return assay_fail(err, ASSAY_EINVAL, "%s: sample %zu: found token %d, expected 0 to %zu", where,
                              slot, tokens[t], p->n_token_ids - 1);
    return ASSAY_OK;
}

assay_status fp_step_check_axes(const plan *p, size_t n_axes, const char *where, size_t slot,
                                assay_error *err)
{
    if (n_axes == 1 || n_axes == plan_n_axes(p)) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINVAL, "%s: sample %zu: positions: found %zu axes, expected 1 or %zu",
                      where, slot, n_axes, plan_n_axes(p));
}

/* Refuses a step that continues a block, whose earlier tokens were evaluated without the later ones. */
static assay_status check_block(const plan *p, const fp_sample *one, const fp_step *step, assay_error *err)
{
    const size_t n = one->n_tokens;
    const plan_sequence before = media_list_sequence(&one->media, p, one->tokens, n);
    if (!plan_joins_block(&before, step->tokens[0])) return ASSAY_OK;
    return assay_fail(err, ASSAY_EUNSUPPORTED,
                      "step: sample %zu: found a block of tokens that attend to each other divided before "
                      "token %d at index %zu, expected it in one step",
                      step->slot, step->tokens[0], n);
}

assay_status fp_step_check(const plan *p, const fp_sample *one, const fp_step *step, assay_error *err)
{
    if (step->n_tokens == 0 || step->n_tokens > INT32_MAX - one->n_tokens)
        return assay_fail(err, ASSAY_EINVAL, "step: sample %zu: found %zu tokens, expected 1 to %zu",
                          step->slot, step->n_tokens, INT32_MAX - one->n_tokens);
    assert(step->n_logits <= step->n_tokens);
    assay_status rc = fp_step_check_tokens(p, step->tokens, step->n_tokens, "step", step->slot, err);
    if (rc == ASSAY_OK && step->positions) rc = fp_step_check_axes(p, step->n_axes, "step", step->slot, err);
    if (rc == ASSAY_OK)
        rc = fp_positions_check(&one->positions, one->n_tokens, step->positions, step->n_axes, step->n_tokens,
                                step->slot, err);
    return rc == ASSAY_OK ? check_block(p, one, step, err) : rc;
}
