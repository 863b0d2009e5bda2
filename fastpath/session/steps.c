/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/session/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "model/inputs/positions.h"

void fp_steps_free(fp_steps *s)
{
    free(s->step);
    *s = (fp_steps){0};
}

static assay_status check_tokens(const assay_step *step, size_t padded_width, const char *where,
                                 assay_error *err)
{
    if (step->n_tokens == 0 || !step->tokens)
        return assay_fail(err, ASSAY_EINVAL, "%s: sample %zu: found %s, expected at least 1 token", where,
                          step->sample, step->n_tokens ? "no array of tokens" : "0 tokens");
    if (padded_width > 0 && padded_width < step->n_tokens)
        return assay_fail(err, ASSAY_EINVAL, "%s: sample %zu: found %zu tokens, padded_width is %zu", where,
                          step->sample, step->n_tokens, padded_width);
    return ASSAY_OK;
}

static assay_status check_output(const assay_step *step, size_t index, assay_error *err)
{
    const assay_output *output = &step->outputs[index];
    if (!output->name || strcmp(output->name, "logits") != 0)
        return assay_fail(err, output->name ? ASSAY_EUNSUPPORTED : ASSAY_EINVAL,
                          "step: sample %zu: found output '%s', expected logits", step->sample,
                          output->name ? output->name : "");
    if (index > 0)
        return assay_fail(err, ASSAY_EINVAL, "step: sample %zu: found output 'logits' twice, expected once",
                          step->sample);
    if (output->n_last == 0 || output->n_last > step->n_tokens)
        return assay_fail(err, ASSAY_EINVAL, "step: sample %zu: logits: found n_last %zu, expected 1 to %zu",
                          step->sample, output->n_last, step->n_tokens);
    if (!output->data)
        return assay_fail(err, ASSAY_EINVAL, "step: sample %zu: logits: data is NULL", step->sample);
    return ASSAY_OK;
}

static assay_status translate(const assay_step *step, size_t padded_width, fp_step *out, assay_error *err)
{
    assay_status rc = check_tokens(step, padded_width, "step", err);
    for (size_t i = 0; rc == ASSAY_OK && i < step->n_outputs; i++) rc = check_output(step, i, err);
    if (rc != ASSAY_OK) return rc;
    *out = (fp_step){.slot = step->sample,
                     .tokens = step->tokens,
                     .n_tokens = step->n_tokens,
                     .positions = step->positions,
                     .n_axes = step->n_axes,
                     .items = step->items,
                     .n_items = step->n_items};
    if (step->n_outputs > 0) {
        out->logits = step->outputs[0].data;
        out->n_logits = step->outputs[0].n_last;
    }
    return ASSAY_OK;
}

assay_status fp_steps_run(fp_steps *s, fp_session *session, const assay_step *steps, size_t n,
                          size_t padded_width, const fp_tracer *tracer, assay_error *err)
{
    if (n == 0) return ASSAY_OK;
    fp_step *grown = grow_to(s->step, &s->capacity, n, sizeof *grown);
    if (!grown) return assay_fail(err, ASSAY_ENOMEM, "step: out of memory for %zu samples", n);
    s->step = grown;
    for (size_t i = 0; i < n; i++) {
        assay_status rc = translate(&steps[i], padded_width, &s->step[i], err);
        if (rc != ASSAY_OK) return rc;
    }
    return fp_session_step(session, s->step, n, tracer, err);
}

/* out: [n_axes, n_tokens]. */
static assay_status fill_positions(const plan *p, const assay_step *step, const media_list *items,
                                   int32_t *out, int32_t *delta, assay_error *err)
{
    const size_t n = step->n_tokens;
    int32_t *list =
        n <= SIZE_MAX / (ROPE_AXES_MAX * sizeof *list) ? malloc(n * ROPE_AXES_MAX * sizeof *list) : NULL;
    if (!list) return assay_fail(err, ASSAY_ENOMEM, "positions: out of memory for %zu tokens", n);
    positions_fill(p, items, step->tokens, NULL, 0, n, list);
    *delta = positions_delta(list, n);
    for (size_t a = 0; a < step->n_axes; a++)
        for (size_t t = 0; t < n; t++) out[a * n + t] = list[t * ROPE_AXES_MAX + a];
    free(list);
    return ASSAY_OK;
}

assay_status fp_steps_positions(const plan *p, const assay_step *step, int32_t *out, int32_t *delta,
                                assay_error *err)
{
    media_list items = {0};
    assay_status rc = check_tokens(step, 0, "positions", err);
    if (rc == ASSAY_OK) rc = fp_step_check_axes(p, step->n_axes, "positions", step->sample, err);
    if (rc == ASSAY_OK)
        rc = fp_step_check_tokens(p, step->tokens, step->n_tokens, "positions", step->sample, err);
    if (rc == ASSAY_OK) rc = media_list_add(&items, p, step, 0, step->tokens, false, err);
    if (rc == ASSAY_OK) rc = fill_positions(p, step, &items, out, delta, err);
    media_list_free(&items);
    return rc;
}
