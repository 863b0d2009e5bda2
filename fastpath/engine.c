/* The fastpath engine's table of functions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <assay/engine.h>

#include "config.h"
#include "fastpath/rope_request.h"
#include "fastpath/session.h"
#include "model/error.h"

struct assay_model {
    fp_model *model;
};

struct assay_session {
    fp_session *session;
    const fp_model *model;
    fp_tracer tracer;
    size_t n_samples;
    size_t *slot; /* [n_samples] */
};

/* The one place where the engine reads the environment. */
static assay_status read_environment(fp_options *out, assay_error *err)
{
    const char *workers = getenv("ASSAY_WORKERS");
    *out = (fp_options){.isa = getenv("ASSAY_ISA"), .grain = SIZE_MAX};
    if (!workers || !*workers) return ASSAY_OK;
    char *end;
    errno = 0;
    unsigned long n = strtoul(workers, &end, 10);
    if (errno || *end || *workers < '0' || *workers > '9' || n == 0 || n > FP_WORKERS_MAX)
        return assay_fail(err, ASSAY_EINVAL, "ASSAY_WORKERS: found \"%s\", expected 1 to %zu", workers,
                          FP_WORKERS_MAX);
    out->n_workers = n;
    return ASSAY_OK;
}

static assay_status fp_abi_model_open(const char *dir, assay_model **out, assay_error *err)
{
    fp_options options;
    assay_model *m = calloc(1, sizeof *m);
    if (!m) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc = read_environment(&options, err);
    if (rc == ASSAY_OK) rc = fp_model_open(dir, &options, &m->model, err);
    if (rc == ASSAY_OK) *out = m;
    else free(m);
    return rc;
}

static void fp_abi_model_free(assay_model *m)
{
    if (!m) return;
    fp_model_free(m->model);
    free(m);
}

static size_t fp_abi_model_vocab(const assay_model *m)
{
    return m->model->plan->vocab;
}

static const int32_t *fp_abi_model_stop_ids(const assay_model *m, size_t *n)
{
    return stop_set_ids(m->model->plan->stops, n);
}

static assay_status fp_abi_session_open(assay_model *m, assay_session **out, assay_error *err)
{
    assay_session *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "session: out of memory");
    s->model = m->model;
    assay_status rc = fp_session_open(m->model, &s->session, err);
    if (rc == ASSAY_OK) *out = s;
    else free(s);
    return rc;
}

static void fp_abi_session_free(assay_session *s)
{
    if (!s) return;
    fp_session_free(s->session);
    free(s->slot);
    free(s);
}

static void fp_abi_session_trace(assay_session *s, assay_trace_fn *fn, void *context)
{
    s->tracer.fn = fn;
    s->tracer.context = context;
}

static void fp_abi_session_override(assay_session *s, assay_override_fn *fn, void *context)
{
    s->tracer.override = fn;
    s->tracer.override_context = context;
}

/* Where row b's tokens begin in tokens [n_samples, n_tokens], and its logits in [n_samples, n_tokens,
 * vocab], in rows: behind the padding. */
static size_t first_row(const assay_batch *batch, size_t b)
{
    return (b + 1) * batch->n_tokens - (size_t)batch->length[b];
}

static assay_status check_batch(const assay_session *s, const assay_batch *batch, assay_error *err)
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

/* New samples in place of those that the session held. */
static assay_status replace_samples(assay_session *s, size_t n, assay_error *err)
{
    size_t *slot = malloc(n * sizeof *slot);
    if (!slot) return assay_fail(err, ASSAY_ENOMEM, "prefill: out of memory");
    while (s->n_samples > 0) (void)fp_session_leave(s->session, s->slot[--s->n_samples], NULL);
    free(s->slot);
    s->slot = slot;
    assay_status rc = ASSAY_OK;
    while (rc == ASSAY_OK && s->n_samples < n) {
        rc = fp_session_join(s->session, &slot[s->n_samples], err);
        if (rc == ASSAY_OK) s->n_samples++;
    }
    return rc;
}

static assay_status fp_abi_prefill(assay_session *s, const assay_batch *batch, void *logits, assay_error *err)
{
    size_t vocab = s->model->plan->vocab;
    assay_status rc = check_batch(s, batch, err);
    if (rc != ASSAY_OK) return rc;
    fp_step *steps = calloc(batch->n_samples, sizeof *steps);
    rc = steps ? replace_samples(s, batch->n_samples, err)
               : assay_fail(err, ASSAY_ENOMEM, "prefill: out of memory");
    for (size_t b = 0; rc == ASSAY_OK && b < batch->n_samples; b++)
        steps[b] = (fp_step){.slot = s->slot[b],
                             .tokens = batch->tokens + first_row(batch, b),
                             .n_tokens = (size_t)batch->length[b],
                             .logits = (float *)logits + first_row(batch, b) * vocab,
                             .n_logits = (size_t)batch->length[b]};
    if (rc == ASSAY_OK) rc = fp_session_step(s->session, steps, batch->n_samples, &s->tracer, err);
    free(steps);
    return rc;
}

static assay_status fp_abi_decode(assay_session *s, const int32_t *tokens, void *logits, assay_error *err)
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
                               .logits = (float *)logits + b * s->model->plan->vocab,
                               .n_logits = 1};
    }
    if (rc == ASSAY_OK && n > 0) rc = fp_session_step(s->session, steps, n, NULL, err);
    free(steps);
    return rc;
}

static assay_status fp_abi_rope(const assay_rope_request *request, void *out, void *cosine, void *sine,
                                size_t *dim, assay_error *err)
{
    fp_options options;
    fp_isa isa;
    assay_status rc = read_environment(&options, err);
    if (rc == ASSAY_OK) rc = fp_isa_choose(options.isa, "ASSAY_ISA", &isa, err);
    if (rc != ASSAY_OK) return rc;
    return fp_rope_request(fp_rope_pick(isa)->f32, request, out, cosine, sine, dim, err);
}

const assay_engine *assay_engine_v1(void);

const assay_engine *assay_engine_v1(void)
{
    static const assay_engine ENGINE = {
        .abi = ASSAY_ENGINE_ABI,
        .size = sizeof(assay_engine),
        .name = "fastpath",
        .version = PACKAGE_VERSION,
        .logits_dtype = ASSAY_F32,
        .model_open = fp_abi_model_open,
        .model_free = fp_abi_model_free,
        .model_vocab = fp_abi_model_vocab,
        .model_stop_ids = fp_abi_model_stop_ids,
        .session_open = fp_abi_session_open,
        .session_free = fp_abi_session_free,
        .session_trace = fp_abi_session_trace,
        .prefill = fp_abi_prefill,
        .decode = fp_abi_decode,
        .rope = fp_abi_rope,
        .session_override = fp_abi_session_override,
    };
    return &ENGINE;
}
