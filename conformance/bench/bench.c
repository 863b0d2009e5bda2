/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/shown.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/kernels.h"
#include "conformance/evaluate/evaluate.h"
#include "conformance/judge/compute.h"
#include "conformance/process/isolate.h"
#include "conformance/support/clock.h"
#include "conformance/support/draw.h"
#include "conformance/support/machine.h"
#include "conformance/support/progress.h"
#include "model/loader.h"

static const size_t usual_prompts[] = {512}, usual_contexts[] = {16}, usual_batches[] = {1};
#define USUAL_TOKENS  32
#define USUAL_REPEATS 5

const conf_bench_series *conf_bench_at(const conf_bench *bench, size_t point, size_t engine)
{
    return &bench->series[point * bench->n_engines + engine];
}

/* The numbers of an option, or its defaults. */
static conf_sizes sizes_or_default(const conf_sizes *given, const size_t *usual)
{
    return given->n ? *given : (conf_sizes){.at = (size_t *)usual, .n = 1};
}

static void add_points(conf_bench *b, conf_bench_kind kind, const conf_sizes *tokens,
                       const conf_sizes *batches)
{
    for (size_t i = 0; i < tokens->n; i++)
        for (size_t k = 0; k < batches->n; k++)
            b->points[b->n_points++] =
                (conf_bench_point){.kind = kind, .n_tokens = tokens->at[i], .n_samples = batches->at[k]};
}

