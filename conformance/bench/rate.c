/* Speeds, and their limits from the plan and the machine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/rate.h"

#include <math.h>
#include <stdlib.h>

/* The least that a measurement must read and multiply. */
typedef struct work {
    double bytes, multiplies;
} work;

/* A step reads the weights once for all samples, and the cache of each sample. The first timed step is
 * at position context + 1, after the step that is not timed. */
static work work_of(const plan_cost *cost, const conf_bench_point *p, const conf_bench_time *time)
{
    double n_samples = (double)p->n_samples;
    if (p->kind != CONF_BENCH_DECODE)
        return (work){.bytes = (double)cost->weight_bytes,
                      .multiplies = n_samples * plan_cost_multiplies(cost, 0, p->n_tokens, 1)};
    work w = {0};
    for (size_t i = 0; i < time->n_steps; i++) {
        size_t position = p->n_tokens + 1 + i;
        w.bytes += (double)cost->weight_bytes + n_samples * plan_cost_cache_bytes(cost, position);
        w.multiplies += n_samples * plan_cost_multiplies(cost, position, 1, 1);
    }
    return w;
}

/* Number of tokens that a measurement counts. */
static double tokens_of(const conf_bench_point *p, const conf_bench_time *time)
{
    if (p->kind == CONF_BENCH_FIRST) return 1;
    return (double)p->n_samples * (double)(p->kind == CONF_BENCH_DECODE ? time->n_steps : p->n_tokens);
}

/* Operations per second in the requested compute type; in float32 by default. */
static double operations_of(const conf_machine *m, conf_compute compute)
{
    switch (conf_compute_factors(compute)) {
    case ASSAY_BF16: return fmax(m->bf16_one, m->bf16_all);
    case ASSAY_I8: return fmax(m->i8_one, m->i8_all);
    default: return fmax(m->fma_one, m->fma_all);
    }
}

conf_bench_rate conf_bench_rate_of(const conf_bench *b, const conf_bench_point *point,
                                   const conf_bench_time *time)
{
    double tokens = tokens_of(point, time);
    conf_bench_rate rate = {.speed = tokens / time->seconds};
    if (!b->has_plan || point->pictures.n) return rate; /* the cost of a tower is not part of the plan's */
    work w = work_of(&b->cost, point, time);
    double reading = w.bytes / fmax(b->machine.read_one, b->machine.read_all),
           multiplying = 2 * w.multiplies / operations_of(&b->machine, b->compute);
    rate.reads = reading > multiplying;
    rate.limit = tokens / fmax(reading, multiplying);
    return rate;
}

/* Seconds per step: repetitions of decode may differ in their number of steps. */
static double step_seconds(const conf_bench_time *t)
{
    return t->seconds / (double)t->n_steps;
}

const conf_bench_time *conf_bench_best(const conf_bench_series *series)
{
    const conf_bench_time *best = &series->times[0];
    for (size_t i = 1; i < series->n_times; i++)
        if (step_seconds(&series->times[i]) < step_seconds(best)) best = &series->times[i];
    return best;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double conf_bench_median_of(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_size);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

double conf_bench_median(const conf_bench *bench, const conf_bench_point *point,
                         const conf_bench_series *series)
{
    double speeds[CONF_BENCH_REPEATS_MAX] = {0};
    size_t n = series->n_times;
    for (size_t i = 0; i < n; i++) speeds[i] = conf_bench_rate_of(bench, point, &series->times[i]).speed;
    return conf_bench_median_of(speeds, n);
}

double conf_bench_joined(const conf_bench_series *series)
{
    double fractions[CONF_BENCH_REPEATS_MAX] = {0};
    size_t n = 0;
    for (size_t i = 0; i < series->n_times; i++) {
        const conf_bench_time *t = &series->times[i];
        if (t->joined_seconds > 0) fractions[n++] = t->seconds / t->joined_seconds;
    }
    return n ? conf_bench_median_of(fractions, n) : 0;
}
