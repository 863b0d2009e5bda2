/* How fast engines are, beside what the machine and the plan allow. Engines are reached through the ABI
 * alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_BENCH_H
#define CONFORMANCE_BENCH_BENCH_H

#include "conformance/bench/machine.h"
#include "conformance/options/options.h"
#include "conformance/report/results.h"
#include "model/plan/cost.h"

#define CONF_BENCH_FIRST_PROMPT 16 /* tokens of the prompt behind which the first token is waited for */
#define CONF_BENCH_REPEATS_MAX  1000
#define CONF_BENCH_TOKENS_MAX   100000000 /* of a prompt */
#define CONF_BENCH_BATCH_MAX    65536

typedef enum conf_bench_kind {
    CONF_BENCH_FIRST,   /* from the start of a process to its first token */
    CONF_BENCH_PREFILL, /* of an open model */
    CONF_BENCH_DECODE
} conf_bench_kind;

/* What is measured. n_tokens: the length of each prompt; decode follows it. */
typedef struct conf_bench_point {
    conf_bench_kind kind;
    size_t n_tokens, n_samples;
} conf_bench_point;

/* One measurement. Plain data: it crosses from the process that measures.
 * n_steps: of decode, after one that is not timed; at most as many as were asked for; of the others 1.
 * last:    prompts went through prefill_last, whose logits are of their last tokens alone.
 * peak_bytes: the most memory that the process had, without the logits that the harness holds. */
typedef struct conf_bench_time {
    double seconds;
    size_t n_steps;
    size_t peak_bytes;
    bool last;
} conf_bench_time;

/* All measurements of one point on one engine. They end with the first that does not pass. */
typedef struct conf_bench_series {
    conf_verdict verdict; /* of the last */
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
    assay_dtype compute; /* asked of every engine; ASSAY_DTYPE_NONE: nothing */
    const char *kernels; /* library that every engine is given, as the user calls it; or NULL */
    char *kernels_path;
    const char *const *allow_unknown; /* members of config.json to ignore; NULL-terminated */
    conf_limits limits;               /* of each process */
    conf_bench_series *series;        /* [n_points, n_engines] */
    char processor[128];
    size_t n_processors, read_bytes;
    conf_machine machine; /* the best of all repetitions */
    bool has_plan;
    char no_plan[sizeof(assay_error)]; /* why not */
    size_t n_parameters, n_ids;        /* of the plan; ids: SIZE_MAX without one */
    plan_cost cost;
} conf_bench;

/* What the child that measures is asked for. */
typedef struct conf_bench_request {
    const char *engine;  /* path of the module */
    assay_dtype compute; /* asked of it */
    const char *kernels; /* path of a library that it is given; or NULL */
    const char *const *allow_unknown;
    const char *dir;
    conf_bench_point point;
    size_t n_steps, n_ids;
    uint64_t seed; /* of the token ids */
    double asked;  /* when its process was asked for, on conf_clock */
    conf_bench_time *out;
} conf_bench_request;

/* Measures once; the task of a contained process. What the engine refuses as unsupported is skipped, another
 * error is a failure, and so are logits that it leaves unwritten. */
void conf_bench_measure(const void *request, conf_verdict *v);

/* Makes the points that the options ask for, opens the plan, and measures: each point, engines taking turns,
 * n_repeats times over. *out is the caller's to free also where this fails. */
assay_status conf_bench_run(const conf_options *options, const conf_context *context, conf_bench *out,
                            assay_error *err);
void conf_bench_free(conf_bench *bench);

/* What the token ids of a measurement are drawn from; `seed` is the user's, `point` an index. Engines do not
 * matter. scripts/peers/draw.py draws the same for others. */
uint64_t conf_bench_seed(uint64_t seed, size_t point, size_t repeat);

/* Like conf_results_exit. */
conf_exit conf_bench_exit(const conf_bench *bench);

/* The series of a point and an engine. */
const conf_bench_series *conf_bench_at(const conf_bench *bench, size_t point, size_t engine);

/* What a time means.
 * speed:  tokens per second; of the first token 1 / seconds.
 * limit:  the speed at which the machine would only read what must be read, or only multiply what must be
 *         multiplied, whichever takes longer; 0 without a plan.
 * reads:  it is reading. */
typedef struct conf_bench_rate {
    double speed, limit;
    bool reads;
} conf_bench_rate;

conf_bench_rate conf_bench_rate_of(const conf_bench *bench, const conf_bench_point *point,
                                   const conf_bench_time *time);

/* Whether an engine was seen to prefill, and by prefill_last. */
typedef enum conf_bench_logits { CONF_BENCH_NO_LOGITS, CONF_BENCH_ALL, CONF_BENCH_LAST } conf_bench_logits;
conf_bench_logits conf_bench_logits_of(const conf_bench_series *series);

/* The fastest of a series, which has at least one time. */
const conf_bench_time *conf_bench_best(const conf_bench_series *series);
/* The median of values[n], n > 0, which come into order; of an even number the mean of both in the middle. */
double conf_bench_middle(double *values, size_t n);

/* The median of its speeds. */
double conf_bench_median(const conf_bench *bench, const conf_bench_point *point,
                         const conf_bench_series *series);

/* "first token", "prefill", "decode". */
const char *conf_bench_kind_name(conf_bench_kind kind);

/* The table for people. */
void conf_bench_print(const conf_bench *bench, const conf_context *context);

/* One JSON object:
 *   schema     "assay-bench/1"
 *   model      path; parameters, weight_bytes, multiplies (of one token, head included, attention not): null
 *              without a plan, and why then in note
 *   machine    processor, processors, instructions; read_bytes, of the buffer; read_one, read_all: bytes in a
 *              second; fma_one, fma_all: float32 operations in a second; bf16_one, bf16_all, i8_one,
 *              i8_all: of narrower types
 *   seed, repeat
 *   kernels    the library that engines were given, as the user calls it; else null
 *   compute    "f32", "bf16" or "int8" where engines were asked to compute in it; else null
 *   results    an array, point by point, and of each engine by engine:
 *     measure            "first token", "prefill" or "decode"
 *     engine             as the user names it
 *     prompt, batch      tokens of each sample before decode, and samples
 *     outcome, class, reason   as in assay-results/1
 *     seconds, steps     arrays, a member for each repetition
 *     best, median       tokens in a second (of the first token: 1 / seconds); null where there is none
 *     limit, bound       of the best: the speed that it is held against, and by what: "read" or "fma"; null
 *     fraction           best / limit; null
 *     peak_bytes         the largest; null
 *     logits             of a prompt: "last", of its last token alone, by prefill_last, as published systems
 *                        do; "all" where the engine has only prefill; null without a measurement
 * Fails with ASSAY_ENOMEM. */
assay_status conf_bench_print_json(const conf_bench *bench, FILE *out, assay_error *err);

#endif
