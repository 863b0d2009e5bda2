/* The two loops that measure a machine's limits, for each instruction set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_MACHINE_LOOPS_H
#define CONFORMANCE_BENCH_MACHINE_LOOPS_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stddef.h>

#define CONF_LOOPS_FLOATS 256 /* block size of sum */

typedef struct conf_loops {
    const char *name; /* of the instruction set, for display */
    /* The sum of x[n], n a multiple of CONF_LOOPS_FLOATS, x aligned to 64 bytes. */
    float (*sum)(const float *x, size_t n);
    /* Computes a = a * half + half n_rounds times, starting at 1, in enough registers to keep every
     * unit busy. Returns the sum of their lanes, which is n_lanes if half is 0.5. half is a parameter,
     * since for a constant the compiler could compute the sum. */
    float (*multiply_add)(size_t n_rounds, float half);
    size_t n_lanes; /* floats that one round of multiply_add computes */
} conf_loops;

/* Products in a narrower type, summed in a wider one. */
typedef struct conf_dots {
    const char *name;  /* of the instruction, for display */
    assay_dtype dtype; /* ASSAY_BF16 or ASSAY_I8 */
    /* Computes a = a + x · x n_rounds times, in enough registers to keep every unit busy; every
     * element of x is half, or for integers 1 if half is 0.5. Returns the sum of the lanes. */
    float (*multiply_add)(size_t n_rounds, float half);
    size_t n_lanes; /* products that one round computes */
} conf_dots;

/* Products of bfloat16 or bytes with AMX tiles; NULL if the processor has none. */
const conf_dots *conf_dots_of_tiles(assay_dtype dtype);

/* The fastest products of a type that this processor supports; NULL: none. */
const conf_dots *conf_dots_choose(assay_dtype dtype);

/* All loops that are compiled in, the fastest first, plain C last; NULL-terminated. */
extern const conf_loops *const conf_loops_all[];

/* Whether this processor and operating system can run them. */
bool conf_loops_run_here(const conf_loops *loops);

/* The first of conf_loops_all that this processor supports. */
const conf_loops *conf_loops_choose(void);

#endif
