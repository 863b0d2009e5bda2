/* An engine that evaluates the formula model, with the fault that the name of its checkpoint's
 * directory selects.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/tests/engines/fail.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/engines/process_faults.h"
#include "conformance/tests/engines/samples.h"
#include "conformance/tests/engines/still_rope.h"
#include "conformance/tests/engines/tap.h"

#ifdef FAKE_DOUBLE
typedef double real;
#define FAKE_DTYPE ASSAY_F64
#else
typedef float real;
#define FAKE_DTYPE ASSAY_F32
#endif

struct assay_model {
    char fault[64];
    assay_dtype compute; /* requested type */
};

struct assay_session {
    const assay_model *model;
    assay_tap tap;
    size_t n_prefills, n_steps; /* n_prefills: those without a tap; n_steps: since the last prefill */
    bool partial;               /* the last prefill was (see call.is_partial) */
    test_samples samples;
};

/* One call of step. A call that begins a sample is a prefill; any other is a decode.
 * is_partial: fewer rows than tokens are wanted of a sample, and there is no tap. */
typedef struct call {
    const assay_step *steps;
    size_t n, width; /* width: samples are padded to it */
    bool is_prefill, is_partial;
} call;

/* It needs struct assay_session. */
#include "conformance/tests/engines/sample_calls.h"

static bool errs(const assay_session *s, const char *fault)
{
    return strcmp(s->model->fault, fault) == 0;
}

/* Supports no int8; a table from before the optional members, no choice of types at all. */
static assay_status check_options(const assay_model_options *options, assay_error *err)
{
#ifdef FAKE_OLD_TABLE
    if (options->compute != ASSAY_DTYPE_NONE)
        return fail(err, ASSAY_EUNSUPPORTED, "the type of activations cannot be chosen");
#endif
    if (options->compute == ASSAY_I8) return fail(err, ASSAY_EUNSUPPORTED, "int8 is not implemented");
    if (options->kernels) return fail(err, ASSAY_EUNSUPPORTED, "kernels are not implemented");
    return ASSAY_OK;
}

static assay_status fake_model_open(const char *dir, const assay_model_options *given, assay_model **out,
                                    assay_error *err)
{
    const char *slash = strrchr(dir, '/');
    const char *fault = slash ? slash + 1 : dir;
    assay_model_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_model_options", err);
    if (rc == ASSAY_OK) rc = check_options(&options, err);
    if (rc != ASSAY_OK) return rc;
    if (strcmp(fault, "unsupported") == 0) return fail(err, ASSAY_EUNSUPPORTED, "sinks are not implemented");
    if (strcmp(fault, "refused") == 0)
        return fail(err, ASSAY_EFORMAT, "no such \033[31mtensor\nat\xE2\x80\xAE all");
    if (strcmp(fault, "mute") == 0) return ASSAY_EFORMAT;
    if (strncmp(fault, "meet-", 5) == 0) wait_for_other_engine(dir);
    assay_model *m = calloc(1, sizeof *m);
    if (!m) return fail(err, ASSAY_ENOMEM, "out of memory");
    (void)snprintf(m->fault, sizeof m->fault, "%s", fault);
    m->compute = (assay_dtype)options.compute;
    *out = m;
    return ASSAY_OK;
}

static void fake_model_free(assay_model *model)
{
    if (model && strcmp(model->fault, "crash-close") == 0) crash();
    free(model);
}

static size_t fake_model_vocab(const assay_model *model)
{
    return strcmp(model->fault, "vocab") == 0 ? FORMULA_VOCAB - 1 : FORMULA_VOCAB;
}

#if !defined FAKE_NO_STOP_IDS && !defined FAKE_OLD_TABLE
static const int32_t *fake_model_stop_ids(const assay_model *model, size_t *n)
{
    static const int32_t ids[] = {FORMULA_STOP};
    *n = strcmp(model->fault, "no-stop") == 0 ? 0 : 1;
    return ids;
}
#endif

static assay_status fake_session_open(assay_model *model, const assay_session_options *given,
                                      assay_session **out, assay_error *err)
{
    if (strcmp(model->fault, "crash-session") == 0) abort();
    assay_session_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_session_options", err);
    if (rc != ASSAY_OK) return rc;
    if (options.limit) return fail(err, ASSAY_EUNSUPPORTED, "caches have no limit");
    assay_session *s = calloc(1, sizeof *s);
    if (!s) return fail(err, ASSAY_ENOMEM, "out of memory");
    s->model = model;
    rc = samples_open(&s->samples, options.n_samples, err);
    if (rc == ASSAY_OK) *out = s;
    else free(s);
    return rc;
}

