/* One measurement of a parser, in a process of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_SERVING_MEASURE_H
#define CONFORMANCE_BENCH_SERVING_MEASURE_H

#include "conformance/bench/replies.h"
#include "conformance/judge/verdict.h"

/* Result of one measurement, in seconds of processor time of all threads: more threads do not make a
 * parser look faster, and other load on the machine has little effect. Plain data: it is passed
 * between processes. */
typedef struct conf_bench_reading {
    double seconds;       /* opening, feeding, ending and freeing all replies: best of several rounds */
    double limit_seconds; /* passing their deltas to the sink: best of several rounds */
} conf_bench_reading;

/* Request to the child process that measures. */
typedef struct conf_bench_serving_request {
    const char *module;                /* path of the module */
    const conf_bench_replies *replies; /* made before the process started */
    conf_bench_reading *out;
} conf_bench_serving_request;

/* Measures once, after a pass that is checked and not timed; the task of a contained process. A
 * missing parser is skipped; a parser that does not find everything fails. */
void conf_bench_serving_measure(const void *request, conf_verdict *v);

#endif
