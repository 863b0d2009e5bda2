/* One measurement, in the child process.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/dtype.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/open.h"
#include "conformance/abi/step.h"
#include "conformance/evaluate/load.h"
#include "conformance/support/clock.h"
#include "conformance/support/draw.h"

#define WARM_TOKENS  16  /* enough to touch every weight */
#define STEP_SECONDS 5.0 /* decode takes no further step after this time */

typedef struct measurement {
    const conf_bench_request *request;
    const conf_bench_point *point;
    const assay_engine *engine;
    conf_verdict *verdict;
    assay_model *model;
    assay_session *session;
    size_t vocab, n_ids;
    uint64_t state;                 /* of the generator of token ids */
    int32_t *tokens, *next;         /* [n_samples, n_tokens], [n_samples] */
    conf_sample_step *steps;        /* [n_samples] */
    char *logits;                   /* [n_samples, vocab] */
    size_t logits_bytes, row_bytes; /* of all rows; of one row */
    size_t peak_bytes;              /* of the process, at the end or before another session is opened */
    assay_session *other;           /* with a sample that has joined; NULL: not measured */
    size_t joined;                  /* that sample */
    conf_bench_items items;         /* of each prompt */
    bool gives_items;               /* steps have them */
} measurement;

static bool call_failed(measurement *m, assay_status rc, assay_error *err)
{
    err->text[sizeof err->text - 1] = '\0';
    const char *text = err->text[0] ? err->text : "no reason given", *stage;
    stage = conf_stage_name(m->verdict->stage);
    if (rc == ASSAY_EUNSUPPORTED) conf_verdict_set(m->verdict, CONF_SKIPPED, "%s", text);
    else if (rc == ASSAY_ENOMEM)
        conf_verdict_fail(m->verdict, CONF_CLASS_MEMORY, "%s failed: %s (see --memory)", stage, text);
    else conf_verdict_fail(m->verdict, CONF_CLASS_REFUSED, "%s failed: %s", stage, text);
    return false;
}

static void draw_tokens(measurement *m, int32_t *tokens, size_t n)
{
    for (size_t i = 0; i < n; i++) tokens[i] = (int32_t)conf_draw_below(&m->state, m->n_ids);
}

/* Fills with NaN: all bits set are a NaN in every floating type. */
static void fill_with_nan(char *logits, size_t n_bytes)
{
    memset(logits, 0xff, n_bytes);
}

/* Checks that a row of logits holds no NaN, which the fill or the engine left; a NaN makes the best
 * token undefined. */
static bool check_row(measurement *m, const char *row)
{
    bool wide = m->engine->logits_dtype == ASSAY_F64;
    for (size_t v = 0; v < m->vocab; v++) {
        double x =
            wide ? ((const double *)(const void *)row)[v] : (double)((const float *)(const void *)row)[v];
        if (!isnan(x)) continue;
        conf_verdict_fail(m->verdict, CONF_CLASS_MASK, "%s left logits unwritten, or gave NaN",
                          conf_stage_name(m->verdict->stage));
        return false;
    }
    return true;
}

static void note_peak(measurement *m)
{
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_SELF, &usage);
    if (!m->peak_bytes) m->peak_bytes = (size_t)usage.ru_maxrss * 1024; /* Linux counts it in KiB */
}

/* Evaluates n tokens of each of the first n_samples samples, and the logits of the last of them. tokens:
 * [n_samples, stride]. */
static bool run_step(measurement *m, assay_session *session, const int32_t *tokens, size_t n_samples,
                     size_t n, size_t stride)
{
    assay_error err = {0};
    for (size_t b = 0; b < n_samples; b++)
        m->steps[b] = (conf_sample_step){.sample = b,
                                         .tokens = tokens + b * stride,
                                         .n_tokens = n,
                                         .items = m->items.items,
                                         .n_items = m->gives_items ? m->items.n : 0,
                                         .logits = m->logits + b * m->row_bytes,
                                         .n_last = 1};
    assay_status rc = conf_step_run(m->engine, session, m->steps, n_samples, 0, &err);
    return rc == ASSAY_OK ? true : call_failed(m, rc, &err);
}

static bool run_prompts(measurement *m)
{
    const size_t n = m->point->n_tokens;
    m->verdict->stage = CONF_STAGE_PREFILL;
    m->gives_items = true;
    const bool ok = run_step(m, m->session, m->tokens, m->point->n_samples, n, n);
    m->gives_items = false;
    return ok;
}

