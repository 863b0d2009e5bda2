/* One measurement of a parser, in a process of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_SERVING_MEASURE_H
#define CONFORMANCE_BENCH_SERVING_MEASURE_H

#include "conformance/bench/replies.h"
#include "conformance/judge/verdict.h"

/* One measurement, in seconds of processor time, all threads together: more of them do not make a parser
 * faster, and whoever else keeps the machine busy does not make it slower by much. Plain data: it crosses
 * from the process that measures. */
typedef struct conf_bench_reading {
    double seconds; /* of reading all replies, each opened, fed, ended and freed: the fastest of a few */
    double limit_seconds; /* of handing their deltas to the sink, likewise */
} conf_bench_reading;

/* What the child that measures is asked for. */
typedef struct conf_bench_serving_request {
    const char *module;                /* its path */
    const conf_bench_replies *replies; /* made before the process began */
    conf_bench_reading *out;
} conf_bench_serving_request;

/* Measures once, behind a reading that is not timed; the task of a contained process. A parser that is not
 * there is skipped; one that does not find what there is, has failed. */
void conf_bench_serving_measure(const void *request, conf_verdict *v);

#endif
