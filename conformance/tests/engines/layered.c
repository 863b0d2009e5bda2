/* An engine with a chain of tensors, each computed from the one before, so that an error made in one
 * is inherited by the next. The name of its checkpoint's directory gives the number of layers, their
 * width, and the fault: "3x4-made". Before the fault may stand what it answers to a step with a tap:
 * "3x4-refuses-traced-made" (ASSAY_EUNSUPPORTED), "3x4-fails-traced-made" (ASSAY_EINTERNAL).
 *
 * embed, then for each layer: attn = out / 2, out = out / 2 + attn + 1
 *
 * The logits are those of the formula model plus the error of the last tensor.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/engines/fail.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/engines/process_faults.h"
#include "conformance/tests/engines/samples.h"
#include "conformance/tests/engines/tap.h"

#ifdef LAYERED_NO_OVERRIDE
#define TAPS_CAN_WRITE false
#else
#define TAPS_CAN_WRITE true
#endif

struct assay_model {
    size_t n_layers, width;
    assay_status traced; /* of a step with a tap */
    char fault[64];
};

struct assay_session {
    const assay_model *model;
    assay_tap tap;
    size_t n_steps; /* since the last step that began a sample */
    test_samples samples;
};

/* The pass of one sample's new tokens through the layers. Most faults are in the pass that begins a sample.
 */
typedef struct pass {
    const assay_session *s;
    size_t sample, n; /* n: tokens */
    size_t n_samples; /* of the call */
    bool begins, padded;
    bool stopped;          /* the tap has ended the step */
    bool overwritten;      /* the tap has written to a tensor; known where the fault needs it */
    const uint32_t *state; /* [n], after each token */
    float *x, *y;          /* [n, width] */
} pass;

/* It needs struct assay_session. */
#include "conformance/tests/engines/sample_calls.h"

static bool errs(const assay_session *s, const char *fault)
{
    return strcmp(s->model->fault, fault) == 0;
}

/* Takes the prefix off the fault. */
static void read_traced(assay_model *m, const char *prefix, assay_status status)
{
    const size_t n = strlen(prefix);
    if (strncmp(m->fault, prefix, n) != 0) return;
    memmove(m->fault, m->fault + n, strlen(m->fault + n) + 1);
    m->traced = status;
}

