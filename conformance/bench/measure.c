/* One measurement, in the child process.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/dtype.h"
#include "conformance/abi/compute.h"
#include "conformance/abi/engine.h"
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
    assay_session *session;
    size_t vocab, n_ids;
    uint64_t state;                  /* of the generator of token ids */
    int32_t *tokens, *length, *step; /* [n_samples, n_tokens], [n_samples], [n_samples] */
    size_t n_rows;                   /* rows of logits per prompt: n_tokens, or 1 with prefill_last */
    char *logits, *rows;             /* [n_samples, n_rows, vocab], [n_samples, vocab] */
    size_t logits_bytes, row_bytes;  /* of all rows; of one row */
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

/* Prefills the last n tokens of the first n_samples samples; n is n_tokens unless n_samples is 1. */
static bool prefill_samples(measurement *m, size_t n_samples, size_t n)
{
    assay_error err = {0};
    for (size_t b = 0; b < n_samples; b++) m->length[b] = (int32_t)n;
    const assay_batch batch = {
        .n_samples = n_samples, .n_tokens = n, .tokens = m->tokens, .length = m->length};
    bool last = m->request->out->last;
    m->verdict->stage = last ? CONF_STAGE_PREFILL_LAST : CONF_STAGE_PREFILL;
    assay_status rc = last ? m->engine->prefill_last(m->session, &batch, m->logits, &err)
                           : m->engine->prefill(m->session, &batch, m->logits, &err);
    return rc == ASSAY_OK ? true : call_failed(m, rc, &err);
}

static bool check_prefill(measurement *m)
{
    for (size_t b = 0; b < m->point->n_samples; b++)
        if (!check_row(m, m->logits + ((b + 1) * m->n_rows - 1) * m->row_bytes)) return false;
    return true;
}

static bool measure_first(measurement *m)
{
    if (!prefill_samples(m, m->point->n_samples, m->point->n_tokens) || !check_prefill(m)) return false;
    m->request->out->seconds = conf_clock() - m->request->requested_at;
    return true;
}

static bool measure_prefill(measurement *m)
{
    size_t n = m->point->n_tokens;
    if (!prefill_samples(m, 1, n < WARM_TOKENS ? n : WARM_TOKENS)) return false;
    fill_with_nan(m->logits, m->logits_bytes);
    double start = conf_clock();
    bool ok = prefill_samples(m, m->point->n_samples, n);
    m->request->out->seconds = conf_clock() - start;
    return ok && check_prefill(m);
}

static bool run_decode_step(measurement *m)
{
    assay_error err = {0};
    draw_tokens(m, m->step, m->point->n_samples);
    m->verdict->stage = CONF_STAGE_DECODE;
    assay_status rc = m->engine->decode(m->session, m->step, m->rows, &err);
    return rc == ASSAY_OK ? true : call_failed(m, rc, &err);
}

/* The first step is not timed: engines allocate in it. */
static bool measure_decode(measurement *m)
{
    conf_bench_time *out = m->request->out;
    size_t n_samples = m->point->n_samples;
    if (!prefill_samples(m, n_samples, m->point->n_tokens) || !run_decode_step(m)) return false;
    fill_with_nan(m->rows, n_samples * m->row_bytes);
    double start = conf_clock();
    for (out->n_steps = 0; out->n_steps < m->request->n_steps && out->seconds < STEP_SECONDS;
         out->n_steps++) {
        if (!run_decode_step(m)) return false;
        out->seconds = conf_clock() - start;
    }
    for (size_t b = 0; b < n_samples; b++)
        if (!check_row(m, m->rows + b * m->row_bytes)) return false;
    return true;
}

/* Allocates the buffers. The logits belong to the harness, so if they do not fit, the point is
 * skipped, not failed. */
static bool allocate_buffers(measurement *m)
{
    const conf_bench_point *p = m->point;
    size_t n, prompts, rows = 0;
    m->n_rows = m->request->out->last ? 1 : p->n_tokens;
    m->row_bytes = m->vocab * dtype_size(m->engine->logits_dtype);
    bool fits = !__builtin_mul_overflow(p->n_samples, p->n_tokens, &n) &&
                !__builtin_mul_overflow(p->n_samples, m->n_rows, &prompts) &&
                !__builtin_mul_overflow(prompts, m->row_bytes, &m->logits_bytes) &&
                !__builtin_mul_overflow(p->n_samples, m->row_bytes, &rows) && n <= SIZE_MAX / sizeof(int32_t);
    if (fits) {
        m->logits = malloc(m->logits_bytes);
        m->rows = p->kind == CONF_BENCH_DECODE ? malloc(rows) : NULL;
        m->tokens = malloc(n * sizeof *m->tokens);
        m->length = calloc(p->n_samples, sizeof *m->length);
        m->step = calloc(p->n_samples, sizeof *m->step);
    }
    if (!m->logits || (p->kind == CONF_BENCH_DECODE && !m->rows) || !m->tokens || !m->length || !m->step) {
        conf_verdict_set(m->verdict, CONF_SKIPPED,
                         "no memory for the logits of %zu samples of %zu tokens (see --memory)", p->n_samples,
                         p->n_tokens);
        return false;
    }
    fill_with_nan(m->logits, m->logits_bytes);
    draw_tokens(m, m->tokens, n);
    if (!m->rows) return true;
    fill_with_nan(m->rows, rows);
    m->logits_bytes += rows; /* both are allocated at the peak */
    return true;
}

static bool measure_point(measurement *m)
{
    static bool (*const measures[])(measurement *) = {measure_first, measure_prefill, measure_decode};
    m->request->out->n_steps = 1;
    m->request->out->last = m->engine->prefill_last != NULL;
    if (!allocate_buffers(m) || !measures[m->point->kind](m)) return false;
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_SELF, &usage);
    size_t peak = (size_t)usage.ru_maxrss * 1024; /* Linux counts it in KiB */
    m->request->out->peak_bytes = peak > m->logits_bytes ? peak - m->logits_bytes : 0;
    return true;
}

static void measure_model(measurement *m, assay_model *model)
{
    assay_error err = {0};
    m->vocab = m->engine->model_vocab(model);
    m->n_ids = m->vocab < m->request->n_ids ? m->vocab : m->request->n_ids;
    if (m->n_ids == 0 || m->n_ids > INT32_MAX) {
        conf_verdict_fail(m->verdict, CONF_CLASS_SHAPE, "the engine's vocabulary has %zu ids", m->vocab);
        return;
    }
    m->verdict->stage = CONF_STAGE_SESSION_OPEN;
    assay_status rc = m->engine->session_open(model, &m->session, &err);
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
    if (!conf_evaluate_kernels(r->kernels, m.engine, &kernels, v)) return;
    v->stage = CONF_STAGE_MODEL_OPEN;
    const assay_model_options options = {
        .compute = r->compute, .kernels = kernels, .allow_unknown = r->allow_unknown};
    assay_status rc = conf_compute_open(m.engine, &options, r->dir, &model, &err);
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
    free(m.rows);
    free(m.tokens);
    free(m.length);
    free(m.step);
}

const char *conf_bench_kind_name(conf_bench_kind kind)
{
    static const char *const names[] = {"first token", "prefill", "decode"};
    return names[kind];
}
