/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/hash.h"
#include "conformance/abi/open.h"
#include "conformance/abi/step.h"
#include "conformance/case/prompt.h"
#include "conformance/replay/session.h"

#define WAIT_SECONDS 30

static assay_status no_memory(assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "out of memory in the harness");
}

static void record_row(const conf_calls *x, size_t row, const void *logits, size_t at)
{
    size_t bytes = x->to->vocab * dtype_size(x->engine->logits_dtype);
    const unsigned char *from = (const unsigned char *)logits + at * bytes;
    x->to->hash[row] = hash_bytes(from, bytes);
    if ((row + 1) * bytes <= CONF_RECORD_BYTES_MAX) memcpy(x->to->kept + row * bytes, from, bytes);
}

/* Records the model of step i. All models must have the same vocabulary size, and the recorded one if
 * the case has one. */
static assay_status record_model(conf_calls *x, size_t i, assay_model *model, assay_error *err)
{
    const conf_decoder *d = &x->c->decoder;
    size_t found = x->engine->model_vocab(model), expected = x->to->vocab;
    if (!expected && d->has_truth) expected = d->rows.n_cols;
    if (!expected) expected = found;
    if (found != expected || found == 0)
        return assay_fail(err, ASSAY_EINTERNAL, "the engine's vocabulary has %zu ids, expected %zu", found,
                          expected);
    if (!x->to->vocab) x->to->vocab = found; /* only in the serial run, so without a race */
    x->opened[i] = model;
    return ASSAY_OK;
}

static assay_status do_open(conf_calls *x, size_t i, assay_error *err)
{
    assay_model *model = NULL;
    const char *dir = x->c->model;
    assay_status rc = x->engine->model_open(dir, x->options, &model, err);
    return rc == ASSAY_OK ? record_model(x, i, model, err) : rc;
}

static assay_status do_wait(conf_calls *x, size_t i, assay_error *err)
{
    assay_model *model = NULL;
    assay_status rc = loading_wait(x->loadings[x->s->steps[i].model], WAIT_SECONDS, &model, err);
    return rc == ASSAY_OK ? record_model(x, i, model, err) : rc;
}

static assay_status do_close(conf_calls *x, size_t i)
{
    size_t model = x->s->steps[i].model;
    if (x->loadings[model]) {
        loading_free(x->loadings[model]);
        return ASSAY_OK;
    }
    for (size_t k = 0; k < i; k++)
        if (x->s->steps[k].op == CONF_OP_OPEN && x->s->steps[k].model == model)
            x->engine->model_free(x->opened[k]);
    return ASSAY_OK;
}

/* The model of step i, from the first open or wait step of that model: several threads may wait for
 * it. */
static assay_model *model_of(const conf_calls *x, size_t i)
{
    size_t k = 0;
    while (x->s->steps[k].model != x->s->steps[i].model ||
           (x->s->steps[k].op != CONF_OP_OPEN && x->s->steps[k].op != CONF_OP_WAIT))
        k++;
    return x->opened[k];
}

static assay_status do_session(conf_calls *x, size_t i, assay_error *err)
{
    const size_t n = x->s->sessions[x->s->steps[i].session].n_samples;
    conf_live_session *live = &x->sessions[x->s->steps[i].session];
    for (size_t k = 0; k < n; k++) live->number[k] = k;
    return conf_open_session(x->engine, model_of(x, i), n, x->c->decoder.n_tokens + CONF_SCHEDULE_TOKENS_MAX,
                             x->c->decoder.caches, &live->session, err);
}

/* Writes the tokens that a sample of a session may get. */
static assay_status write_row(conf_calls *x, size_t session, size_t k, assay_error *err)
{
    const conf_schedule_sample *is = &x->samples.of[session][k];
    const size_t n = conf_prompt_length(&x->c->decoder, is->prompt) + CONF_SCHEDULE_TOKENS_MAX;
    int32_t *tokens = malloc(n * sizeof *tokens);
    if (!tokens) return no_memory(err);
    for (size_t p = 0; p < n; p++) tokens[p] = conf_schedule_sample_token(is, p, x->c, x->items);
    free(x->sessions[session].tokens[k]);
    x->sessions[session].tokens[k] = tokens;
    return ASSAY_OK;
}

/* A sample without written tokens takes this number. */
static void drop_row(conf_live_session *live, size_t k)
{
    free(live->tokens[k]);
    live->tokens[k] = NULL;
}

/* Describes what the samples of step i get; logits are not set. items: as many as all samples of the case
 * have, for each sample of the session. *padded_width: that of their prompts, if all get the rest of one. */