static void fake_session_free(assay_session *session)
{
    if (session) samples_free(&session->samples);
    free(session);
}

#ifndef FAKE_OLD_TABLE
static assay_status fake_tap(assay_session *s, const assay_tap *tap, assay_error *err)
{
    return tap_set(&s->tap, tap, err);
}
#endif

/* In bfloat16 the error of the recorded run, or five times that with "narrow-off". */
static float narrow_error(const assay_session *s)
{
    if (s->model->compute != ASSAY_BF16) return 0;
    return (float)FORMULA_NARROW * (errs(s, "narrow-off") ? 5 : 1);
}

/* Gives embed and layer.00.out of one sample's new tokens to the tap: [n, FORMULA_WIDTH]. value: of that
 * shape, scratch. */
static bool give_layers(const assay_session *s, const assay_step *step, float *value)
{
    static const char *const names[] = {"embed", "layer.00.out"};
    const test_sample *one = &s->samples.at[step->sample];
    const uint32_t *state = one->state + one->n_tokens - step->n_tokens;
    bool goes_on = true;
    for (size_t layer = 0; goes_on && layer < 2; layer++) {
        if (layer == 1 && errs(s, "hang")) hang();
        if (layer == 1 && errs(s, "crash-traced")) crash();
        for (size_t t = 0; t < step->n_tokens; t++)
            for (size_t d = 0; d < FORMULA_WIDTH; d++)
                value[t * FORMULA_WIDTH + d] = (float)formula_trace(state[t], layer, d) + narrow_error(s);
        bool second = layer == 1 && step->n_tokens > 1;
        if (second && (errs(s, "trace") || errs(s, "off-traced"))) value[FORMULA_WIDTH + 2] += 1;
        if (second && errs(s, "trace-nan")) value[FORMULA_WIDTH + 2] = NAN;
        const char *name = errs(s, "trace-names") ? "model.norm" : names[layer];
        assay_tensor tensor = {.name = name, .dtype = ASSAY_F32, .rank = 2, .data = value};
        tensor.shape[0] = step->n_tokens;
        tensor.shape[1] = layer == 1 && errs(s, "trace-shape") ? FORMULA_WIDTH - 1 : FORMULA_WIDTH;
        goes_on = tap_give(&s->tap, step->sample, &tensor, NULL);
    }
    return goes_on;
}

static assay_status give_traces(const assay_session *s, const assay_step *step, assay_error *err)
{
    if (!s->tap.fn || errs(s, "trace-none")) return ASSAY_OK;
    float *value = malloc(step->n_tokens * FORMULA_WIDTH * sizeof *value);
    if (!value) return fail(err, ASSAY_ENOMEM, "out of memory");
    bool goes_on = give_layers(s, step, value);
    free(value);
    return goes_on ? ASSAY_OK : fail(err, ASSAY_ESTOPPED, "the tap ended the step");
}

static void write_row(real *row, uint32_t state)
{
    for (size_t v = 0; v < FORMULA_VOCAB; v++) row[v] = (real)formula_logit(state, v);
}

/* Sets the logit of another token to half the noise below the best one. */
static void tie(real *row, uint32_t state)
{
    row[formula_other(state)] = row[formula_best(state)] - (real)(FORMULA_NOISE / 2);
}

/* Row i of the wanted ones of a step, i < 0 from the end; NULL if it is not wanted. */
static real *wanted_row(const assay_step *step, ptrdiff_t i)
{
    if (step->n_outputs == 0) return NULL;
    ptrdiff_t n = (ptrdiff_t)step->outputs->n_last;
    if (i < 0) i += n;
    return i >= 0 && i < n ? (real *)step->outputs->data + i * FORMULA_VOCAB : NULL;
}

