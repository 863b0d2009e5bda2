/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/compute.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/open.h"
#include "conformance/abi/step.h"
#include "conformance/reduce/cut/inputs.h"
#include "conformance/reduce/cut/rows.h"

/* A computation under way: of one sample after the other. */
typedef struct computation {
    const conf_whole *whole;
    const conf_cut *cut;
    const assay_engine *engine;
    assay_model *model;
    double *truth;
    int32_t *tokens; /* [width] */
    double *logits;  /* [width, V] */
    conf_cut_inputs inputs;
    assay_item *items; /* [items of the whole]: those of a sample */
    assay_error *err;
} computation;

/* The logits of n tokens of a sample, in steps. */
static assay_status evaluate(computation *q, size_t sample, size_t n)
{
    const size_t n_prompt = n - q->cut->n_decode, n_cols = q->whole->c->decoder.rows.n_cols;
    conf_sample_step step = {.tokens = q->tokens,
                             .n_tokens = n_prompt,
                             .items = q->items,
                             .logits = q->logits,
                             .n_last = n_prompt};
    const conf_items *items = &q->whole->items;
    for (size_t i = items->of[sample]; i < items->of[sample + 1]; i++)
        if (conf_cut_has_item(q->whole, q->cut, sample, i)) q->items[step.n_items++] = q->inputs.items[i];
    assay_session *session = NULL;
    assay_status rc =
        conf_open_session(q->engine, q->model, 1, n, q->whole->c->decoder.caches, &session, q->err);
    if (rc == ASSAY_OK) rc = conf_step_run(q->engine, session, &step, 1, 0, q->err);
    for (size_t i = n_prompt; i < n && rc == ASSAY_OK; i++) {
        step = (conf_sample_step){
            .tokens = q->tokens + i, .n_tokens = 1, .logits = q->logits + i * n_cols, .n_last = 1};
        rc = conf_step_run(q->engine, session, &step, 1, 0, q->err);
    }
    q->engine->session_free(session);
    return rc;
}

static assay_status compute_sample(computation *q, size_t sample)
{
    const conf_rows *rows = &q->whole->c->decoder.rows;
    const size_t n = conf_cut_tokens(q->whole, q->cut, sample), n_prompt = n - q->cut->n_decode;
    conf_cut_sequence(q->whole, q->cut, sample, q->tokens);
    const assay_status rc = evaluate(q, sample, n);
    for (size_t i = 0; i < rows->n_rows && rc == ASSAY_OK; i++) {
        conf_place place;
        if (rows->place[i].sample != sample || !conf_cut_place(q->whole, q->cut, i, &place)) continue;
        const size_t at = place.pos + (place.decode ? n_prompt : 0);
        memcpy(q->truth + i * rows->n_cols, q->logits + at * rows->n_cols, rows->n_cols * sizeof *q->truth);
    }
    return rc;
}

static assay_status open_model(computation *q, const char *path, const char *model)
{
    const conf_case *c = q->whole->c;
    const assay_model_options options = {.size = sizeof options, .allow_unknown = c->allow_unknown};
    assay_status rc = conf_engine_open(path, &q->engine, q->err);
    if (rc == ASSAY_OK && q->engine->logits_dtype != ASSAY_F64)
        rc = assay_fail(q->err, ASSAY_EUNSUPPORTED, "%s computes no float64", path);
    if (rc == ASSAY_OK) rc = q->engine->model_open(model, &options, &q->model, q->err);
    if (rc == ASSAY_OK && q->engine->model_vocab(q->model) != c->decoder.rows.n_cols)
        rc = assay_fail(q->err, ASSAY_EUNSUPPORTED, "%s: its vocabulary is not the recorded one", model);
    return rc;
}

assay_status conf_cut_compute(const conf_whole *whole, const conf_cut *cut, const char *path,
                              const char *model, double *truth, assay_error *err)
{
    const size_t n_items = whole->items.of[whole->c->decoder.n_samples];
    computation q = {.whole = whole,
                     .cut = cut,
                     .truth = truth,
                     .tokens = calloc(whole->width, sizeof *q.tokens),
                     .logits = calloc(whole->width * whole->c->decoder.rows.n_cols, sizeof *q.logits),
                     .items = calloc(n_items + 1, sizeof *q.items),
                     .err = err};
    const bool ok = q.tokens && q.logits && q.items;
    assay_status rc = ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (rc == ASSAY_OK) rc = conf_cut_inputs_open(whole, cut, &q.inputs, err);
    if (rc == ASSAY_OK) rc = open_model(&q, path, model);
    for (size_t b = 0; b < whole->c->decoder.n_samples && rc == ASSAY_OK; b++)
        if (cut->samples[b]) rc = compute_sample(&q, b);
    if (q.model) q.engine->model_free(q.model);
    free(q.tokens);
    free(q.logits);
    free(q.items);
    conf_cut_inputs_free(&q.inputs);
    return rc;
}
