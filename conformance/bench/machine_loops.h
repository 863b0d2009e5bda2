/* The two loops that a machine's limits are measured with, for each instruction set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_MACHINE_LOOPS_H
#define CONFORMANCE_BENCH_MACHINE_LOOPS_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stddef.h>

#define CONF_LOOPS_FLOATS 256 /* what sum takes at a time */

typedef struct conf_loops {
    const char *name; /* of the instruction set, for people */
    /* The sum of x[n], n a multiple of CONF_LOOPS_FLOATS, x aligned to 64 bytes. */
    float (*sum)(const float *x, size_t n);
    /* a = a * half + half, n_rounds times from 1 on, for as many registers as keep every unit busy; the sum
     * of their lanes: n_lanes, where half is 0.5. A parameter, since of a constant the compiler knows the
     * sum. */
    float (*multiply_add)(size_t n_rounds, float half);
    size_t n_lanes; /* floats that one round of multiply_add computes */
} conf_loops;

/* Products in a narrower type, added up in a wider one. */
typedef struct conf_dots {
    const char *name;  /* of the instruction, for people */
    assay_dtype dtype; /* ASSAY_BF16 or ASSAY_I8 */
    /* n_rounds times a = a + x · x for as many registers as keep every unit busy, x being half in every
     * element, or one of integers; the sum of their lanes. */
    float (*multiply_add)(size_t n_rounds, float half);
    size_t n_lanes; /* products that one round computes */
} conf_dots;

/* Those in tiles, of bfloat16 or bytes; NULL where the processor has none. */
const conf_dots *conf_dots_of_tiles(assay_dtype dtype);

/* The best of a type that runs here; NULL: none. */
const conf_dots *conf_dots_choose(assay_dtype dtype);

/* All that are compiled in, the best first, the last one plain C; NULL-terminated. */
extern const conf_loops *const conf_loops_all[];

/* Whether this processor, as the system has set it up, can run them. */
bool conf_loops_run_here(const conf_loops *loops);

/* The first that runs here. */
const conf_loops *conf_loops_choose(void);

#endif
