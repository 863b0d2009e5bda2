/* A case of a matrix product. Shared by the sweep's files on matrices.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_MATMUL_PARTS_H
#define CONFORMANCE_SWEEP_MATMUL_PARTS_H

#include "conformance/sweep/parts.h"

/* Which numbers are zero in the operand that has zeros, for SWEEP_ZEROS; blocks are at the same inputs
 * of all rows. */
typedef enum sweep_zeros { SWEEP_ALL_ZEROS, SWEEP_ZERO_BLOCKS, SWEEP_SINGLE_ZEROS } sweep_zeros;

/* w, magnitude: [n_out, n_in]; the values of the weights, and the magnitudes that stand for |w| in the
 * bound. */
typedef struct sweep_product {
    assay_dtype x_dtype;
    sweep_numbers numbers;
    bool zeros_in_x;
    sweep_zeros zeros;
    const assay_matmul *kernel;
    assay_weight stored;
    assay_matrix packed;
    assay_product of;
    double *x; /* [n_rows, n_in]: the values of the rows */
    double *w, *magnitude;
} sweep_product;

/* The kernels for weights of a type; ASSAY_U32 stands for affine groups. */
static inline const assay_matmul *sweep_matmul_of(const assay_kernels *kernels, assay_dtype weights)
{
    return weights == ASSAY_F32    ? &kernels->matmul_f32
           : weights == ASSAY_F16  ? &kernels->matmul_f16
           : weights == ASSAY_BF16 ? &kernels->matmul_bf16
                                   : &kernels->matmul_affine;
}

/* For affine groups: whether MLX has this width and group size, and n_in is a multiple of the group.
 * For other weights bits and group must be 0. In both cases whether the arrays fit. */
bool sweep_matrix_allows(assay_dtype weights, size_t n_out, size_t n_in, size_t bits, size_t group);

/* Chooses width and group of the next case, and rounds n_in up to whole groups; for weights that are
 * not affine groups sets both to 0 and leaves n_in unchanged. */
void sweep_matrix_turn(const sweep *s, assay_dtype weights, size_t *n_in, size_t *bits, size_t *group);

/* Makes the weights of p->stored, whose sizes and types are set; rows, scales and biases may be
 * unaligned. */
void sweep_make_weights(sweep_product *p, sweep *s);

/* Makes x of p->of.n_rows rows and, for codes, their scales and sums. */
void sweep_make_rows(sweep_product *p, sweep *s);

/* Sets the sizes of p->packed from p->kernel. False, with a fault noted, if panel_bytes is invalid or
 * too large. */
bool sweep_pack_sizes(sweep_product *p, sweep *s);

/* Packs p->stored into p->packed; all inputs are read-only from then on. False, with a fault noted, on
 * failure. */
bool sweep_pack(sweep_product *p, sweep *s);

static inline size_t sweep_panels(const assay_matrix *w)
{
    return (w->n_out + w->panel - 1) / w->panel;
}

/* Number of elements of n_rows rows, up to the last one of the last row. */
static inline size_t sweep_elements(size_t n_rows, size_t width, size_t ld)
{
    return (n_rows - 1) * ld + width;
}

/* Defined in matmul_pack.c, for SWEEP_MATMUL. kind: index of {f32, f16, bf16, affine}. */
bool sweep_pack_is_provided(const assay_kernels *kernels, const sweep_op *op);
void sweep_pack_shapes(sweep *s, const sweep_op *op);
bool sweep_pack_allows(const sweep *s, const sweep_op *op, const size_t *shape);
void sweep_pack_run(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers);
enum { SWEEP_PACK_DIMS = 4 };

#endif
