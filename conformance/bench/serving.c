/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/serving.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/serving.h"
#include "conformance/bench/bench.h"
#include "conformance/bench/machine.h"
#include "conformance/bench/rate.h"
#include "conformance/process/isolate.h"
#include "conformance/support/machine.h"
#include "conformance/support/progress.h"

#define USUAL_REPEATS 5

static conf_bench_readings *readings_at(const conf_bench_serving *b, size_t parser, size_t engine)
{
    return &b->readings[parser * b->n_engines + engine];
}

const conf_bench_readings *conf_bench_serving_at(const conf_bench_serving *b, size_t parser, size_t engine)
{
    return readings_at(b, parser, engine);
}

/* The name of the parser that an option chooses; NULL: all are measured, or none of its kind. */
static const char *chosen(const conf_options *o, bool tools)
{
    return tools ? o->tools : o->reasoning;
}

static assay_status choose_parsers(conf_bench_serving *b, const conf_options *o, assay_error *err)
{
    size_t n = 0, n_of[2] = {0};
    while (conf_bench_parser_at(n)) n++;
    b->parsers = calloc(n, sizeof *b->parsers);
    if (!b->parsers) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const conf_bench_parser *p = conf_bench_parser_at(i);
        const char *name = chosen(o, p->tools);
        if ((o->tools || o->reasoning) && !(name && strcmp(name, p->name) == 0)) continue;
        b->parsers[b->n_parsers++] = i;
        n_of[p->tools]++;
    }
    for (int tools = 0; tools < 2; tools++)
        if (chosen(o, tools) && n_of[tools] == 0)
            return assay_fail(err, ASSAY_EUNSUPPORTED,
                              "option %s: found %s, expected a parser that assay bench --serving measures",
                              tools ? "--tool-parser" : "--reasoning-parser", chosen(o, tools));
    return ASSAY_OK;
}

static assay_status allocate_buffers(conf_bench_serving *b, assay_error *err)
{
    const size_t n = b->n_parsers * b->n_engines;
    b->texts = calloc(b->n_parsers, sizeof *b->texts);
    b->readings = calloc(n, sizeof *b->readings);
    bool ok = b->texts && b->readings;
    for (size_t i = 0; i < n && ok; i++) {
        b->readings[i].at = calloc(b->n_repeats, sizeof *b->readings[i].at);
        ok = b->readings[i].at != NULL;
    }
    return ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
}

/* Checks whether the module has parsers to measure. */
static void load_serving(const void *path, conf_verdict *v)
{
    v->stage = CONF_STAGE_LOAD;
    (void)conf_serving_offered(path, CONF_SERVING_REPLY, v);
}

/* Gives every parser of the engine this verdict. */
static void skip_all(conf_bench_serving *b, size_t engine, const conf_verdict *v)
{
    for (size_t p = 0; p < b->n_parsers; p++) readings_at(b, p, engine)->verdict = *v;
}

/* A module that cannot be loaded is an error before anything is measured. A module without parsers is
 * skipped. */
static assay_status check_engine(conf_bench_serving *b, size_t engine, assay_error *err)
{
    conf_verdict v;
    assay_status rc = conf_isolate(load_serving, b->engines[engine].path, &b->limits, &v, err);
    if (rc != ASSAY_OK) return rc;
    if (v.outcome == CONF_SKIPPED) skip_all(b, engine, &v);
    else if (v.outcome != CONF_PASSED)
        return assay_fail(err, ASSAY_EIO, "engine %s: %s", b->engines[engine].name, v.reason);
    return ASSAY_OK;
}

static assay_status find_engines(conf_bench_serving *b, const conf_options *o, const conf_context *context,
                                 assay_error *err)
{
    static const char *const usual[] = {"fastpath"};
    const char *const *names = o->n_engines ? o->engines : usual;
    const size_t n = o->n_engines ? o->n_engines : 1;
    b->engines = calloc(n, sizeof *b->engines);
    if (!b->engines) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (; b->n_engines < n; b->n_engines++) {
        conf_engine_column *column = &b->engines[b->n_engines];
        assay_status rc = conf_engine_column_find(names[b->n_engines], &context->engine_dirs, column, err);
        if (rc != ASSAY_OK) return rc;
    }
    return ASSAY_OK;
}

static assay_status measure_one(conf_bench_serving *b, const conf_bench_replies *replies, size_t parser,
                                size_t engine, conf_bench_reading *shared, assay_error *err)
{
    conf_bench_readings *readings = readings_at(b, parser, engine);
    const conf_bench_serving_request r = {
        .module = b->engines[engine].path, .replies = replies, .out = shared};
    assay_status rc = conf_isolate(conf_bench_serving_measure, &r, &b->limits, &readings->verdict, err);
    if (rc != ASSAY_OK || readings->verdict.outcome != CONF_PASSED) return rc;
    readings->at[readings->n++] =
        (conf_bench_reading){fmax(shared->seconds, 1e-9), fmax(shared->limit_seconds, 1e-9)};
    return ASSAY_OK;
}