/* Faults of the second prefill of a session. */
static void again_faults(const assay_session *s, const assay_step *step, real *last)
{
    real *before = wanted_row(step, -2);
    if (before && errs(s, "again-off")) before[4] += (real)(20 * FORMULA_NOISE);
    if (before && errs(s, "again-nan")) before[4] = NAN;
    if (before && errs(s, "again-within")) before[4] += (real)(3.5 * FORMULA_NOISE);
    if (errs(s, "greedy-nan")) last[4] = NAN;
    if (errs(s, "stops-early")) last[FORMULA_STOP] += 100;
}

/* Faults where fewer rows than tokens are wanted: the next float, an unwritten logit, a lost state. */
static void partial_faults(assay_session *s, const call *c, real *last)
{
    test_sample *first = &s->samples.at[c->steps->sample];
    if (errs(s, "last-off")) last[4] = (real)nextafterf((float)last[4], INFINITY);
    if (errs(s, "last-unwritten")) last[4] = NAN;
    if (errs(s, "last-off-decode-unsupported")) last[4] += 1;
    if (errs(s, "last-forgets")) first->state[first->n_tokens - 1] = 0;
}

static void prefill_faults(assay_session *s, const call *c)
{
    const assay_step *step = &c->steps[c->n - 1];
    real *last = wanted_row(step, -1), *first = wanted_row(c->steps, -1);
    const test_sample *one = &s->samples.at[c->steps->sample];
    if (!last) return;
    last[4] += (real)narrow_error(s);
    if (errs(s, "nan")) last[4] = NAN;
    if (errs(s, "infinite")) last[4] = INFINITY;
    if (errs(s, "within")) last[4] += (real)(3.5 * FORMULA_NOISE);
    if (errs(s, "hair")) last[4] += (real)1e-8;
    if (first && errs(s, "near-tie")) tie(first, sample_state(one, one->n_tokens));
    if (errs(s, "off-traced") || errs(s, "off-decode-unsupported")) last[4] += 1;
    if (errs(s, "untraced") && !s->tap.fn) last[4] += 1;
    if (!s->tap.fn && s->n_prefills == 2) again_faults(s, step, last);
    if (c->is_partial) partial_faults(s, c, last);
}

static void decode_faults(const assay_session *s, const call *c)
{
    bool greedy = s->n_prefills == 2;
    const test_sample *one = &s->samples.at[c->steps->sample];
    uint32_t state = sample_state(one, one->n_tokens);
    int32_t best = formula_best(state);
    real *row = wanted_row(c->steps, -1);
    if (!row) return;
    if (errs(s, "off") && s->n_steps == 2) row[6] += (real)(20 * FORMULA_NOISE);
    if (errs(s, "near-tie") && s->n_steps == 1) tie(row, state);
    if (errs(s, "flip") && greedy && s->n_steps == 1) row[(best + 1) % FORMULA_VOCAB] += 100;
    if (errs(s, "goes-on") && greedy) row[FORMULA_STOP] -= 100;
}

/* Faults before anything is evaluated. */
static assay_status begin_prefill(assay_session *s, const call *c, assay_error *err)
{
    if (c->is_partial && errs(s, "last-crash")) crash();
    if (c->is_partial && errs(s, "last-unsupported")) return fail(err, ASSAY_EUNSUPPORTED, "no last logits");
    if (errs(s, "crash")) crash();
    if (errs(s, "slow")) (void)usleep(300000);
    if (errs(s, "talks-late")) (void)sleep(1), (void)fputs("late words\n", stderr);
    if (errs(s, "leaves-child")) leave_child();
    if (errs(s, "eat-memory") && !eat_memory()) return fail(err, ASSAY_ENOMEM, "no memory for logits");
    if (errs(s, "prints")) (void)puts("ok 999 - an engine that talks"), (void)fflush(stdout);
    s->n_prefills += s->tap.fn == NULL;
    s->n_steps = 0;
    s->partial = c->is_partial;
    return ASSAY_OK;
}

static assay_status begin_decode(assay_session *s, assay_error *err)
{
    if (errs(s, "exit")) exit(3);
    const bool refuses = errs(s, "decode-unsupported") || errs(s, "off-decode-unsupported");
    if (refuses || (s->partial && errs(s, "last-off-decode-unsupported")))
        return fail(err, ASSAY_EUNSUPPORTED, "no decode");
    s->n_steps++;
    return ASSAY_OK;
}

/* Whether a wanted row is left unwritten. */
static bool omits(const assay_session *s, const call *c, const assay_step *step, bool is_last)
{
    if (c->is_prefill) return is_last && step == &c->steps[c->n - 1] && errs(s, "unwritten");
    return s->n_steps == 2 && errs(s, "unwritten-decode");
}

