/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/batch.h"

#include <stdlib.h>

#include "base/error.h"

struct fp_batch {
    fp_session *session;
    const fp_model *model;
    size_t n_samples;
    size_t *slot; /* [n_samples] */
};

assay_status fp_batch_open(const fp_model *m, fp_batch **out, assay_error *err)
{
    fp_batch *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "session: out of memory");
    s->model = m;
    assay_status rc = fp_session_open(m, &s->session, err);
    if (rc == ASSAY_OK) *out = s;
    else free(s);
    return rc;
}

void fp_batch_free(fp_batch *s)
{
    if (!s) return;
    fp_session_free(s->session);
    free(s->slot);
    free(s);
}

fp_session *fp_batch_session(fp_batch *s)
{
    return s->session;
}

/* The index of row b's first token after the padding, in tokens [n_samples, n_tokens], which is also
 * the row of its first logits in [n_samples, n_tokens, vocab]. */
static size_t first_row(const assay_batch *batch, size_t b)
{
    return (b + 1) * batch->n_tokens - (size_t)batch->length[b];
}

static assay_status check_batch(const fp_batch *s, const assay_batch *batch, assay_error *err)
{
    if (batch->n_inputs)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "prefill: input '%s' is not understood",
                          batch->inputs[0].name);
    if (batch->n_samples == 0)
        return assay_fail(err, ASSAY_EINVAL, "prefill: found 0 samples, expected at least 1");
    for (size_t b = 0; b < batch->n_samples; b++) {
        if (batch->length[b] < 1 || (size_t)batch->length[b] > batch->n_tokens)
            return assay_fail(err, ASSAY_EINVAL, "prefill: sample %zu: found length %d, expected 1 to %zu", b,
                              batch->length[b], batch->n_tokens);
        assay_status rc = fp_session_check(s->session, batch->tokens + first_row(batch, b),
                                           (size_t)batch->length[b], "prefill", b, err);
        if (rc != ASSAY_OK) return rc;
    }
    return ASSAY_OK;
}

static void leave_all(fp_batch *s)
{
    while (s->n_samples > 0) (void)fp_session_leave(s->session, s->slot[--s->n_samples], NULL);
}

/* Replaces the samples of the session by n new ones. */
static assay_status replace_samples(fp_batch *s, size_t n, assay_error *err)
{
    size_t *slot = malloc(n * sizeof *slot);
    if (!slot) return assay_fail(err, ASSAY_ENOMEM, "prefill: out of memory");
    leave_all(s);
    free(s->slot);
    s->slot = slot;
    assay_status rc = ASSAY_OK;
    while (rc == ASSAY_OK && s->n_samples < n) {
        rc = fp_session_join(s->session, &slot[s->n_samples], err);
        if (rc == ASSAY_OK) s->n_samples++;
    }
    return rc;
}

/* A step for `slot` with all tokens of row b of the batch. */
static fp_step step_of(const assay_batch *batch, size_t b, size_t slot, fp_wanted wanted, float *logits,
                       size_t vocab)
{
    fp_step step = {.slot = slot,
                    .tokens = batch->tokens + first_row(batch, b),
                    .n_tokens = (size_t)batch->length[b],
                    .logits = logits + b * vocab,
                    .n_logits = 1};
    if (wanted == FP_WANTED_ALL) {
        step.logits = logits + first_row(batch, b) * vocab;
        step.n_logits = step.n_tokens;
    }
    return step;
}

assay_status fp_batch_prefill(fp_batch *s, const assay_batch *batch, const fp_tracer *tracer,
                              fp_wanted wanted, float *logits, assay_error *err)
{
    assay_status rc = check_batch(s, batch, err);
    if (rc != ASSAY_OK) return rc;
    fp_step *steps = calloc(batch->n_samples, sizeof *steps);
    rc = steps ? replace_samples(s, batch->n_samples, err)
               : assay_fail(err, ASSAY_ENOMEM, "prefill: out of memory");
    for (size_t b = 0; rc == ASSAY_OK && b < batch->n_samples; b++)
        steps[b] = step_of(batch, b, s->slot[b], wanted, logits, s->model->plan->vocab);
    if (rc == ASSAY_OK) rc = fp_session_step(s->session, steps, batch->n_samples, tracer, err);
    if (rc != ASSAY_OK) leave_all(s);
    free(steps);
    return rc;
}

assay_status fp_batch_decode(fp_batch *s, const int32_t *tokens, float *logits, assay_error *err)
{
    size_t n = 0;
    if (s->n_samples == 0) return assay_fail(err, ASSAY_EINVAL, "decode: nothing was prefilled");
    fp_step *steps = calloc(s->n_samples, sizeof *steps);
    assay_status rc = steps ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "decode: out of memory");
    for (size_t b = 0; rc == ASSAY_OK && b < s->n_samples; b++) {
        if (tokens[b] == -1) continue;
        rc = fp_session_check(s->session, &tokens[b], 1, "decode", b, err);
        steps[n++] = (fp_step){.slot = s->slot[b],
                               .tokens = &tokens[b],
                               .n_tokens = 1,
                               .logits = logits + b * s->model->plan->vocab,
                               .n_logits = 1};
    }
    if (rc == ASSAY_OK && n > 0) rc = fp_session_step(s->session, steps, n, NULL, err);
    free(steps);
    return rc;
}