/* Measures a parser with every engine in turn, on the same replies. */
static assay_status measure_parser(conf_bench_serving *b, const conf_context *context, size_t repeat,
                                   size_t parser, conf_bench_reading *shared, assay_error *err)
{
    conf_bench_replies replies;
    bool any = false;
    for (size_t e = 0; e < b->n_engines; e++)
        any = any || readings_at(b, parser, e)->verdict.outcome == CONF_PASSED;
    if (!any) return ASSAY_OK;
    assay_status rc = conf_bench_replies_make(b->parsers[parser], b->seed, &replies, err);
    if (rc != ASSAY_OK) return rc;
    b->texts[parser] = (conf_bench_text){replies.n, replies.n_deltas};
    for (size_t i = 0; i < b->n_engines && rc == ASSAY_OK; i++) {
        const size_t e = (repeat + i) % b->n_engines;
        if (readings_at(b, parser, e)->verdict.outcome != CONF_PASSED) continue;
        conf_progress_show(context, (repeat * b->n_parsers + parser) * b->n_engines + e,
                           b->n_repeats * b->n_parsers * b->n_engines, replies.parser->name);
        rc = measure_one(b, &replies, parser, e, shared, err);
    }
    conf_bench_replies_free(&replies);
    return rc;
}

static assay_status measure_all(conf_bench_serving *b, const conf_context *context, assay_error *err)
{
    /* result of the child process, in shared memory */
    conf_bench_reading *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return assay_fail(err, ASSAY_EINTERNAL, "no shared memory: %s", strerror(errno));
    assay_status rc = ASSAY_OK;
    for (size_t r = 0; r < b->n_repeats && rc == ASSAY_OK; r++)
        for (size_t p = 0; p < b->n_parsers && rc == ASSAY_OK; p++)
            rc = measure_parser(b, context, r, p, shared, err);
    conf_progress_clear(context);
    (void)munmap(shared, sizeof *shared);
    return rc;
}

assay_status conf_bench_serving_run(const conf_options *options, const conf_context *context,
                                    conf_bench_serving *out, assay_error *err)
{
    *out = (conf_bench_serving){.n_repeats = options->n_repeats ? options->n_repeats : USUAL_REPEATS,
                                .seed = options->seed,
                                .limits = options->limits};
    conf_machine_name(CONF_MACHINE_CPUINFO, out->processor, sizeof out->processor);
    assay_status rc = choose_parsers(out, options, err);
    if (rc == ASSAY_OK) rc = find_engines(out, options, context, err);
    if (rc == ASSAY_OK) rc = allocate_buffers(out, err);
    for (size_t e = 0; e < out->n_engines && rc == ASSAY_OK; e++) rc = check_engine(out, e, err);
    return rc == ASSAY_OK ? measure_all(out, context, err) : rc;
}

void conf_bench_serving_free(conf_bench_serving *b)
{
    for (size_t i = 0; b->readings && i < b->n_parsers * b->n_engines; i++) free(b->readings[i].at);
    for (size_t e = 0; b->engines && e < b->n_engines; e++) free(b->engines[e].path);
    free(b->readings);
    free(b->parsers);
    free(b->texts);
    free(b->engines);
    *b = (conf_bench_serving){0};
}

conf_exit conf_bench_serving_exit(const conf_bench_serving *b)
{
    size_t n[CONF_N_OUTCOMES] = {0};
    for (size_t i = 0; i < b->n_parsers * b->n_engines; i++) n[b->readings[i].verdict.outcome]++;
    if (n[CONF_BROKEN]) return CONF_EXIT_ERROR;
    if (n[CONF_FAILED]) return CONF_EXIT_DIVERGES;
    return n[CONF_PASSED] ? CONF_EXIT_AGREE : CONF_EXIT_NOTHING;
}

/* The best speed; 0 if the measurements did not pass. */
static double best_of(const conf_bench_serving *b, size_t parser, size_t engine)
{
    const conf_bench_readings *r = readings_at(b, parser, engine);
    double seconds = INFINITY;
    if (r->verdict.outcome != CONF_PASSED) return 0;
    for (size_t i = 0; i < r->n; i++) seconds = fmin(seconds, r->at[i].seconds);
    return (double)b->texts[parser].n_bytes / seconds;
}

conf_bench_serving_speed conf_bench_serving_speed_of(const conf_bench_serving *b, size_t parser,
                                                     size_t engine)
{
    const conf_bench_readings *r = readings_at(b, parser, engine);
    const double bytes = (double)b->texts[parser].n_bytes, best = best_of(b, parser, engine),
                 first = best_of(b, parser, 0);
    double speeds[CONF_BENCH_REPEATS_MAX] = {0}, limit = 0;
    if (best == 0) return (conf_bench_serving_speed){0};
    for (size_t i = 0; i < r->n; i++) {
        speeds[i] = bytes / r->at[i].seconds;
        limit = fmax(limit, bytes / r->at[i].limit_seconds);
    }
    return (conf_bench_serving_speed){.best = best,
                                      .median = conf_bench_median_of(speeds, r->n),
                                      .limit = limit,
                                      .ratio = first > 0 ? best / first : 0};
}
