/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/locate/drive.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "base/shown.h"
#include "conformance/abi/open.h"
#include "conformance/abi/step.h"
#include "conformance/case/prompt.h"
#include "conformance/replay/session.h"

/* The evaluation while it runs. */
typedef struct running {
    conf_walker *w;
    const conf_drive *d;
    conf_replay r; /* for messages */
    assay_session *session;
    size_t n_samples;
    conf_sample_step *steps; /* [n_samples] */
    char *logits;            /* [n_rows, V] */
    size_t n_rows;
} running;

/* assay_tap_fn */
static bool pass_tensor(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    const running *q = context;
    q->d->fn(q->w, sample, tensor, data);
    return true;
}

/* Of the sample whose logits are compared all rows are wanted, of the others the last. */
static bool make_steps(running *q)
{
    const conf_walker *w = q->w;
    const conf_decoder *d = &w->c->decoder;
    const size_t row_bytes = w->vocab * dtype_size(q->d->engine->logits_dtype);
    q->n_rows = w->n_tokens + q->n_samples - 1;
    q->steps = calloc(q->n_samples, sizeof *q->steps);
    if (q->n_rows <= CONF_H5_DATASET_BYTES_MAX / sizeof(double) / w->vocab)
        q->logits = conf_nan_alloc(q->d->engine, q->n_rows * w->vocab);
    if (!q->steps || !q->logits) return conf_replay_no_memory(&q->r);
    for (size_t b = 0, row = 0; b < q->n_samples; b++) {
        const size_t of = q->d->single && w->task->sequence ? w->task->sequence->sample : b;
        conf_sample_step *step = &q->steps[b];
        *step = (conf_sample_step){.sample = b,
                                   .tokens = b ? conf_prompt(d, b) : w->tokens,
                                   .n_tokens = b ? conf_prompt_length(d, b) : w->n_tokens,
                                   .logits = q->logits + row * row_bytes,
                                   .n_last = b ? 1 : w->n_tokens};
        step->items = conf_items_of(&w->items, of, &step->n_items);
        row += step->n_last;
    }
    return true;
}

/* The rows of the first sample, as double. */
static bool store_logits(running *q)
{
    const size_t n = q->w->n_tokens * q->w->vocab;
    double *wide = calloc(n ? n : 1, sizeof *wide);
    if (!wide) return conf_replay_no_memory(&q->r);
    dtype_to_f64(wide, q->logits, q->d->engine->logits_dtype, n);
    *q->d->logits = wide;
    return true;
}

static void end_session(running *q)
{
    q->d->engine->session_free(q->session);
    free(q->steps);
    free(q->logits);
    q->session = NULL;
    q->steps = NULL;
    q->logits = NULL;
}

static bool begin_session(running *q)
{
    assay_error err = {0};
    q->d->verdict->stage = CONF_STAGE_SESSION_OPEN;
    const assay_status rc =
        conf_open_session(q->d->engine, q->r.model, q->n_samples, q->w->c->decoder.n_tokens,
                          q->w->c->decoder.caches, &q->session, &err);
    return rc == ASSAY_OK ? make_steps(q) : conf_replay_refused(&q->r, rc, &err);
}

static assay_status run_step(running *q, bool traced, assay_error *err)
{
    const assay_engine *e = q->d->engine;
    const assay_tap tap = {.size = sizeof tap, .fn = pass_tensor, .context = q};
    const assay_status rc = traced ? e->tap(q->session, &tap, err) : ASSAY_OK;
    if (rc != ASSAY_OK) return rc;
    return conf_step_run(e, q->session, q->steps, q->n_samples, q->d->single ? 0 : q->w->c->decoder.n_tokens,
                         err);
}

/* After a failure of the step with a tap: evaluates the same in a new session without one. */
static bool evaluate_untraced(running *q, const assay_error *why)
{
    assay_error err = {0};
    end_session(q);
    q->d->verdict->last_trace[0] = '\0';
    if (!begin_session(q)) return false;
    q->d->verdict->stage = CONF_STAGE_PREFILL;
    const assay_status rc = run_step(q, false, &err);
    if (rc != ASSAY_OK) return conf_replay_refused(&q->r, rc, &err);
    (void)snprintf(q->d->refusal, CONF_TEXT_MAX, "%.*s", CONF_TEXT_MAX - 1,
                   why->text[0] ? why->text : "no reason given");
    shown_clean(q->d->refusal, CONF_TEXT_MAX);
    return store_logits(q);
}

static bool evaluate(running *q)
{
    const bool traced = q->d->fn && q->d->engine->tap;
    assay_error err = {0};
    if (!begin_session(q)) return false;
    q->d->verdict->stage = CONF_STAGE_TRACED_PREFILL;
    const assay_status rc = run_step(q, traced, &err);
    if (rc == ASSAY_OK) return store_logits(q);
    err.text[sizeof err.text - 1] = '\0';
    return traced && q->d->refusal ? evaluate_untraced(q, &err) : conf_replay_refused(&q->r, rc, &err);
}

/* The vocabulary is that of the case or, without a truth, of the first engine that is driven. */
static bool check_vocab(running *q)
{
    const size_t vocab = q->d->engine->model_vocab(q->r.model);
    if (q->w->vocab == 0) q->w->vocab = vocab;
    if (vocab > 0 && vocab == q->w->vocab) return true;
    conf_verdict_fail(q->d->verdict, CONF_CLASS_SHAPE,
                      "the engine's vocabulary has %zu ids, the recorded one %zu", vocab, q->w->vocab);
    return false;
}

bool conf_drive_run(conf_walker *w, const conf_drive *d)
{
    running q = {.w = w, .d = d, .r = {.engine = d->engine, .c = w->c, .verdict = d->verdict}};
    assay_error err = {0};
    q.n_samples = d->single ? 1 : w->c->decoder.n_samples;
    w->running = d->verdict;
    d->verdict->last_trace[0] = '\0';
    d->verdict->stage = CONF_STAGE_MODEL_OPEN;
    assay_model_options options = {
        .size = sizeof options, .kernels = d->kernels, .allow_unknown = w->c->allow_unknown};
    conf_compute_request(d->compute, d->engine, &options);
    const assay_status rc = d->engine->model_open(w->c->model, &options, &q.r.model, &err);
    if (rc != ASSAY_OK) return conf_replay_refused(&q.r, rc, &err);
    const bool ok = check_vocab(&q) && evaluate(&q);
    end_session(&q);
    d->engine->model_free(q.r.model);
    if (!w->failed) return ok;
    conf_verdict_set(w->verdict, CONF_BROKEN, "%s", w->err.text);
    return false;
}
