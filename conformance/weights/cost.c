/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/weights/cost.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "conformance/abi/step.h"
#include "conformance/case/items.h"
#include "conformance/evaluate/sequence.h"
#include "conformance/hdf5/hdf5.h"
#include "conformance/judge/distance.h"

/* A checkpoint, and the logits of the sample in turn. */
typedef struct evaluated {
    const char *dir;
    assay_model *model;
    double *logits; /* [n_tokens, V] */
} evaluated;

typedef struct run {
    const conf_case *c;
    const assay_engine *engine;
    conf_items items;
    evaluated of[2]; /* the original, the stored one */
    size_t vocab;
    conf_weights_cost *out;
    assay_error *err;
} run;

static assay_status open_models(run *q, const char *const dirs[2])
{
    const assay_model_options options = {.size = sizeof options, .allow_unknown = q->c->allow_unknown};
    for (size_t i = 0; i < 2; i++) {
        q->of[i].dir = dirs[i];
        const assay_status rc = q->engine->model_open(dirs[i], &options, &q->of[i].model, q->err);
        if (rc != ASSAY_OK) return rc;
        const size_t vocab = q->engine->model_vocab(q->of[i].model);
        if (i && vocab != q->vocab)
            return assay_fail(q->err, ASSAY_EUNSUPPORTED, "%s: %zu logits, expected %zu as of %s", dirs[1],
                              vocab, q->vocab, dirs[0]);
        q->vocab = vocab;
    }
    return ASSAY_OK;
}

static assay_status evaluate(run *q, evaluated *of, size_t sample, const int32_t *tokens, size_t n)
{
    conf_sample_step step = {.tokens = tokens, .n_tokens = n, .n_last = n};
    of->logits = calloc(n * q->vocab, sizeof *of->logits);
    if (!of->logits) return assay_fail(q->err, ASSAY_ENOMEM, "out of memory for %zu tokens", n);
    step.logits = of->logits;
    step.items = conf_items_of(&q->items, sample, &step.n_items);
    const assay_status rc = conf_step_alone(q->engine, of->model, q->c->decoder.caches, &step, NULL, q->err);
    const assay_error found = *q->err;
    if (rc == ASSAY_OK) return rc;
    return assay_fail(q->err, rc, "%s with the prompts of %s: %.300s", of->dir, q->c->path, found.text);
}

static bool are_finite(const double *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(a[i])) return false;
    return true;
}

static void add_position(run *q, size_t sample, size_t token)
{
    const double *x = q->of[0].logits + token * q->vocab, *y = q->of[1].logits + token * q->vocab;
    const bool finite = are_finite(x, q->vocab) && are_finite(y, q->vocab);
    const double kl = finite ? conf_kl(x, y, q->vocab) : (double)INFINITY;
    conf_weights_cost *out = q->out;
    out->n_positions++;
    out->kl += (kl - out->kl) / (double)out->n_positions;
    if (kl > out->largest_kl) {
        out->largest_kl = kl;
        out->sample = sample;
        out->token = token;
    }
    out->n_changed += conf_argmax(x, q->vocab) != conf_argmax(y, q->vocab);
}

static assay_status add_sample(run *q, size_t sample)
{
    const conf_sequence s = {.sample = sample, .n_more = q->c->decoder.n_decode};
    size_t n = 0;
    int32_t *tokens = conf_sequence_tokens(&q->c->decoder, &s, &n);
    assay_status rc = ASSAY_OK;
    if (!tokens || n > CONF_H5_DATASET_BYTES_MAX / sizeof(double) / q->vocab)
        rc = assay_fail(q->err, ASSAY_ENOMEM, "out of memory for %zu tokens", n);
    for (size_t i = 0; i < 2 && rc == ASSAY_OK; i++) rc = evaluate(q, &q->of[i], sample, tokens, n);
    for (size_t t = 0; t < n && rc == ASSAY_OK; t++) add_position(q, sample, t);
    for (size_t i = 0; i < 2; i++) {
        free(q->of[i].logits);
        q->of[i].logits = NULL;
    }
    free(tokens);
    return rc;
}

assay_status conf_weights_cost_of(const conf_case *c, const assay_engine *engine, const char *original,
                                  const char *stored, conf_weights_cost *out, assay_error *err)
{
    run q = {.c = c, .engine = engine, .out = out, .err = err};
    *out = (conf_weights_cost){.path = c->path};
    if (c->kind != CONF_LOGITS && c->kind != CONF_GENERATE)
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "%s: expected a case with prompts, of kind logits or generate", c->path);
    if (engine->logits_dtype != ASSAY_F64)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "expected an engine with logits in float64");
    assay_status rc = conf_items_divide(c->path, &c->decoder, &q.items, err);
    if (rc == ASSAY_OK) rc = open_models(&q, (const char *const[]){original, stored});
    for (size_t i = 0; i < c->decoder.n_samples && rc == ASSAY_OK; i++) rc = add_sample(&q, i);
    for (size_t i = 0; i < 2; i++) engine->model_free(q.of[i].model);
    conf_items_free(&q.items);
    return rc;
}
