/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "conformance/process/isolate.h"
#include "conformance/replay/state.h"

bool conf_replay_refused(conf_replay *r, assay_status rc, assay_error *err)
{
    conf_stage stage = r->verdict->stage;
    bool may_refuse = stage < CONF_STAGE_DECODE || stage > CONF_STAGE_PREFILL_LAST;
    err->text[sizeof err->text - 1] = '\0';
    if (!err->text[0]) (void)snprintf(err->text, sizeof err->text, "no reason given");
    conf_memory_explain(rc, err);
    const char *text = err->text;
    conf_class class = rc == ASSAY_ENOMEM ? CONF_CLASS_MEMORY : CONF_CLASS_REFUSED;
    if (rc == ASSAY_EUNSUPPORTED && may_refuse) conf_verdict_set(r->verdict, CONF_SKIPPED, "%s", text);
    else conf_verdict_fail(r->verdict, class, "%s failed: %s", conf_stage_name(stage), text);
    return false;
}

bool conf_replay_no_memory(conf_replay *r)
{
    conf_verdict_set(r->verdict, CONF_BROKEN, "out of memory in the harness for %s", r->c->path);
    return false;
}

void conf_nan_refill(const assay_engine *e, void *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (e->logits_dtype == ASSAY_F64) ((double *)a)[i] = (double)NAN;
        else ((float *)a)[i] = NAN;
    }
}

void *conf_nan_alloc(const assay_engine *e, size_t n)
{
    bool wide = e->logits_dtype == ASSAY_F64;
    void *a = calloc(n ? n : 1, wide ? sizeof(double) : sizeof(float));
    for (size_t i = 0; a && i < n; i++) {
        if (wide) ((double *)a)[i] = (double)NAN;
        else ((float *)a)[i] = NAN;
    }
    return a;
}

void conf_replay_row(const conf_replay *r, double *into, const void *logits, size_t row)
{
    size_t bytes = dtype_size(r->engine->logits_dtype);
    dtype_to_f64(into, (const char *)logits + row * r->vocab * bytes, r->engine->logits_dtype, r->vocab);
}

bool conf_replay_prefill(conf_replay *r, assay_session *session, conf_prefill_fn *fn, void *logits)
{
    const conf_decoder *d = &r->c->decoder;
    assay_batch batch = {.n_samples = r->batch.n_rows,
                         .n_tokens = r->batch.n_tokens,
                         .tokens = r->batch.tokens,
                         .length = r->batch.length,
                         .inputs = d->inputs,
                         .n_inputs = d->n_inputs};
    assay_error err = {0};
    assay_status rc = fn(session, &batch, logits, &err);
    return rc == ASSAY_OK ? true : conf_replay_refused(r, rc, &err);
}

bool conf_replay_step(conf_replay *r, assay_session *session, const int32_t *tokens, void *step)
{
    assay_error err = {0};
    conf_nan_refill(r->engine, step, r->batch.n_rows * r->vocab);
    assay_status rc = r->engine->decode(session, tokens, step, &err);
    return rc == ASSAY_OK ? true : conf_replay_refused(r, rc, &err);
}

void conf_replay_force(const conf_replay *r, size_t n, int32_t *tokens)
{
    const conf_decoder *d = &r->c->decoder;
    conf_arrangement_clear_tokens(&r->batch, tokens);
    for (size_t b = 0; b < d->n_samples; b++)
        tokens[r->batch.row[b]] = ((const int32_t *)d->decode.data)[b * d->n_decode + n];
}
