/* What measurements mean beside what the machine and the plan allow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_RATE_H
#define CONFORMANCE_BENCH_RATE_H

#include "conformance/bench/bench.h"

/* What a time means.
 * speed:  tokens per second; of the first token 1 / seconds.
 * limit:  the speed at which the machine would only read what must be read, or only multiply what must be
 *         multiplied, whichever takes longer; 0 without a plan.
 * reads:  it is reading. */
typedef struct conf_bench_rate {
    double speed, limit;
    bool reads;
} conf_bench_rate;

/* Whether an engine was seen to prefill, and by prefill_last. */
typedef enum conf_bench_logits { CONF_BENCH_NO_LOGITS, CONF_BENCH_ALL, CONF_BENCH_LAST } conf_bench_logits;

conf_bench_rate conf_bench_rate_of(const conf_bench *bench, const conf_bench_point *point,
                                   const conf_bench_time *time);
conf_bench_logits conf_bench_logits_of(const conf_bench_series *series);

/* The fastest of a series, which has at least one time. */
const conf_bench_time *conf_bench_best(const conf_bench_series *series);

/* The median of values[n], n > 0, which come into order; of an even number the mean of both in the middle. */
double conf_bench_middle(double *values, size_t n);

/* The median of its speeds. */
double conf_bench_median(const conf_bench *bench, const conf_bench_point *point,
                         const conf_bench_series *series);

#endif