static void write_rows(const assay_session *s, const call *c, const assay_step *step)
{
    const test_sample *one = &s->samples.at[step->sample];
    for (size_t o = 0; o < step->n_outputs; o++) {
        size_t n = step->outputs[o].n_last;
        for (size_t i = 0; i < n; i++) {
            real *row = (real *)step->outputs[o].data + i * FORMULA_VOCAB;
            if (omits(s, c, step, i + 1 == n)) continue;
            write_row(row, one->state[one->n_tokens - n + i]);
            bool deep = c->is_prefill && c->width - step->n_tokens > FORMULA_PADDING_MAX;
            if (deep && errs(s, "deep-padding")) row[0] += 1;
        }
    }
}

static bool wants_fewer_rows(const assay_step *step)
{
    return step->n_outputs && step->outputs->n_last < step->n_tokens;
}

static assay_status fake_step(assay_session *s, const assay_step *steps, size_t n,
                              const assay_step_options *given, assay_error *err)
{
    assay_step_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_step_options", err);
    if (rc == ASSAY_OK) rc = samples_check(&s->samples, steps, n, err);
    if (rc != ASSAY_OK || n == 0) return rc;
    call c = {.steps = steps, .n = n, .width = samples_width(steps, n, &options)};
    c.is_prefill = samples_begin(&s->samples, steps, n);
    for (size_t i = 0; i < n; i++) c.is_partial = c.is_partial || (!s->tap.fn && wants_fewer_rows(&steps[i]));
    rc = c.is_prefill ? begin_prefill(s, &c, err) : begin_decode(s, err);
    if (rc != ASSAY_OK) return rc;
    size_t n_done = 0;
    for (; rc == ASSAY_OK && n_done < n; n_done++) {
        const assay_step *step = &steps[n_done];
        test_sample *one = &s->samples.at[step->sample];
        uint32_t state = sample_state(one, one->n_tokens);
        if (one->n_tokens == 0 && errs(s, "leaks")) state = one->left;
        sample_append(one, state, step->tokens, step->n_tokens);
        write_rows(s, &c, step);
        rc = give_traces(s, step, err);
    }
    if (rc != ASSAY_OK) samples_undo(&s->samples, steps, n_done);
    else if (c.is_prefill) prefill_faults(s, &c);
    else decode_faults(s, &c);
    return rc;
}

#if !defined FAKE_NO_ROPE && !defined FAKE_OLD_TABLE
static assay_status fake_rope(const assay_rope_request *request, void *out, void *cos, void *sin, size_t *dim,
                              assay_error *err)
{
    return still_rope(request, FAKE_DTYPE, out, cos, sin, dim, err);
}
#endif

const assay_engine *assay_engine_v2(void);

#ifdef FAKE_OLD_TABLE
/* A table that ends before the optional members; the bytes after it are no valid pointers. */
static const assay_engine *old_table(const assay_engine *table)
{
    static assay_engine old;
    memset(&old, 0xa5, sizeof old);
    memcpy(&old, table, offsetof(assay_engine, model_stop_ids));
    old.size = (uint32_t)offsetof(assay_engine, model_stop_ids);
    return &old;
}
#endif

const assay_engine *assay_engine_v2(void)
{
    static const assay_engine table = {
        .abi = ASSAY_ENGINE_ABI,
        .size = sizeof(assay_engine),
        .name = "fake",
        .version = "1",
        .logits_dtype = FAKE_DTYPE,
        .model_open = fake_model_open,
        .model_free = fake_model_free,
        .model_vocab = fake_model_vocab,
        .session_open = fake_session_open,
        .session_free = fake_session_free,
        .step = fake_step,
#ifndef FAKE_OLD_TABLE
#ifndef FAKE_NO_STOP_IDS
        .model_stop_ids = fake_model_stop_ids,
#endif
        .join = call_join,
        .leave = call_leave,
        .rewind = call_rewind,
        .fork = call_fork,
        .tap = fake_tap,
#ifndef FAKE_NO_ROPE
        .rope = fake_rope,
#endif
#endif
    };
#ifdef FAKE_OLD_TABLE
    return old_table(&table);
#endif
    return &table;
}
