/* Measures how fast modules parse replies: every reasoning and tool-call parser, on one core, with
 * deltas as short as tokens. Modules are reached through assay/serving.h only.
 *
 * Speed is bytes parsed per second. Its limit is the speed of passing the same deltas to the same
 * sink, which copies them, without a parser.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_SERVING_H
#define CONFORMANCE_BENCH_SERVING_H

#include "conformance/bench/replies.h"
#include "conformance/bench/serving_measure.h"
#include "conformance/options/options.h"
#include "conformance/report/results.h"

/* All measurements of one parser of one module. They stop at the first that does not pass. */
typedef struct conf_bench_readings {
    conf_verdict verdict; /* of the latest measurement */
    conf_bench_reading *at;
    size_t n;
} conf_bench_readings;

/* Sizes of the replies for a parser. */
typedef struct conf_bench_text {
    size_t n_bytes, n_deltas;
} conf_bench_text;

typedef struct conf_bench_serving {
    conf_engine_column *engines; /* [n_engines] */
    size_t n_engines;
    size_t *parsers; /* [n_parsers], those that are measured, as conf_bench_parser_at numbers them */
    size_t n_parsers, n_repeats;
    uint64_t seed;
    conf_limits limits;            /* of each process */
    conf_bench_text *texts;        /* [n_parsers] */
    conf_bench_readings *readings; /* [n_parsers, n_engines] */
    char processor[128];
} conf_bench_serving;

/* Measures each parser n_repeats times, modules in turn; if the options name parsers, only those. Fails with
 * ASSAY_EUNSUPPORTED if there is no parser of a name, with ASSAY_EIO if a module cannot be loaded. The caller
 * frees *out, also after a failure. */
assay_status conf_bench_serving_run(const conf_options *options, const conf_context *context,
                                    conf_bench_serving *out, assay_error *err);
void conf_bench_serving_free(conf_bench_serving *bench);

/* The exit status, as conf_bench_exit. */
conf_exit conf_bench_serving_exit(const conf_bench_serving *bench);

/* The measurements of a parser and a module. */
const conf_bench_readings *conf_bench_serving_at(const conf_bench_serving *bench, size_t parser,
                                                 size_t engine);

/* Speeds of a parser of a module, in bytes per second; 0 if its measurements did not pass.
 * best, median: of parsing
 * limit:        best speed of passing deltas to the sink, in the same processes
 * ratio:        best / best of the first module; 0 if either is missing */
typedef struct conf_bench_serving_speed {
    double best, median, limit, ratio;
} conf_bench_serving_speed;

conf_bench_serving_speed conf_bench_serving_speed_of(const conf_bench_serving *bench, size_t parser,
                                                     size_t engine);

#endif
