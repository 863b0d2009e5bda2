/* An engine with a chain of tensors, each computed from the one before, so that an error made in one
 * is inherited by the next. The name of its checkpoint's directory gives the number of layers, their
 * width, and the fault: "3x4-made".
 *
 * embed, then for each layer: attn = out / 2, out = out / 2 + attn + 1
 *
 * The logits are those of the formula model plus the error of the last tensor.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/engines/formula.h"

struct assay_model {
    size_t n_layers, width;
    char fault[64];
};

struct assay_session {
    const assay_model *model;
    assay_trace_fn *trace;
    void *trace_context;
    assay_override_fn *override;
    void *override_context;
    size_t n_samples, n_steps;
    uint32_t state[8];
    bool padded[8];
};

/* The pass of one sample through the layers. */
typedef struct pass {
    const assay_session *s;
    size_t sample, n; /* n: tokens */
    size_t n_samples;
    bool padded;
    float *x, *y; /* [n, width] */
} pass;

static bool errs(const assay_session *s, const char *fault)
{
    return strcmp(s->model->fault, fault) == 0;
}

static assay_status fail(assay_error *err, assay_status status, const char *text)
{
    if (err) (void)snprintf(err->text, sizeof err->text, "%s", text);
    return status;
}

static assay_status layered_model_open(const char *dir, assay_model **out, assay_error *err)
{
    const char *slash = strrchr(dir, '/');
    assay_model *m = calloc(1, sizeof *m);
    if (!m) return fail(err, ASSAY_ENOMEM, "out of memory");
    if (sscanf(slash ? slash + 1 : dir, "%zux%zu-%63s", &m->n_layers, &m->width, m->fault) != 3) {
        free(m);
        return fail(err, ASSAY_EFORMAT, "no such model");
    }
    *out = m;
    return ASSAY_OK;
}

static void layered_model_free(assay_model *m)
{
    free(m);
}

static size_t layered_model_vocab(const assay_model *m)
{
    (void)m;
    return FORMULA_VOCAB;
}

static assay_status layered_session_open(assay_model *m, assay_session **out, assay_error *err)
{
    assay_session *s = calloc(1, sizeof *s);
    if (!s) return fail(err, ASSAY_ENOMEM, "out of memory");
    s->model = m;
    *out = s;
    return ASSAY_OK;
}

static void layered_session_free(assay_session *s)
{
    free(s);
}

#ifndef LAYERED_NO_TRACE
static void layered_session_trace(assay_session *s, assay_trace_fn *fn, void *context)
{
    s->trace = fn;
    s->trace_context = context;
}
#endif

#if !defined LAYERED_NO_TRACE && !defined LAYERED_NO_OVERRIDE
static void layered_session_override(assay_session *s, assay_override_fn *fn, void *context)
{
    s->override = fn;
    s->override_context = context;
}
#endif

static void trace_tensor(const pass *p, float *x, size_t width, const char *name)
{
    const assay_session *s = p->s;
    const assay_tensor tensor = {
        .name = name, .dtype = ASSAY_F32, .rank = 2, .shape = {p->n, width}, .data = x};
    if (s->trace) s->trace(s->trace_context, p->sample, &tensor);
    if (s->override) s->override(s->override_context, p->sample, &tensor, x);
}

/* Whether this sample has the fault in layer 1. */
static bool has_fault(const pass *p)
{
    const assay_session *s = p->s;
    return errs(s, "made") || (errs(s, "neighbours") && p->sample == 1 && p->n_samples > 1) ||
           (errs(s, "neighbours-of-padded") && p->sample == 0 && p->n_samples > 1) ||
           (errs(s, "padding") && p->padded) || (errs(s, "longer") && p->n == 5) ||
           (errs(s, "with-forced") && p->n == 7);
}

static void attend(const pass *p, size_t layer)
{
    size_t width = p->s->model->width;
    bool bad = layer == 1;
    char name[32];
    (void)snprintf(name, sizeof name, "layer.%02zu.attn", layer);
    for (size_t i = 0; i < p->n * width; i++) p->y[i] = p->x[i] / 2;
    if (bad && errs(p->s, "crash")) (void)signal(SIGSEGV, SIG_DFL), (void)raise(SIGSEGV);
    if (bad && errs(p->s, "crash-override") && p->s->override)
        (void)signal(SIGSEGV, SIG_DFL), (void)raise(SIGSEGV);
    if (errs(p->s, "crash-sound") && p->s->override) (void)signal(SIGSEGV, SIG_DFL), (void)raise(SIGSEGV);
    if (bad && has_fault(p)) p->y[(errs(p->s, "with-forced") ? p->n - 1 : 1) * width + 2] += 1;
    if (bad && errs(p->s, "crash-override")) p->y[width + 2] += 1;
    if (layer == 2 && errs(p->s, "slow-made")) p->y[width + 2] += 1;
    if (bad && errs(p->s, "nan")) p->y[width + 2] = NAN;
    trace_tensor(p, p->y, bad && errs(p->s, "shape") ? width - 1 : width, name);
    for (size_t i = 0; i < p->n * width; i++) p->x[i] = p->x[i] / 2 + p->y[i] + 1;
}

