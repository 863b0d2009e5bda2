/* The table entry of one operation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_PARTS_H
#define CONFORMANCE_SWEEP_PARTS_H

#include "conformance/sweep/sweep.h"

typedef struct sweep_op sweep_op;
struct sweep_op {
    const char *name; /* of the operation in assay_kernels; of a function, "matmul_bf16.f32", or of its
                         variant, "gate.silu" */
    int kind;         /* distinguishes the operations of one file */
    size_t n_dims;    /* of a shape */
    /* Whether the table has the operation. */
    bool (*is_provided)(const assay_kernels *kernels, const sweep_op *op);
    /* Calls run for every shape of the sweep. */
    void (*run_shapes)(sweep *s, const sweep_op *op);
    /* Whether the contract allows the shape and its arrays fit: a shape may come from the user. */
    bool (*allows)(const sweep *s, const sweep_op *op, const size_t *shape);
    /* One case, from sweep_begin to sweep_end. */
    void (*run)(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers);
};

extern const sweep_op SWEEP_ATTENTION[3], SWEEP_GATE[6], SWEEP_MATMUL[11], SWEEP_RMS_NORM[1], SWEEP_ROPE[1],
    SWEEP_ROUTER[1];

/* Whether the first n sizes of a shape are all in least … most. */
static inline bool sweep_in(const size_t *sizes, size_t n, size_t least, size_t most)
{
    for (size_t i = 0; i < n; i++)
        if (sizes[i] < least || sizes[i] > most) return false;
    return true;
}

#endif