/* Puts the first-token point first: an engine that fails it is not measured further. */
static assay_status make_points(conf_bench *b, const conf_options *o, assay_error *err)
{
    const conf_sizes prompts = o->n_pictures ? o->prompts : sizes_or_default(&o->prompts, usual_prompts),
                     contexts = sizes_or_default(&o->contexts, usual_contexts),
                     batches = sizes_or_default(&o->batches, usual_batches);
    size_t n = 1 + (prompts.n + o->n_pictures + contexts.n) * batches.n;
    b->points = calloc(n, sizeof *b->points);
    b->series = calloc(n * b->n_engines, sizeof *b->series);
    if (!b->points || !b->series) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    b->points[b->n_points++] = (conf_bench_point){.n_tokens = CONF_BENCH_FIRST_PROMPT, .n_samples = 1};
    add_points(b, CONF_BENCH_PREFILL, &prompts, &batches);
    for (size_t i = 0; i < o->n_pictures * batches.n; i++) {
        const conf_pictures *p = &o->pictures[i / batches.n];
        conf_bench_point *point = &b->points[b->n_points++];
        *point = (conf_bench_point){
            .kind = CONF_BENCH_PREFILL, .n_samples = batches.at[i % batches.n], .pictures = *p};
        const assay_status rc = conf_bench_pictures_tokens(p, &b->tower, &point->n_tokens, err);
        if (rc != ASSAY_OK) return rc;
    }
    add_points(b, CONF_BENCH_DECODE, &contexts, &batches);
    for (size_t i = 0; i < n * b->n_engines; i++) {
        b->series[i].times = calloc(b->n_repeats, sizeof *b->series[i].times);
        if (!b->series[i].times) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    return ASSAY_OK;
}

static void load_engine(const void *assignment, conf_verdict *v)
{
    conf_evaluate(assignment, v);
}

/* Opens the engines; a module that cannot be loaded is an error before anything is measured. */
static assay_status open_engines(conf_bench *b, const conf_options *o, const conf_context *context,
                                 assay_error *err)
{
    const char *const *names = o->n_engines ? o->engines : conf_engine_default(o->kernels, o->compute);
    size_t n = o->n_engines;
    while (!o->n_engines && names[n]) n++;
    b->engines = calloc(n, sizeof *b->engines);
    if (!b->engines) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    assay_status found =
        o->kernels ? conf_engine_find(o->kernels, &context->engine_dirs, &b->kernels_path, err) : ASSAY_OK;
    if (found != ASSAY_OK) return found;
    for (b->n_engines = 0; b->n_engines < n; b->n_engines++) {
        conf_engine_column *column = &b->engines[b->n_engines];
        const char *name = names[b->n_engines];
        assay_status rc = conf_engine_column_find(name, &context->engine_dirs, column, err);
        if (rc != ASSAY_OK) return rc;
        conf_verdict v;
        const conf_assignment module = {
            .engine = column->path, .kernels = b->kernels_path, .compute = o->compute};
        rc = conf_isolate(load_engine, &module, &b->limits, &v, err);
        if (rc == ASSAY_OK && v.outcome == CONF_SKIPPED)
            rc = assay_fail(err, ASSAY_EUNSUPPORTED, "engine %s: %s", name, v.reason);
        if (rc == ASSAY_OK && v.outcome != CONF_PASSED)
            rc = assay_fail(err, ASSAY_EIO, "engine %s: %s", name, v.reason);
        if (rc == ASSAY_OK) continue;
        b->n_engines++;
        return rc;
    }
    return ASSAY_OK;
}

/* Reads what is needed of the plan and closes it, since its mapping would count as memory of the
 * engines. If this loader does not support the checkpoint, engines are measured without limits. */
static assay_status read_plan(conf_bench *b, assay_error *err)
{
    plan *p = NULL;
    assay_error why = {0};
    assay_status rc = plan_open_allowing(b->dir, b->allow_unknown, &p, &why);
    b->n_ids = SIZE_MAX;
    if (rc == ASSAY_EUNSUPPORTED) {
        (void)snprintf(b->no_plan, sizeof b->no_plan, "%s", why.text);
        shown_clean(b->no_plan, sizeof b->no_plan);
        return ASSAY_OK;
    }
    if (rc != ASSAY_OK) return assay_fail(err, rc, "%s", why.text);
    b->n_parameters = p->n_parameters;
    b->n_ids = p->n_token_ids;
    b->tower = conf_bench_tower_of(p);
    rc = plan_cost_read(p, &b->cost, err);
    b->has_plan = rc == ASSAY_OK;
    plan_free(p);
    return rc;
}

/* Request to the process that measures the machine. */
typedef struct machine_request {
    size_t n_threads, read_bytes;
    conf_machine *out;
} machine_request;

static void measure_machine(const void *request, conf_verdict *v)
{
    const machine_request *r = request;
    assay_error err = {0};
    v->stage = CONF_STAGE_READ;
    if (conf_machine_measure(r->n_threads, r->read_bytes, r->out, &err) != ASSAY_OK)
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
}

/* Results of child processes, in shared memory. */
typedef struct shared {
    conf_machine machine;
    conf_bench_time time;
} shared;

static assay_status run_machine(conf_bench *b, shared *s, assay_error *err)
{
    const machine_request r = {.n_threads = b->n_processors, .read_bytes = b->read_bytes, .out = &s->machine};
    const conf_limits limits = {.seconds = fmax(b->limits.seconds, CONF_SECONDS_DEFAULT),
                                .mib = b->limits.mib}; /* not the time limit of an engine */
    conf_verdict v;
    assay_status rc = conf_isolate(measure_machine, &r, &limits, &v, err);
    if (rc == ASSAY_OK && v.outcome != CONF_PASSED)
        rc = assay_fail(err, ASSAY_EINTERNAL, "measuring the machine: %s", v.reason);
    if (rc == ASSAY_OK) b->machine = conf_machine_best(&b->machine, &s->machine);
    return rc;
}

/* One call per line: in `state ^= conf_draw(&state)` the order of evaluation is unspecified. */
uint64_t conf_bench_seed(uint64_t seed, size_t point, size_t repeat)
{
    uint64_t state = seed;
    uint64_t drawn = conf_draw(&state);
    state ^= drawn + point;
    drawn = conf_draw(&state);
    state ^= drawn + repeat;
    return conf_draw(&state);
}

static assay_status run_engine(conf_bench *b, size_t point, size_t engine, size_t repeat, shared *s,
                               assay_error *err)
{
    conf_bench_series *series = &b->series[point * b->n_engines + engine];
    s->time = (conf_bench_time){0};
    const conf_bench_request r = {.engine = b->engines[engine].path,
                                  .compute = b->compute,
                                  .kernels = b->kernels_path,
                                  .allow_unknown = b->allow_unknown,
                                  .dir = b->dir,
                                  .point = b->points[point],
                                  .tower = b->tower,
                                  .n_steps = b->n_steps,
                                  .n_ids = b->n_ids,
                                  .seed = conf_bench_seed(b->seed, point, repeat),
                                  .requested_at = conf_clock(),
                                  .out = &s->time};
    assay_status rc = conf_isolate(conf_bench_measure, &r, &b->limits, &series->verdict, err);
    if (rc != ASSAY_OK || series->verdict.outcome != CONF_PASSED) return rc;
    s->time.seconds = fmax(s->time.seconds, 1e-9);
    series->times[series->n_times++] = s->time;
    return rc;
}

/* If an engine fails the first-token point, all its other series get that verdict. */
static void skip_rest(conf_bench *b, size_t engine)
{
    const conf_verdict *first = &b->series[engine].verdict;
    for (size_t p = 1; first->outcome != CONF_PASSED && p < b->n_points; p++)
        b->series[p * b->n_engines + engine].verdict = *first;
}

static void show_progress(const conf_bench *b, const conf_context *context, size_t repeat, size_t point,
                          size_t engine)
{
    char what[256];
    const conf_bench_point *p = &b->points[point];
    (void)snprintf(what, sizeof what, "%s %zu x %zu %s", conf_bench_kind_name(p->kind), p->n_tokens,
                   p->n_samples, b->engines[engine].label);
    conf_progress_show(context, (repeat * b->n_points + point) * b->n_engines + engine,
                       b->n_repeats * b->n_points * b->n_engines, what);
}

/* Whether an engine has passed the first-token point. */
static bool any_passed(const conf_bench *b)
{
    for (size_t e = 0; e < b->n_engines; e++)
        if (b->series[e].verdict.outcome == CONF_PASSED) return true;
    return false;
}

/* Alternates engines within each point, and points and machine within each repetition, so that
 * disturbances affect all of them alike. The machine is measured after the first-token point, which tells
 * whether there is a speed to compare with it. */
static assay_status measure_all(conf_bench *b, const conf_context *context, shared *s, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t r = 0; r < b->n_repeats && rc == ASSAY_OK; r++) {
        for (size_t p = 0; p < b->n_points && rc == ASSAY_OK; p++) {
            if (p == 1 && any_passed(b)) rc = run_machine(b, s, err);
            for (size_t i = 0; i < b->n_engines && rc == ASSAY_OK; i++) {
                size_t e = (r + i) % b->n_engines;
                if (conf_bench_at(b, p, e)->verdict.outcome != CONF_PASSED) continue;
                show_progress(b, context, r, p, e);
                rc = run_engine(b, p, e, r, s, err);
                if (p == 0) skip_rest(b, e);
            }
        }
    }
    conf_progress_clear(context);
    return rc;
}