static void run_layers(const pass *p, const int32_t *tokens)
{
    size_t width = p->s->model->width;
    uint32_t state = 0;
    for (size_t t = 0; t < p->n; t++) {
        state = formula_step(state, tokens[t]);
        for (size_t d = 0; d < width; d++)
            p->x[t * width + d] = (float)formula_trace(state, 0, d % FORMULA_WIDTH);
    }
    trace_tensor(p, p->x, width, "embed");
    for (size_t layer = 0; layer < p->s->model->n_layers; layer++) {
        char name[32];
        (void)snprintf(name, sizeof name, "layer.%02zu.out", layer);
        attend(p, layer);
        if ((errs(p->s, "slow") || errs(p->s, "slow-made")) && p->sample == 0)
            p->x[1] += (float)(LAYERED_NOISE * (layer == 1 ? 2.5 : 2));
        trace_tensor(p, p->x, width, name);
    }
}

static void write_row(float *row, uint32_t state, const float *x, const assay_model *m)
{
    for (size_t v = 0; v < FORMULA_VOCAB; v++) {
        double off = 0;
        if (x)
            off = (double)x[v % m->width] -
                  (formula_trace(state, 0, v % m->width % FORMULA_WIDTH) + (double)m->n_layers);
        row[v] = (float)(formula_logit(state, v) + off);
    }
}

static assay_status run_sample(pass *p, const int32_t *tokens, float *logits, uint32_t *state,
                               assay_error *err)
{
    size_t width = p->s->model->width;
    p->x = calloc(p->n * width, sizeof *p->x);
    p->y = calloc(p->n * width, sizeof *p->y);
    bool ok = p->x && p->y;
    if (ok) run_layers(p, tokens);
    *state = 0;
    for (size_t t = 0; ok && t < p->n; t++) {
        *state = formula_step(*state, tokens[t]);
        write_row(logits + t * FORMULA_VOCAB, *state, p->x + t * width, p->s->model);
    }
    free(p->x);
    free(p->y);
    return ok ? ASSAY_OK : fail(err, ASSAY_ENOMEM, "out of memory");
}

static assay_status layered_prefill(assay_session *s, const assay_batch *batch, void *out, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    if (errs(s, "fails-overridden") && s->override)
        return fail(err, ASSAY_EINTERNAL, "no golden inputs, please");
    s->n_samples = batch->n_samples;
    s->n_steps = 0;
    for (size_t b = 0; rc == ASSAY_OK && b < batch->n_samples; b++) {
        size_t n = (size_t)batch->length[b], skipped = (b + 1) * batch->n_tokens - n;
        s->padded[b] = n < batch->n_tokens;
        pass p = {.s = s, .sample = b, .n = n, .n_samples = batch->n_samples, .padded = s->padded[b]};
        rc = run_sample(&p, batch->tokens + skipped, (float *)out + skipped * FORMULA_VOCAB, &s->state[b],
                        err);
    }
    return rc;
}

static assay_status layered_decode(assay_session *s, const int32_t *tokens, void *out, assay_error *err)
{
    (void)err;
    s->n_steps++;
    for (size_t b = 0; b < s->n_samples; b++) {
        if (tokens[b] < 0) continue;
        float *row = (float *)out + b * FORMULA_VOCAB;
        s->state[b] = formula_step(s->state[b], tokens[b]);
        write_row(row, s->state[b], NULL, s->model);
        bool off = errs(s, "decode") || (errs(s, "decode-neighbours") && s->n_samples > 1) ||
                   (errs(s, "decode-padding") && s->padded[b]) || (errs(s, "with-forced") && b == 1);
        if (off && s->n_steps == 2) row[4] += 1;
        if (errs(s, "decode-uneven") && s->n_steps == 2 - b) row[4] += 1;
    }
    return ASSAY_OK;
}

const assay_engine *assay_engine_v1(void);

const assay_engine *assay_engine_v1(void)
{
    static const assay_engine table = {
        .abi = ASSAY_ENGINE_ABI,
        .size = sizeof(assay_engine),
        .name = "layered",
        .version = "1",
        .logits_dtype = ASSAY_F32,
        .model_open = layered_model_open,
        .model_free = layered_model_free,
        .model_vocab = layered_model_vocab,
        .session_open = layered_session_open,
        .session_free = layered_session_free,
#ifndef LAYERED_NO_TRACE
        .session_trace = layered_session_trace,
#ifndef LAYERED_NO_OVERRIDE
        .session_override = layered_session_override,
#endif
#endif
        .prefill = layered_prefill,
        .decode = layered_decode,
    };
    return &table;
}
