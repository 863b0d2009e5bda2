/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/session/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"

void fp_steps_free(fp_steps *s)
{
    free(s->step);
    *s = (fp_steps){0};
}

static const char *item_name(assay_item_kind kind)
{
    switch (kind) {
    case ASSAY_ITEM_IMAGE: return "an image";
    case ASSAY_ITEM_VIDEO: return "a video";
    case ASSAY_ITEM_AUDIO: return "audio";
    case ASSAY_ITEM_EMBEDDING: return "an embedding";
    }
    return "an item of unknown kind";
}

/* Refuses what a sample can have besides its tokens and their positions. */
static assay_status check_items(const assay_step *step, const char *where, assay_error *err)
{
    if (step->n_items == 0) return ASSAY_OK;
    return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: sample %zu: found %s, expected tokens alone", where,
                      step->sample, step->items ? item_name(step->items[0].kind) : "items");
}

static assay_status check_axes(const assay_step *step, const char *where, assay_error *err)
{
    if (step->n_axes == 1 || step->n_axes == ROPE_AXES_MAX) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINVAL, "%s: sample %zu: positions: found %zu axes, expected 1 or %d", where,
                      step->sample, step->n_axes, ROPE_AXES_MAX);
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
    assay_status rc = check_items(step, "step", err);
    if (rc == ASSAY_OK) rc = check_tokens(step, padded_width, "step", err);
    if (rc == ASSAY_OK && step->positions) rc = check_axes(step, "step", err);
    for (size_t i = 0; rc == ASSAY_OK && i < step->n_outputs; i++) rc = check_output(step, i, err);
    if (rc != ASSAY_OK) return rc;
    *out = (fp_step){.slot = step->sample,
                     .tokens = step->tokens,
                     .n_tokens = step->n_tokens,
                     .positions = step->positions,
                     .n_axes = step->n_axes};
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

assay_status fp_steps_positions(const plan *p, const assay_step *step, int32_t *out, int32_t *delta,
                                assay_error *err)
{
    assay_status rc = check_items(step, "positions", err);
    if (rc == ASSAY_OK) rc = check_tokens(step, 0, "positions", err);
    if (rc == ASSAY_OK) rc = check_axes(step, "positions", err);
    if (rc == ASSAY_OK)
        rc = fp_session_check(p, step->tokens, step->n_tokens, "positions", step->sample, err);
    if (rc != ASSAY_OK) return rc;
    for (size_t i = 0; i < step->n_axes * step->n_tokens; i++) out[i] = (int32_t)(i % step->n_tokens);
    *delta = 0;
    return ASSAY_OK;
}
