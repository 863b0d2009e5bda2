/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/machine.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "conformance/bench/machine_loops.h"
#include "conformance/support/clock.h"
#include "conformance/support/parallel.h"

#define MIB              ((size_t)1 << 20)
#define READ_LEAST       (256 * MIB)
#define N_TRIALS         2    /* per call, so in each repetition */
#define SECONDS_OF_TRIAL 0.02 /* duration of a multiply-add trial */

size_t conf_machine_read_bytes(size_t last_cache, size_t memory)
{
    size_t bytes = last_cache > READ_LEAST / 4 ? 4 * last_cache : READ_LEAST;
    if (memory && bytes > memory / 4) bytes = memory / 4;
    return bytes < MIB ? MIB : bytes / MIB * MIB;
}

static size_t system_value(int name)
{
    long n = sysconf(name);
    return n > 0 ? (size_t)n : 0;
}

size_t conf_machine_read_bytes_here(void)
{
    size_t cache = 0;
#ifdef _SC_LEVEL4_CACHE_SIZE
    const int levels[] = {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (system_value(levels[i]) > cache) cache = system_value(levels[i]);
#endif
    return conf_machine_read_bytes(cache, system_value(_SC_PHYS_PAGES) * system_value(_SC_PAGESIZE));
}

/* Threads share the buffer; an item is 1 MiB of it. Each thread has an element of result of its own,
 * so that the compiler cannot remove the loops. */
typedef struct work {
    const conf_loops *loops;
    float (*multiply_add)(size_t n_rounds, float half);
    size_t n_lanes; /* of multiply_add */
    float *buffer;
    size_t n_rounds;
    float half;
    volatile float *result; /* [n_threads] */
} work;

#define FLOATS_OF_MIB (MIB / sizeof(float))

/* The first write to a page places it in memory near the writing processor. Four bytes of 0x3f are a
 * float near 0.75. */
static bool write_share(void *context, size_t item, size_t worker)
{
    const work *w = context;
    (void)worker;
    memset(w->buffer + item * FLOATS_OF_MIB, 0x3f, MIB);
    return true;
}

static bool read_share(void *context, size_t item, size_t worker)
{
    const work *w = context;
    w->result[worker] = w->loops->sum(w->buffer + item * FLOATS_OF_MIB, FLOATS_OF_MIB);
    return true;
}

static bool multiply_add(void *context, size_t item, size_t worker)
{
    const work *w = context;
    (void)item;
    w->result[worker] = w->multiply_add(w->n_rounds, w->half);
    return true;
}

static double seconds_of(size_t n_threads, size_t n_items, conf_parallel_fn *fn, work *w)
{
    double start = conf_clock();
    conf_parallel(n_threads, n_items, fn, w);
    return fmax(conf_clock() - start, 1e-9);
}

static double read_speed(size_t n_threads, size_t n_mib, work *w)
{
    double least = INFINITY;
    for (int t = 0; t < N_TRIALS; t++) least = fmin(least, seconds_of(n_threads, n_mib, read_share, w));
    return (double)(n_mib * MIB) / least;
}

/* One item per thread. Doubles the rounds until they are long enough for the clock, and then takes as many as
 * fill a trial. */
static double fma_speed(size_t n_threads, work *w)
{
    double seconds, least = INFINITY;
    w->n_rounds = 1 << 12;
    while ((seconds = seconds_of(n_threads, n_threads, multiply_add, w)) < SECONDS_OF_TRIAL / 16)
        w->n_rounds *= 2;
    w->n_rounds = (size_t)((double)w->n_rounds * fmax(1, SECONDS_OF_TRIAL / seconds));
    for (int t = 0; t < N_TRIALS; t++) least = fmin(least, seconds_of(n_threads, n_threads, multiply_add, w));
    return 2.0 * (double)w->n_rounds * (double)(w->n_lanes * n_threads) / least;
}

/* Speed of products of a type, on one thread and on all; of float32 if there is no instruction for
 * it. */
static void dot_speed(assay_dtype dtype, size_t n_threads, work *w, double *one, double *all)
{
    const conf_dots *dots = conf_dots_choose(dtype);
    w->multiply_add = dots ? dots->multiply_add : w->loops->multiply_add;
    w->n_lanes = dots ? dots->n_lanes : w->loops->n_lanes;
    *one = fma_speed(1, w);
    *all = n_threads > 1 ? fma_speed(n_threads, w) : *one;
}

assay_status conf_machine_measure(size_t n_threads, size_t read_bytes, conf_machine *out, assay_error *err)
{
    size_t n_mib = read_bytes / MIB, result_bytes = n_threads * sizeof(float);
    void *buffer = mmap(NULL, n_mib * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *result = mmap(NULL, result_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assay_status rc = ASSAY_OK;
    if (buffer == MAP_FAILED || result == MAP_FAILED) {
        rc = assay_fail(err, ASSAY_ENOMEM, "no memory for the buffer of %zu MiB that measures the read speed",
                        n_mib);
    } else {
        (void)madvise(buffer, n_mib * MIB, MADV_HUGEPAGE); /* fewer page-table walks */
        work w = {.loops = conf_loops_choose(), .buffer = buffer, .half = 0.5F, .result = result};
        conf_parallel(n_threads, n_mib, write_share, &w);
        *out = (conf_machine){.read_one = read_speed(1, n_mib, &w)};
        out->read_all = n_threads > 1 ? read_speed(n_threads, n_mib, &w) : out->read_one;
        dot_speed(ASSAY_F32, n_threads, &w, &out->fma_one, &out->fma_all);
        dot_speed(ASSAY_BF16, n_threads, &w, &out->bf16_one, &out->bf16_all);
        dot_speed(ASSAY_I8, n_threads, &w, &out->i8_one, &out->i8_all);
    }
    if (buffer != MAP_FAILED) (void)munmap(buffer, n_mib * MIB);
    if (result != MAP_FAILED) (void)munmap(result, result_bytes);
    return rc;
}

conf_machine conf_machine_best(const conf_machine *a, const conf_machine *b)
{
    return (conf_machine){.read_one = fmax(a->read_one, b->read_one),
                          .read_all = fmax(a->read_all, b->read_all),
                          .fma_one = fmax(a->fma_one, b->fma_one),
                          .fma_all = fmax(a->fma_all, b->fma_all),
                          .bf16_one = fmax(a->bf16_one, b->bf16_one),
                          .bf16_all = fmax(a->bf16_all, b->bf16_all),
                          .i8_one = fmax(a->i8_one, b->i8_one),
                          .i8_all = fmax(a->i8_all, b->i8_all)};
}
