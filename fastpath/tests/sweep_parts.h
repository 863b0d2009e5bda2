/* What the sweep knows of each operation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TESTS_SWEEP_PARTS_H
#define FASTPATH_TESTS_SWEEP_PARTS_H

#include "fastpath/kernels/isa.h"
#include "fastpath/tests/sweep.h"

typedef struct sweep_op sweep_op;
struct sweep_op {
    const char *name; /* "matmul_f32_f16" */
    int kind;         /* what the operation's own file tells several of them apart by */
    size_t n_dims;    /* of a shape */
    /* Of the table; the last variant is scalar. */
    size_t (*n_variants)(void);
    fp_isa (*isa)(size_t variant);
    /* Every shape that there is to try, each given to run. */
    void (*shapes)(sweep *s, const sweep_op *op, size_t variant);
    /* One case, from sweep_begin to sweep_end. */
    void (*run)(sweep *s, const sweep_op *op, size_t variant, const size_t *shape, sweep_numbers numbers);
};

extern const sweep_op SWEEP_ATTENTION[2], SWEEP_GATE[6], SWEEP_MATMUL[7], SWEEP_NORM[1], SWEEP_ROPE[1],
    SWEEP_ROUTER[1];

#endif
