/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/step.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/inputs/positions.h"
#include "model/plan/mask.h"

static assay_status check_axes(const plan *p, const assay_step *step, const char *function, assay_error *err)
{
    if (step->n_axes == 1 || step->n_axes == plan_n_axes(p)) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINVAL, "%s: sample %zu: positions: found %zu axes, expected 1 or %zu",
                      function, step->sample, step->n_axes, plan_n_axes(p));
}

/* next: the position of the step's first token if the step gives none. */
static assay_status check_positions(const plan *p, const assay_step *step, size_t next, assay_error *err)
{
    if (!step->positions) {
        const size_t most = (size_t)INT32_MAX + 1 - next;
        if (step->n_tokens <= most) return ASSAY_OK;
        return assay_fail(err, ASSAY_EINVAL,
                          "step: sample %zu: found %zu tokens from position %zu on, expected at most %zu",
                          step->sample, step->n_tokens, next, most);
    }
    assay_status rc = check_axes(p, step, "step", err);
    for (size_t i = 0; rc == ASSAY_OK && i < step->n_axes * step->n_tokens; i++)
        if (step->positions[i] < 0)
            rc = assay_fail(err, ASSAY_EINVAL,
                            "step: sample %zu: axis %zu, token %zu: found position %d, expected at least 0",
                            step->sample, i / step->n_tokens, i % step->n_tokens, step->positions[i]);
    return rc;
}

/* media_list_add checks the items themselves. */
static assay_status check_items(const assay_step *step, const char *function, assay_error *err)
{
    if (step->n_items == 0 || step->items) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINVAL, "%s: sample %zu: items is NULL, expected %zu items", function,
                      step->sample, step->n_items);
}

static assay_status check_tokens(const plan *p, const assay_step *step, size_t n_before, assay_error *err)
{
    if (step->n_tokens == 0)
        return assay_fail(err, ASSAY_EINVAL, "step: sample %zu: found 0 tokens, expected at least 1",
                          step->sample);
    if (step->n_tokens > INT32_MAX - n_before)
        return assay_fail(err, ASSAY_EINVAL,
                          "step: sample %zu: found %zu tokens after %zu, expected at most %zu", step->sample,
                          step->n_tokens, n_before, INT32_MAX - n_before);
    if (!step->tokens) return assay_fail(err, ASSAY_EINVAL, "step: sample %zu: tokens is NULL", step->sample);
    for (size_t t = 0; t < step->n_tokens; t++)
        if (plan_embeds_as(p, step->tokens[t]) < 0)
            return assay_fail(err, ASSAY_EINVAL, "step: sample %zu: found token %d, expected 0 to %zu",
                              step->sample, step->tokens[t], p->n_token_ids - 1);
    return ASSAY_OK;
}

static assay_status check_outputs(const assay_step *step, assay_error *err)
{
    if (step->n_outputs && !step->outputs)
        return assay_fail(err, ASSAY_EINVAL, "step: sample %zu: outputs is NULL, expected %zu outputs",
                          step->sample, step->n_outputs);
    for (size_t i = 0; i < step->n_outputs; i++) {
        const assay_output *output = &step->outputs[i];
        if (!output->name || strcmp(output->name, "logits") != 0)
            return assay_fail(err, ASSAY_EUNSUPPORTED,
                              "step: sample %zu: output '%s' is not supported, expected 'logits'",
                              step->sample, output->name ? output->name : "");
        if (i > 0)
            return assay_fail(err, ASSAY_EINVAL, "step: sample %zu: output '%s' is repeated", step->sample,
                              output->name);
        if (output->n_last == 0 || output->n_last > step->n_tokens)
            return assay_fail(err, ASSAY_EINVAL,
                              "step: sample %zu: output '%s': found n_last %zu, expected 1 to %zu",
                              step->sample, output->name, output->n_last, step->n_tokens);
        if (!output->data)
            return assay_fail(err, ASSAY_EINVAL, "step: sample %zu: output '%s': data is NULL", step->sample,
                              output->name);
    }
    return ASSAY_OK;
}

assay_status ref_step_check(const plan *p, const assay_step *step, size_t n_before, size_t next,
                            assay_error *err)
{
    assay_status rc = check_tokens(p, step, n_before, err);
    if (rc == ASSAY_OK) rc = check_positions(p, step, next, err);
    if (rc == ASSAY_OK) rc = check_items(step, "step", err);
    if (rc == ASSAY_OK) rc = check_outputs(step, err);
    return rc;
}

assay_status ref_step_check_block(const plan *p, const assay_step *step, const ref_sample *sample,
                                  assay_error *err)
{
    const size_t n = sample->n_tokens;
    const plan_sequence before = media_list_sequence(&sample->media, p, sample->tokens, n);
    if (!plan_joins_block(&before, step->tokens[0])) return ASSAY_OK;
    return assay_fail(
        err, ASSAY_EUNSUPPORTED,
        "step: sample %zu: token %d at index %zu continues a block of tokens that attend to each "
        "other, expected the whole block in one step",
        step->sample, step->tokens[0], n);
}

assay_status ref_step_positions(const plan *p, const assay_step *step, int32_t *out, int32_t *delta,
                                assay_error *err)
{
    const size_t n = step->n_tokens;
    assay_status rc = check_tokens(p, step, 0, err);
    if (rc == ASSAY_OK) rc = check_axes(p, step, "positions", err);
    if (rc == ASSAY_OK) rc = check_items(step, "positions", err);
    if (rc != ASSAY_OK) return rc;
    media_list list = {0};
    int32_t *position = calloc(n, ROPE_AXES_MAX * sizeof *position);
    if (!position)
        rc = assay_fail(err, ASSAY_ENOMEM, "positions: sample %zu: out of memory for %zu tokens",
                        step->sample, n);
    if (rc == ASSAY_OK) rc = media_list_add(&list, p, step, 0, step->tokens, false, err);
    if (rc == ASSAY_OK) {
        positions_fill(p, &list, step->tokens, NULL, 0, n, position);
        for (size_t a = 0; a < step->n_axes; a++)
            for (size_t t = 0; t < n; t++) out[a * n + t] = position[t * ROPE_AXES_MAX + a];
        *delta = positions_delta(position, n);
    }
    media_list_free(&list);
    free(position);
    return rc;
}