static bool check_rows(measurement *m)
{
    for (size_t b = 0; b < m->point->n_samples; b++)
        if (!check_row(m, m->logits + b * m->row_bytes)) return false;
    return true;
}

static bool measure_first(measurement *m)
{
    if (!run_prompts(m) || !check_rows(m)) return false;
    m->request->out->seconds = conf_clock() - m->request->requested_at;
    return true;
}

/* Evaluates a short prompt in a session of its own. */
static bool warm_up(measurement *m)
{
    const size_t n = m->point->n_tokens < WARM_TOKENS ? m->point->n_tokens : WARM_TOKENS;
    assay_session *session = NULL;
    assay_error err = {0};
    m->verdict->stage = CONF_STAGE_SESSION_OPEN;
    assay_status rc = conf_open_session(m->engine, m->model, 1, n, (conf_cache_limit){0}, &session, &err);
    if (rc != ASSAY_OK) return call_failed(m, rc, &err);
    m->verdict->stage = CONF_STAGE_PREFILL;
    const bool ok = run_step(m, session, m->tokens, 1, n, n);
    m->engine->session_free(session);
    return ok;
}

static bool measure_prefill(measurement *m)
{
    if (!warm_up(m)) return false;
    fill_with_nan(m->logits, m->logits_bytes);
    double start = conf_clock();
    bool ok = run_prompts(m);
    m->request->out->seconds = conf_clock() - start;
    return ok && check_rows(m);
}

static bool run_decode_step(measurement *m)
{
    draw_tokens(m, m->next, m->point->n_samples);
    m->verdict->stage = CONF_STAGE_DECODE;
    return run_step(m, m->session, m->next, m->point->n_samples, 1, 1);
}

/* Evaluates n tokens of the sample that has joined, and the logits of the last. */
static bool run_joined(measurement *m, const int32_t *tokens, size_t n)
{
    assay_error err = {0};
    const conf_sample_step step = {
        .sample = m->joined, .tokens = tokens, .n_tokens = n, .logits = m->logits, .n_last = 1};
    const assay_status rc = conf_step_run(m->engine, m->other, &step, 1, 0, &err);
    return rc == ASSAY_OK ? true : call_failed(m, rc, &err);
}

/* Has a sample join a session of others, and get the prompt and the token of the step that is not timed; not
 * if the engine refuses that as unsupported. */
static bool open_joined(measurement *m)
{
    assay_error err = {0};
    const size_t n_most = m->point->n_tokens + 1 + m->request->n_steps;
    if (m->point->n_samples != 1 || !m->engine->join) return true;
    note_peak(m);
    m->verdict->stage = CONF_STAGE_SESSION_OPEN;
    assay_status rc = conf_open_session(m->engine, m->model, CONF_BENCH_RESTING, n_most,
                                        (conf_cache_limit){0}, &m->other, &err);
    if (rc == ASSAY_OK) rc = m->engine->join(m->other, &m->joined, &err);
    if (rc == ASSAY_OK) return run_joined(m, m->tokens, m->point->n_tokens) && run_joined(m, m->next, 1);
    m->engine->session_free(m->other);
    m->other = NULL;
    return rc == ASSAY_EUNSUPPORTED ? true : call_failed(m, rc, &err);
}

/* The first step is not timed: engines allocate in it. */
static bool measure_decode(measurement *m)
{
    conf_bench_time *out = m->request->out;
    bool ok = run_prompts(m) && run_decode_step(m) && open_joined(m);
    fill_with_nan(m->logits, m->logits_bytes);
    for (out->n_steps = 0;
         ok && out->n_steps < m->request->n_steps && out->seconds + out->joined_seconds < STEP_SECONDS;
         out->n_steps++) {
        const double start = conf_clock();
        ok = run_decode_step(m);
        out->seconds += conf_clock() - start;
        ok = ok && check_rows(m);
        const double again = conf_clock();
        if (ok && m->other) ok = run_joined(m, m->next, 1);
        if (m->other) out->joined_seconds += conf_clock() - again;
    }
    if (m->other) m->engine->session_free(m->other);
    return ok && check_rows(m);
}

/* Allocates the buffers, which belong to the harness: if they do not fit, the point is skipped, not failed.
 */
