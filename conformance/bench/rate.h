/* Speeds, and their limits from the machine and the plan.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_RATE_H
#define CONFORMANCE_BENCH_RATE_H

#include "conformance/bench/bench.h"

/* Speed of a measurement and its limit. speed: tokens per second; of the first token 1 / seconds.
 * limit: the speed at which the machine would either only read the required data or only do the
 * required multiplications, whichever takes longer; 0 without a plan. reads: reading is what takes
 * longer. */
typedef struct conf_bench_rate {
    double speed, limit;
    bool reads;
} conf_bench_rate;

conf_bench_rate conf_bench_rate_of(const conf_bench *bench, const conf_bench_point *point,
                                   const conf_bench_time *time);

/* The fastest time of a series, which must have at least one. */
const conf_bench_time *conf_bench_best(const conf_bench_series *series);

/* The median of values[n], n > 0, which are sorted in place; for an even n the mean of the middle
 * two. */
double conf_bench_median_of(double *values, size_t n);

/* The speed of a sample that has joined a session of others, as a fraction of that of a session of one
 * sample: the median over a series; 0: not measured. */
double conf_bench_joined(const conf_bench_series *series);

/* The median of the speeds of a series. */
double conf_bench_median(const conf_bench *bench, const conf_bench_point *point,
                         const conf_bench_series *series);

#endif
