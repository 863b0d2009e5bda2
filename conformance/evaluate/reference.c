/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/step.h"
#include "conformance/case/prompt.h"
#include "conformance/evaluate/tokens.h"
#include "conformance/judge/logits.h"
#include "conformance/judge/verdict.h"

/* An evaluation by the reference. */
typedef struct run {
    const conf_case *c;
    const conf_items *items;
    const conf_sequence *s;
    size_t first;
    const assay_engine *engine;
    conf_reference *out;
    int32_t *tokens; /* [out->n_tokens] */
    double *logits;  /* [out->n_tokens, V] */
    assay_error err; /* the first failure */
    bool failed;
} run;

/* The token whose row of logits is row i of the case; SIZE_MAX if the sequence does not have it. */
static size_t token_of_row(const conf_decoder *d, const conf_sequence *s, size_t i)
{
    const conf_place *p = &d->rows.place[i];
    if (p->sample != s->sample) return SIZE_MAX;
    if (!p->decode) return p->pos;
    const bool has_row =
        p->pos < s->n_more && conf_row_of_step(d, s->sample, p->pos + 1, s->greedy) != SIZE_MAX;
    return has_row ? conf_prompt_length(d, s->sample) + p->pos : SIZE_MAX;
}

double conf_reference_error(const conf_case *c, const conf_sequence *s, size_t first, const double *logits,
                            size_t *n_rows)
{
    const conf_rows *rows = &c->decoder.rows;
    double worst = 0;
    *n_rows = 0;
    if (!c->decoder.has_truth) return 0;
    const conf_bounds bounds = conf_bounds_float64(rows->truth, rows->n_rows, rows->n_cols, c->float64_bound);
    for (size_t i = 0; i < rows->n_rows; i++) {
        const size_t token = token_of_row(&c->decoder, s, i);
        if (token == SIZE_MAX || token < first) continue;
        const conf_logits_judgement j = conf_logits_judge(
            rows->truth + i * rows->n_cols, logits + token * rows->n_cols, 1, rows->n_cols, &bounds);
        worst = fmax(worst, j.multiple);
        (*n_rows)++;
    }
    return worst;
}

/* assay_tap_fn */
static bool store_tensor(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    run *q = context;
    (void)sample;
    (void)data;
    if (tensor->name && !q->failed)
        q->failed = conf_tensors_put(q->out->tensors, tensor, &q->err) != ASSAY_OK;
    return !q->failed;
}

static assay_status evaluate(run *q, assay_model *model)
{
    const assay_tap tap = {.size = sizeof tap, .fn = store_tensor, .context = q};
    conf_sample_step step = {
        .tokens = q->tokens, .n_tokens = q->out->n_tokens, .logits = q->logits, .n_last = q->out->n_tokens};
    step.items = conf_items_of(q->items, q->s->sample, &step.n_items);
    return conf_step_alone(q->engine, model, q->c->decoder.caches, &step, &tap, &q->err);
}

static assay_status open_and_evaluate(run *q)
{
    assay_model *model = NULL;
    const assay_model_options options = {.size = sizeof options, .allow_unknown = q->c->allow_unknown};
    assay_status rc = q->engine->model_open(q->c->model, &options, &model, &q->err);
    if (rc != ASSAY_OK) return rc;
    if (q->engine->model_vocab(model) != q->c->decoder.rows.n_cols)
        rc = assay_fail(&q->err, ASSAY_EUNSUPPORTED, "its vocabulary is not the recorded one");
    if (rc == ASSAY_OK) rc = evaluate(q, model);
    q->engine->model_free(model);
    return rc;
}

/* Whether the logits agree with what is recorded of the sequence; the reason why not is in q->err. */
static bool is_trusted(run *q)
{
    size_t n_rows;
    const double times = conf_reference_error(q->c, q->s, q->first, q->logits, &n_rows);
    if (n_rows && times <= 1) return true;
    if (!n_rows) (void)assay_fail(&q->err, ASSAY_EUNSUPPORTED, "no row of this sample is recorded");
    else
        (void)assay_fail(&q->err, ASSAY_EUNSUPPORTED,
                         "it is %.2g times its bound away from the recorded logits", times);
    return false;
}

static bool prepare(run *q, const char *path)
{
    const conf_decoder *d = &q->c->decoder;
    if (!d->has_truth) {
        (void)assay_fail(&q->err, ASSAY_EUNSUPPORTED, "no truth is recorded");
        return false;
    }
    if (conf_engine_open(path, &q->engine, &q->err) != ASSAY_OK) return false;
    if (!q->engine->tap || q->engine->logits_dtype != ASSAY_F64) {
        (void)assay_fail(&q->err, ASSAY_EUNSUPPORTED, "it is no engine in float64 with a tap");
        return false;
    }
    q->tokens = conf_sequence_tokens(d, q->s, &q->out->n_tokens);
    const size_t n_cols = d->rows.n_cols, n = q->out->n_tokens;
    if (n <= CONF_H5_DATASET_BYTES_MAX / sizeof(double) / n_cols)
        q->logits = calloc(n * n_cols, sizeof *q->logits);
    if (q->tokens && q->logits) return conf_tensors_create(&q->out->tensors, &q->err) == ASSAY_OK;
    (void)assay_fail(&q->err, ASSAY_ENOMEM, "out of memory for %zu tokens", n);
    return false;
}

bool conf_reference_run(const conf_case *c, const conf_items *items, const char *path, const conf_sequence *s,
                        size_t first, conf_reference *out, char *why)
{
    run q = {.c = c, .items = items, .s = s, .first = first, .out = out};
    *out = (conf_reference){0};
    const bool ok = prepare(&q, path) && open_and_evaluate(&q) == ASSAY_OK && !q.failed && is_trusted(&q);
    if (!ok) (void)snprintf(why, CONF_TEXT_MAX, "%.600s", q.err.text);
    free(q.tokens);
    free(q.logits);
    return ok;
}

void conf_reference_free(conf_reference *reference)
{
    conf_tensors_free(reference->tensors);
    *reference = (conf_reference){0};
}
