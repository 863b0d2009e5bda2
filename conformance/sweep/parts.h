/* The table entry of one operation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_PARTS_H
#define CONFORMANCE_SWEEP_PARTS_H

#include "conformance/sweep/sweep.h"

/* A dimension of the shapes of an operation. */
typedef struct sweep_dim {
    const char *name; /* of a size, for reports; NULL: a choice among 0 … most */
    size_t few, most; /* sizes of large cases: one dimension is in few + 1 … most, the others in 1 … few */
} sweep_dim;

typedef struct sweep_op sweep_op;
struct sweep_op {
    const char *name;      /* of the operation in assay_kernels; of a function, "matmul_bf16.f32", or of its
                              variant, "gate.silu" */
    int kind;              /* distinguishes the operations of one file */
    size_t n_dims;         /* of a shape */
    const sweep_dim *dims; /* [n_dims] */
    /* Whether the table has the operation. */
    bool (*is_provided)(const assay_kernels *kernels, const sweep_op *op);
    /* Calls run for shapes around the blocks of kernels; large ones are left to sweep_run. */
    void (*run_shapes)(sweep *s, const sweep_op *op);
    /* Makes a large shape, whose dimensions were drawn one by one, one that the operation allows. NULL: every
     * one is. */
    void (*fit)(const sweep *s, const sweep_op *op, size_t *shape);
    /* Whether the contract allows the shape and its arrays fit: a shape may come from the user. */
    bool (*allows)(const sweep *s, const sweep_op *op, const size_t *shape);
    /* One case, from sweep_begin to sweep_end. */
    void (*run)(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers);
};

extern const sweep_op SWEEP_ATTENTION[3], SWEEP_GATE[6], SWEEP_MATMUL[11], SWEEP_RMS_NORM[1], SWEEP_ROPE[1],
    SWEEP_ROUTER[1], SWEEP_STORED[4];

/* Whether the first n sizes of a shape are all in least … most. */
static inline bool sweep_in(const size_t *sizes, size_t n, size_t least, size_t most)
{
    for (size_t i = 0; i < n; i++)
        if (sizes[i] < least || sizes[i] > most) return false;
    return true;
}

#endif