static assay_status layered_model_open(const char *dir, const assay_model_options *given, assay_model **out,
                                       assay_error *err)
{
    const char *slash = strrchr(dir, '/');
    assay_model_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_model_options", err);
    if (rc != ASSAY_OK) return rc;
    if (options.compute || options.kernels)
        return fail(err, ASSAY_EUNSUPPORTED, "types and kernels cannot be chosen");
    assay_model *m = calloc(1, sizeof *m);
    if (!m) return fail(err, ASSAY_ENOMEM, "out of memory");
    if (sscanf(slash ? slash + 1 : dir, "%zux%zu-%63s", &m->n_layers, &m->width, m->fault) != 3) {
        free(m);
        return fail(err, ASSAY_EFORMAT, "no such model");
    }
    read_traced(m, "refuses-traced-", ASSAY_EUNSUPPORTED);
    read_traced(m, "fails-traced-", ASSAY_EINTERNAL);
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

static assay_status layered_session_open(assay_model *m, const assay_session_options *given,
                                         assay_session **out, assay_error *err)
{
    assay_session_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_session_options", err);
    if (rc != ASSAY_OK) return rc;
    if (options.limit) return fail(err, ASSAY_EUNSUPPORTED, "caches have no limit");
    assay_session *s = calloc(1, sizeof *s);
    if (!s) return fail(err, ASSAY_ENOMEM, "out of memory");
    s->model = m;
    rc = samples_open(&s->samples, options.n_samples, err);
    if (rc == ASSAY_OK) *out = s;
    else free(s);
    return rc;
}

static void layered_session_free(assay_session *s)
{
    if (s) samples_free(&s->samples);
    free(s);
}

#ifndef LAYERED_NO_TRACE
static assay_status layered_tap(assay_session *s, const assay_tap *tap, assay_error *err)
{
    if (errs(s, "refuses-tap")) return fail(err, ASSAY_EUNSUPPORTED, "no taps");
    return tap_set(&s->tap, tap, err);
}
#endif

/* Whether the fault occurs only if a tap writes golden inputs. */
static bool minds_overwriting(const assay_session *s)
{
    return errs(s, "crash-override") || errs(s, "crash-sound") || errs(s, "fails-overridden");
}

/* Golden inputs are what this engine computes, bit for bit. To see that a tap has written them, the first
 * element is an ulp off where a fault needs it, far less than the noise. */
static void tap_tensor(pass *p, float *x, size_t width, const char *name)
{
    const assay_session *s = p->s;
    const assay_tensor tensor = {
        .name = name, .dtype = ASSAY_F32, .rank = 2, .shape = {p->n, width}, .data = x};
    const bool marks = s->tap.fn && minds_overwriting(s);
    const float mark = nextafterf(x[0], INFINITY);
    if (p->stopped) return;
    if (marks) x[0] = mark;
    p->stopped = !tap_give(&s->tap, p->sample, &tensor, TAPS_CAN_WRITE ? x : NULL);
    if (marks && x[0] != mark) p->overwritten = true;
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

static void attend(pass *p, size_t layer)
{
    size_t width = p->s->model->width;
    bool bad = p->begins && layer == 1, has_two = p->n > 1;
    char name[32];
    (void)snprintf(name, sizeof name, "layer.%02zu.attn", layer);
    for (size_t i = 0; i < p->n * width; i++) p->y[i] = p->x[i] / 2;
    if (bad && errs(p->s, "crash")) crash();
    if (bad && errs(p->s, "crash-override") && p->overwritten) crash();
    if (errs(p->s, "crash-sound") && p->overwritten) crash();
    if (bad && has_two && has_fault(p)) p->y[(errs(p->s, "with-forced") ? p->n - 1 : 1) * width + 2] += 1;
    if (bad && has_two && errs(p->s, "crash-override")) p->y[width + 2] += 1;
    if (p->begins && layer == 2 && has_two && errs(p->s, "slow-made")) p->y[width + 2] += 1;
    if (bad && has_two && errs(p->s, "nan")) p->y[width + 2] = NAN;
    tap_tensor(p, p->y, bad && errs(p->s, "shape") ? width - 1 : width, name);
    for (size_t i = 0; i < p->n * width; i++) p->x[i] = p->x[i] / 2 + p->y[i] + 1;
}

static void run_layers(pass *p)
{
    size_t width = p->s->model->width;
    for (size_t t = 0; t < p->n; t++)
        for (size_t d = 0; d < width; d++)
            p->x[t * width + d] = (float)formula_trace(p->state[t], 0, d % FORMULA_WIDTH);
    tap_tensor(p, p->x, width, "embed");
    for (size_t layer = 0; !p->stopped && layer < p->s->model->n_layers; layer++) {
        char name[32];
        (void)snprintf(name, sizeof name, "layer.%02zu.out", layer);
        attend(p, layer);
        if (p->begins && (errs(p->s, "slow") || errs(p->s, "slow-made")) && p->sample == 0)
            p->x[1] += (float)(LAYERED_NOISE * (layer == 1 ? 2.5 : 2));
        tap_tensor(p, p->x, width, name);
    }
}

static void write_row(float *row, uint32_t state, const float *x, const assay_model *m)
{
    for (size_t v = 0; v < FORMULA_VOCAB; v++) {
        double off = (double)x[v % m->width] -
                     (formula_trace(state, 0, v % m->width % FORMULA_WIDTH) + (double)m->n_layers);
        row[v] = (float)(formula_logit(state, v) + off);
    }
}

/* Faults of the steps after the one that began the sample. */
static void decode_faults(const pass *p, float *row)
{
    const assay_session *s = p->s;
    size_t n_samples = 0;
    for (size_t b = 0; b < s->samples.n; b++)
        n_samples += s->samples.at[b].is_live && s->samples.at[b].n_tokens;
    bool off = errs(s, "decode") || (errs(s, "decode-neighbours") && n_samples > 1) ||
               (errs(s, "decode-padding") && p->padded) || (errs(s, "with-forced") && p->sample == 1);
    if (off && s->n_steps == 2) row[4] += 1;
    if (errs(s, "decode-uneven") && s->n_steps == 2 - p->sample) row[4] += 1;
}

static assay_status run_pass(pass *p, const assay_step *step, assay_error *err)
{
    size_t width = p->s->model->width;
    p->x = calloc(p->n * width, sizeof *p->x);
    p->y = calloc(p->n * width, sizeof *p->y);
    bool ok = p->x && p->y;
    if (ok) run_layers(p);
    for (size_t o = 0; ok && o < step->n_outputs; o++) {
        float *rows = step->outputs[o].data;
        size_t n = step->outputs[o].n_last;
        for (size_t i = 0; i < n; i++) {
            size_t t = p->n - n + i;
            write_row(rows + i * FORMULA_VOCAB, p->state[t], p->x + t * width, p->s->model);
        }
        if (!p->begins) decode_faults(p, rows + (n - 1) * FORMULA_VOCAB);
    }
    free(p->x);
    free(p->y);
    if (!ok) return fail(err, ASSAY_ENOMEM, "out of memory");
    if (p->stopped) return fail(err, ASSAY_ESTOPPED, "the tap ended the step");
    if (p->overwritten && errs(p->s, "fails-overridden"))
        return fail(err, ASSAY_EINTERNAL, "no golden inputs, please");
    return ASSAY_OK;
}

static assay_status run_step(assay_session *s, const assay_step *step, size_t n_samples, size_t width,
                             assay_error *err)
{
    test_sample *one = &s->samples.at[step->sample];
    bool begins = one->n_tokens == 0;
    if (begins) one->padding = width - step->n_tokens;
    sample_append(one, sample_state(one, one->n_tokens), step->tokens, step->n_tokens);
    pass p = {.s = s,
              .sample = step->sample,
              .n = step->n_tokens,
              .n_samples = n_samples,
              .begins = begins,
              .padded = one->padding > 0,
              .state = one->state + one->n_tokens - step->n_tokens};
    return run_pass(&p, step, err);
}

static assay_status layered_step(assay_session *s, const assay_step *steps, size_t n,
                                 const assay_step_options *given, assay_error *err)
{
    assay_step_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_step_options", err);
    if (rc == ASSAY_OK) rc = samples_check(&s->samples, steps, n, err);
    if (rc == ASSAY_OK && s->tap.fn && s->model->traced)
        return fail(err, s->model->traced, "no traced steps");
    if (rc != ASSAY_OK) return rc;
    s->n_steps = samples_begin(&s->samples, steps, n) ? 0 : s->n_steps + 1;
    size_t width = samples_width(steps, n, &options), n_done = 0;
    for (; rc == ASSAY_OK && n_done < n; n_done++) rc = run_step(s, &steps[n_done], n, width, err);
    if (rc != ASSAY_OK) samples_undo(&s->samples, steps, n_done);
    return rc;
}

const assay_engine *assay_engine_v2(void);

const assay_engine *assay_engine_v2(void)
{
    static const assay_engine table = {
        .abi = ASSAY_ENGINE_ABI,
        .size = sizeof(assay_engine),
        .name = "layered",
        .version = "1",
        .logits_dtype = ASSAY_F32,
        .taps_can_write = TAPS_CAN_WRITE,
        .model_open = layered_model_open,
        .model_free = layered_model_free,
        .model_vocab = layered_model_vocab,
        .session_open = layered_session_open,
        .session_free = layered_session_free,
        .step = layered_step,
        .join = call_join,
        .leave = call_leave,
        .rewind = call_rewind,
        .fork = call_fork,
#ifndef LAYERED_NO_TRACE
        .tap = layered_tap,
#endif
    };
    return &table;
}