static assay_status collect_steps(conf_calls *x, size_t i, conf_sample_step *steps, assay_item *items,
                                  size_t *n_steps, size_t *padded_width, assay_error *err)
{
    const conf_step *a = &x->s->steps[i];
    conf_live_session *live = &x->sessions[a->session];
    assay_status rc = ASSAY_OK;
    *n_steps = *padded_width = 0;
    for (size_t k = 0; rc == ASSAY_OK && k < CONF_SCHEDULE_SAMPLES_MAX; k++) {
        const conf_schedule_sample *is = &x->samples.of[a->session][k];
        if (!(a->samples >> k & 1)) continue;
        if (!live->tokens[k]) rc = write_row(x, a->session, k, err);
        if (rc != ASSAY_OK) return rc;
        const size_t n = conf_schedule_sample_next(is, a, x->c, x->items);
        const size_t length = conf_prompt_length(&x->c->decoder, is->prompt);
        conf_sample_step *step = &steps[(*n_steps)++];
        *step = (conf_sample_step){.sample = live->number[k],
                                   .tokens = live->tokens[k] + is->n_tokens,
                                   .n_tokens = n,
                                   .n_last = a->all_rows ? n : 1};
        step->items = items;
        step->n_items = conf_items_select(x->items, is->prompt, is->n_tokens, n, items);
        items += step->n_items;
        if (a->n_tokens == 0 && length > *padded_width) *padded_width = length;
    }
    return rc;
}

static assay_status do_step(conf_calls *x, size_t i, assay_error *err)
{
    const size_t row_bytes = x->to->vocab * dtype_size(x->engine->logits_dtype);
    const size_t n_rows = x->row[i + 1] - x->row[i];
    conf_sample_step steps[CONF_SCHEDULE_SAMPLES_MAX];
    const size_t n_items = x->items->of[x->c->decoder.n_samples];
    size_t n, width;
    char *logits = conf_nan_alloc(x->engine, n_rows * x->to->vocab);
    assay_item *items = calloc(CONF_SCHEDULE_SAMPLES_MAX * n_items + 1, sizeof *items);
    assay_status rc = logits && items ? ASSAY_OK : no_memory(err);
    if (rc == ASSAY_OK) rc = collect_steps(x, i, steps, items, &n, &width, err);
    for (size_t k = 0, row = 0; rc == ASSAY_OK && k < n; row += steps[k++].n_last)
        steps[k].logits = logits + row * row_bytes;
    if (rc == ASSAY_OK)
        rc = conf_step_run(x->engine, x->sessions[x->s->steps[i].session].session, steps, n, width, err);
    for (size_t row = 0; rc == ASSAY_OK && row < n_rows; row++) record_row(x, x->row[i] + row, logits, row);
    free(items);
    free(logits);
    return rc;
}

static assay_status do_rewind(conf_calls *x, size_t i, assay_error *err)
{
    const conf_step *a = &x->s->steps[i];
    const conf_live_session *live = &x->sessions[a->session];
    const conf_schedule_sample *is = &x->samples.of[a->session][a->sample];
    return x->engine->rewind(live->session, live->number[a->sample],
                             conf_schedule_sample_kept(is, a, x->c, x->items), err);
}

static assay_status do_fork(conf_calls *x, size_t i, assay_error *err)
{
    const conf_step *a = &x->s->steps[i];
    const conf_live_session *from = &x->sessions[a->from];
    conf_live_session *into = &x->sessions[a->session];
    drop_row(into, a->sample);
    return x->engine->fork(from->session, from->number[a->origin], into->session, &into->number[a->sample],
                           err);
}

static assay_status do_free(conf_calls *x, size_t i)
{
    conf_live_session *live = &x->sessions[x->s->steps[i].session];
    x->engine->session_free(live->session);
    for (size_t k = 0; k < CONF_SCHEDULE_SAMPLES_MAX; k++) drop_row(live, k);
    return ASSAY_OK;
}

static assay_status call_engine(conf_calls *x, size_t i, assay_error *err)
{
    const conf_step *a = &x->s->steps[i];
    conf_live_session *live = &x->sessions[a->session];
    switch (a->op) {
    case CONF_OP_OPEN: return do_open(x, i, err);
    case CONF_OP_LOAD: return loading_start(x->engine, x->c->model, x->options, &x->loadings[a->model], err);
    case CONF_OP_WAIT: return do_wait(x, i, err);
    case CONF_OP_SESSION: return do_session(x, i, err);
    case CONF_OP_ROW: return write_row(x, a->session, a->sample, err);
    case CONF_OP_STEP: return do_step(x, i, err);
    case CONF_OP_JOIN:
        drop_row(live, a->sample);
        return x->engine->join(live->session, &live->number[a->sample], err);
    case CONF_OP_LEAVE: return x->engine->leave(live->session, live->number[a->sample], err);
    case CONF_OP_REWIND: return do_rewind(x, i, err);
    case CONF_OP_FORK: return do_fork(x, i, err);
    case CONF_OP_FREE: return do_free(x, i);
    default: return do_close(x, i);
    }
}

assay_status conf_calls_run(conf_calls *x, size_t i, assay_error *err)
{
    const assay_status rc = call_engine(x, i, err);
    if (rc == ASSAY_OK) conf_schedule_samples_apply(&x->samples, x->s, x->c, x->items, i);
    return rc;
}
