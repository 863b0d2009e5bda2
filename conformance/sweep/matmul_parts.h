/* A case of a matrix product. Shared by the sweep's files on matrices.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_MATMUL_PARTS_H
#define CONFORMANCE_SWEEP_MATMUL_PARTS_H

#include "conformance/sweep/parts.h"

/* Which numbers are zero in the operand that has zeros, for SWEEP_ZEROS; blocks are at the same inputs
 * of all rows. */
typedef enum sweep_zeros { SWEEP_ALL_ZEROS, SWEEP_ZERO_BLOCKS, SWEEP_SINGLE_ZEROS } sweep_zeros;

typedef struct sweep_product sweep_product;

/* w, magnitude: [n_out, n_in]; the values of the weights, and the magnitudes that stand for |w| in the
 * bound. */
struct sweep_product {
    assay_dtype x_dtype;
    sweep_numbers numbers;
    bool is_quantised; /* a number that is not finite stands for another */
    bool is_stored;    /* of matmul_stored */
    bool is_exact;     /* every sum is one of small integers */
    bool zeros_in_x;
    sweep_zeros zeros;
    const assay_matmul *kernel;
    assay_product_fn *product;
    /* first: the first output of the matrix from which is packed */
    size_t (*panel_bytes)(const sweep_product *p, size_t first);
    void (*pack)(const sweep_product *p, void *panel, size_t first, size_t index);
    void (*unpack)(const sweep_product *p, float *row, size_t o);
    void (*run)(const sweep_product *p, const assay_product *call);
    const void *context; /* of these functions */
    assay_weight stored; /* matmul_stored: its sizes */
    assay_matrix packed; /* matmul_stored: its sizes and panels */
    assay_product of;
    size_t x_group, n_scales, n_sums; /* of codes: inputs of a scale; scales and sums of a row */
    double *x;                        /* [n_rows, n_in]: the values of the rows */
    double *w, *magnitude;
};

/* The kernels for weights of a type; ASSAY_U32 stands for affine groups. NULL: not provided. */
static inline const assay_matmul *sweep_matmul_of(const assay_kernels *kernels, assay_dtype weights)
{
    return weights == ASSAY_F32    ? kernels->matmul_f32
           : weights == ASSAY_F16  ? kernels->matmul_f16
           : weights == ASSAY_BF16 ? kernels->matmul_bf16
                                   : kernels->matmul_affine;
}

static inline size_t sweep_panels(const assay_matrix *w)
{
    return (w->n_out + w->panel - 1) / w->panel;
}

/* Number of elements of n_rows rows, up to the last one of the last row. */
static inline size_t sweep_elements(size_t n_rows, size_t width, size_t ld)
{
    return (n_rows - 1) * ld + width;
}

#endif