static bool allocate_buffers(measurement *m)
{
    const conf_bench_point *p = m->point;
    size_t n;
    m->row_bytes = m->vocab * dtype_size(m->engine->logits_dtype);
    if (!__builtin_mul_overflow(p->n_samples, p->n_tokens, &n) && n <= SIZE_MAX / sizeof(int32_t)) {
        m->tokens = malloc(n * sizeof *m->tokens);
        m->next = calloc(p->n_samples, sizeof *m->next);
        m->steps = calloc(p->n_samples, sizeof *m->steps);
    }
    const bool has_tokens = m->tokens && m->next && m->steps;
    if (has_tokens && !__builtin_mul_overflow(p->n_samples, m->row_bytes, &m->logits_bytes))
        m->logits = malloc(m->logits_bytes);
    if (!m->logits) {
        conf_verdict_set(m->verdict, CONF_SKIPPED,
                         "no memory for the %s of %zu samples of %zu tokens (see --memory)",
                         has_tokens ? "logits" : "tokens", p->n_samples, p->n_tokens);
        return false;
    }
    fill_with_nan(m->logits, m->logits_bytes);
    draw_tokens(m, m->tokens, n);
    if (p->pictures.n == 0) return true;
    for (size_t b = 0; b < p->n_samples; b++)
        conf_bench_pictures_place(&p->pictures, &m->request->tower, m->tokens + b * p->n_tokens);
    if (conf_bench_items_draw(&p->pictures, &m->request->tower, &m->state, &m->items)) return true;
    conf_verdict_set(m->verdict, CONF_SKIPPED, "no memory for the images (see --memory)");
    return false;
}

static bool measure_point(measurement *m)
{
    static bool (*const measures[])(measurement *) = {measure_first, measure_prefill, measure_decode};
    m->request->out->n_steps = 1;
    if (!allocate_buffers(m) || !measures[m->point->kind](m)) return false;
    note_peak(m);
    m->request->out->peak_bytes = m->peak_bytes > m->logits_bytes ? m->peak_bytes - m->logits_bytes : 0;
    return true;
}

static void measure_model(measurement *m, assay_model *model)
{
    assay_error err = {0};
    m->model = model;
    m->vocab = m->engine->model_vocab(model);
    m->n_ids = m->vocab < m->request->n_ids ? m->vocab : m->request->n_ids;
    if (m->n_ids == 0 || m->n_ids > INT32_MAX) {
        conf_verdict_fail(m->verdict, CONF_CLASS_SHAPE, "the engine's vocabulary has %zu ids", m->vocab);
        return;
    }
    m->verdict->stage = CONF_STAGE_SESSION_OPEN;
    assay_status rc =
        conf_open_session(m->engine, model, m->point->n_samples, m->point->n_tokens + 1 + m->request->n_steps,
                          (conf_cache_limit){0}, &m->session, &err);
    if (rc != ASSAY_OK) (void)call_failed(m, rc, &err);
    else (void)measure_point(m);
    conf_stage reached = m->verdict->stage;
    m->verdict->stage = CONF_STAGE_CLOSE;
    m->engine->session_free(m->session);
    m->verdict->stage = reached;
}

void conf_bench_measure(const void *request, conf_verdict *v)
{
    const conf_bench_request *r = request;
    measurement m = {.request = r, .point = &r->point, .verdict = v, .state = r->seed};
    assay_error err = {0};
    assay_model *model = NULL;
    v->stage = CONF_STAGE_LOAD;
    if (conf_engine_open(r->engine, &m.engine, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return;
    }
    const assay_kernels *kernels = NULL;
    if (!conf_evaluate_kernels(r->kernels, &kernels, v)) return;
    v->stage = CONF_STAGE_MODEL_OPEN;
    assay_model_options options = {
        .size = sizeof options, .kernels = kernels, .allow_unknown = r->allow_unknown};
    assay_status rc = conf_compute_demand(r->compute, m.engine, r->engine, &options, &err);
    if (rc == ASSAY_OK) rc = m.engine->model_open(r->dir, &options, &model, &err);
    if (rc != ASSAY_OK) {
        (void)call_failed(&m, rc, &err);
        return;
    }
    measure_model(&m, model);
    conf_stage reached = v->stage;
    v->stage = CONF_STAGE_CLOSE;
    m.engine->model_free(model);
    v->stage = reached;
    free(m.logits);
    free(m.tokens);
    free(m.next);
    conf_bench_items_free(&m.items);
    free(m.steps);
}

const char *conf_bench_kind_name(conf_bench_kind kind)
{
    static const char *const names[] = {"first token", "prefill", "decode"};
    return names[kind];
}
