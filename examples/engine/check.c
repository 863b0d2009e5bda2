/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "checkpoint.h"
#include "engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

assay_status engine_fail(assay_error *err, assay_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (err) (void)vsnprintf(err->text, sizeof err->text, format, args);
    if (err) err->status = status;
    va_end(args);
    return status;
}

assay_status engine_check_reserved(uint32_t reserved, const char *name, assay_error *err)
{
    return reserved ? engine_fail(err, ASSAY_EUNSUPPORTED, "%s: reserved is not 0", name) : ASSAY_OK;
}

assay_status engine_check_sample(const assay_session *s, size_t i, assay_error *err)
{
    if (i < s->n_samples && !s->samples[i].left) return ASSAY_OK;
    return engine_fail(err, ASSAY_EINVAL, "there is no sample %zu", i);
}

static assay_status check_outputs(const assay_step *step, assay_error *err)
{
    for (size_t i = 0; i < step->n_outputs; i++) {
        const assay_output *o = &step->outputs[i];
        if (strcmp(o->name, "logits") != 0)
            return engine_fail(err, ASSAY_EUNSUPPORTED, "there is no output %s", o->name);
        if (o->n_last == 0 || o->n_last > step->n_tokens)
            return engine_fail(err, ASSAY_EINVAL, "%zu rows of %zu tokens are wanted", o->n_last,
                               step->n_tokens);
    }
    return ASSAY_OK;
}

static assay_status check_step(const assay_session *s, const assay_step *step, assay_error *err)
{
    const assay_status rc = engine_check_sample(s, step->sample, err);
    if (rc != ASSAY_OK) return rc;
    if (step->n_tokens == 0) return engine_fail(err, ASSAY_EINVAL, "sample %zu: no tokens", step->sample);
    if (step->positions || step->n_items)
        return engine_fail(err, ASSAY_EUNSUPPORTED, "only tokens are supported, no positions and no items");
    for (size_t i = 0; i < step->n_tokens; i++)
        if (step->tokens[i] < 0 || (size_t)step->tokens[i] >= s->model->vocab)
            return engine_fail(err, ASSAY_EINVAL, "token %d is outside the vocabulary", (int)step->tokens[i]);
    return check_outputs(step, err);
}

assay_status engine_check_steps(const assay_session *s, const assay_step *steps, size_t n, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        rc = check_step(s, &steps[i], err);
        for (size_t j = 0; rc == ASSAY_OK && j < i; j++)
            if (steps[j].sample == steps[i].sample)
                rc = engine_fail(err, ASSAY_EINVAL, "sample %zu has two steps", steps[i].sample);
    }
    return rc;
}
