/* Measures the speed of engines and compares it with the limits of the machine and the plan. Engines
 * are reached through the ABI only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_BENCH_H
#define CONFORMANCE_BENCH_BENCH_H

#include "conformance/bench/machine.h"
#include "conformance/bench/measure.h"
#include "conformance/options/options.h"
#include "conformance/report/results.h"
#include "model/plan/cost.h"

#define CONF_BENCH_REPEATS_MAX 1000
#define CONF_BENCH_TOKENS_MAX  100000000 /* of a prompt */
#define CONF_BENCH_BATCH_MAX   65536

/* All measurements of one point with one engine. They stop at the first that does not pass. */
typedef struct conf_bench_series {
    conf_verdict verdict; /* of the latest measurement */
    conf_bench_time *times;
    size_t n_times;
} conf_bench_series;

typedef struct conf_bench {
    const char *dir; /* of the checkpoint */
    conf_engine_column *engines;
    size_t n_engines;
    conf_bench_point *points;
    size_t n_points;
    size_t n_repeats, n_steps;
    uint64_t seed;
    conf_compute compute; /* compute type to request; CONF_COMPUTE_NONE: the engine's default */
    const char *kernels;  /* kernel library for every engine, as on the command line; NULL: its own */
    char *kernels_path;
    const char *const *allow_unknown; /* members of config.json to ignore; NULL-terminated */
    conf_limits limits;               /* of each process */
    conf_bench_series *series;        /* [n_points, n_engines] */
    char processor[128];
    size_t n_processors, read_bytes;
    conf_machine machine; /* best value of all repetitions, member by member; zeros if no engine has passed
                           * the first-token point */
    bool has_plan;
    char no_plan[sizeof(assay_error)]; /* why there is no plan */
    size_t n_parameters, n_ids;        /* of the plan; n_ids: SIZE_MAX without a plan */
    plan_cost cost;
    conf_bench_tower tower;
} conf_bench;

/* Makes the points of the options, opens the plan, and measures each point n_repeats times, engines in
 * turn. The caller frees *out, also after a failure. */
assay_status conf_bench_run(const conf_options *options, const conf_context *context, conf_bench *out,
                            assay_error *err);
void conf_bench_free(conf_bench *bench);

/* The seed of the token ids of a measurement; `seed` is the user's, `point` an index. It does not
 * depend on the engine. observatory/peers/draw.py draws the same ids for other systems. */
uint64_t conf_bench_seed(uint64_t seed, size_t point, size_t repeat);

/* The exit status, as conf_results_exit. */
conf_exit conf_bench_exit(const conf_bench *bench);

/* The series of a point and an engine. */
const conf_bench_series *conf_bench_at(const conf_bench *bench, size_t point, size_t engine);

#endif