assay_status conf_bench_run(const conf_options *options, const conf_context *context, conf_bench *out,
                            assay_error *err)
{
    *out = (conf_bench){.dir = options->model,
                        .n_repeats = options->n_repeats ? options->n_repeats : USUAL_REPEATS,
                        .n_steps = options->n_tokens ? options->n_tokens : USUAL_TOKENS,
                        .seed = options->seed,
                        .compute = options->compute,
                        .kernels = options->kernels,
                        .allow_unknown = options->allow_unknown,
                        .limits = options->limits,
                        .n_processors = context->n_processors,
                        .read_bytes = conf_machine_read_bytes_here()};
    size_t most = options->limits.mib << 19; /* half of the memory limit of its process */
    if (out->read_bytes > most) out->read_bytes = most;
    conf_machine_name(CONF_MACHINE_CPUINFO, out->processor, sizeof out->processor);
    assay_status rc = open_engines(out, options, context, err);
    if (rc == ASSAY_OK) rc = read_plan(out, err);
    if (rc == ASSAY_OK) rc = make_points(out, options, err);
    if (rc != ASSAY_OK) return rc;
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED) return assay_fail(err, ASSAY_EINTERNAL, "no shared memory: %s", strerror(errno));
    rc = measure_all(out, context, s, err);
    (void)munmap(s, sizeof *s);
    return rc;
}

void conf_bench_free(conf_bench *b)
{
    for (size_t i = 0; b->series && i < b->n_points * b->n_engines; i++) free(b->series[i].times);
    for (size_t e = 0; b->engines && e < b->n_engines; e++) free(b->engines[e].path);
    free(b->series);
    free(b->points);
    free(b->engines);
    free(b->kernels_path);
    plan_cost_free(&b->cost);
    *b = (conf_bench){0};
}

conf_exit conf_bench_exit(const conf_bench *b)
{
    size_t n[CONF_N_OUTCOMES] = {0};
    for (size_t i = 0; i < b->n_points * b->n_engines; i++) n[b->series[i].verdict.outcome]++;
    if (n[CONF_BROKEN]) return CONF_EXIT_ERROR;
    if (n[CONF_FAILED]) return CONF_EXIT_DIVERGES;
    return n[CONF_PASSED] ? CONF_EXIT_AGREE : CONF_EXIT_NOTHING;
}
