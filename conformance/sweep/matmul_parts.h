/* A case of a matrix product: what the sweep's files on matrices share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_MATMUL_PARTS_H
#define CONFORMANCE_SWEEP_MATMUL_PARTS_H

#include "conformance/sweep/parts.h"

/* Which numbers of the operand that has zeros are zeros, of SWEEP_ZEROS; blocks lie at the same inputs of
 * all rows. */
typedef enum sweep_zeros { SWEEP_ALL_ZEROS, SWEEP_ZERO_BLOCKS, SWEEP_SINGLE_ZEROS } sweep_zeros;

/* w, magnitude: [n_out, n_in]; what the weights stand for, and what |w| counts as in the bound. */
typedef struct sweep_product {
    assay_dtype x_dtype;
    sweep_numbers numbers;
    bool zeros_in_x;
    sweep_zeros zeros;
    const assay_matmul *kernel;
    assay_weight stored;
    assay_matrix packed;
    assay_product of;
    double *x; /* [n_rows, n_in], likewise */
    double *w, *magnitude;
} sweep_product;

/* The kernels for weights of a type, ASSAY_U32 being affine groups. */
static inline const assay_matmul *sweep_matmul_of(const assay_kernels *kernels, assay_dtype weights)
{
    return weights == ASSAY_F32    ? &kernels->matmul_f32
           : weights == ASSAY_F16  ? &kernels->matmul_f16
           : weights == ASSAY_BF16 ? &kernels->matmul_bf16
                                   : &kernels->matmul_affine;
}

/* Bits and groups are those that MLX knows, and n_in is a multiple of the group, where weights are codes; no
 * bits and no group otherwise. */
bool sweep_matrix_allows(assay_dtype weights, size_t n_out, size_t n_in, size_t bits, size_t group);

/* A width and a group for the case that comes next, and n_in rounded up to whole groups; 0 and 0, and n_in as
 * it is, for other weights. */
void sweep_matrix_turn(const sweep *s, assay_dtype weights, size_t *n_in, size_t *bits, size_t *group);

/* Makes the weights of p->stored, whose sizes and types are set: rows, scales and biases at any address. */
void sweep_make_weights(sweep_product *p, sweep *s);

/* Makes x of p->of.n_rows rows, with the scales and sums of codes. */
void sweep_make_rows(sweep_product *p, sweep *s);

/* Sizes of p->packed, as p->kernel says. False where its panels have no room here. */
bool sweep_pack_sizes(sweep_product *p, sweep *s);

/* Packs p->stored into p->packed; all inputs are read-only from then on. False where something is wrong with
 * that. */
bool sweep_pack(sweep_product *p, sweep *s);

static inline size_t sweep_panels(const assay_matrix *w)
{
    return (w->n_out + w->panel - 1) / w->panel;
}

/* Elements of n_rows rows, up to the last of the last one. */
static inline size_t sweep_elements(size_t n_rows, size_t width, size_t ld)
{
    return (n_rows - 1) * ld + width;
}

/* matmul_pack.c's, for SWEEP_MATMUL. kind: index of {f32, f16, bf16, affine}. */
bool sweep_pack_given(const assay_kernels *kernels, const sweep_op *op);
void sweep_pack_shapes(sweep *s, const sweep_op *op);
bool sweep_pack_allows(const sweep *s, const sweep_op *op, const size_t *shape);
void sweep_pack_run(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers);
enum { SWEEP_PACK_DIMS = 4 };

#endif
