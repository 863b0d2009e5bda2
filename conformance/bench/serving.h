/* How fast modules read replies: every parser of reasoning and of tool calls, on one core, with deltas as
 * short as tokens. Modules are reached through assay/serving.h alone.
 *
 * A speed is what a parser reads in a second, in bytes. It is held against handing the same deltas to the
 * same sink, which copies what it takes, without any parser.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_SERVING_H
#define CONFORMANCE_BENCH_SERVING_H

#include "conformance/bench/replies.h"
#include "conformance/bench/serving_measure.h"
#include "conformance/options/options.h"
#include "conformance/report/results.h"

/* All measurements of one parser of one module. They end with the first that does not pass. */
typedef struct conf_bench_readings {
    conf_verdict verdict; /* of the last */
    conf_bench_reading *at;
    size_t n;
} conf_bench_readings;

/* What is known of the replies of a parser. */
typedef struct conf_bench_text {
    size_t n_bytes, n_deltas;
} conf_bench_text;

typedef struct conf_bench_serving {
    conf_engine_column *engines; /* [n_engines] */
    size_t n_engines;
    size_t n_parsers, n_repeats;
    uint64_t seed;
    conf_limits limits;            /* of each process */
    conf_bench_text *texts;        /* [n_parsers] */
    conf_bench_readings *readings; /* [n_parsers, n_engines] */
    char processor[128];
} conf_bench_serving;

/* Measures: each parser, modules taking turns, n_repeats times over. Fails with ASSAY_EIO where a module
 * cannot be loaded. *out is the caller's to free also where this fails. */
assay_status conf_bench_serving_run(const conf_options *options, const conf_context *context,
                                    conf_bench_serving *out, assay_error *err);
void conf_bench_serving_free(conf_bench_serving *bench);

/* Like conf_bench_exit. */
conf_exit conf_bench_serving_exit(const conf_bench_serving *bench);

/* The measurements of a parser and a module. */
const conf_bench_readings *conf_bench_serving_at(const conf_bench_serving *bench, size_t parser,
                                                 size_t engine);

/* What the measurements of a parser and a module mean, in bytes in a second; 0 where they did not pass.
 * best, median:  of reading
 * limit:         the best of handing deltas over, in the same processes
 * ratio:         best, to that of the first module; 0 where either has none */
typedef struct conf_bench_serving_speed {
    double best, median, limit, ratio;
} conf_bench_serving_speed;

conf_bench_serving_speed conf_bench_serving_speed_of(const conf_bench_serving *bench, size_t parser,
                                                     size_t engine);

#endif
