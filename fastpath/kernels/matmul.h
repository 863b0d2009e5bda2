/* Matrix products with packed weights: y = x Wᵀ.
 *
 * W, [n_out, n_in], is packed once into panels of FP_PANEL outputs. Panel p holds, for input 0, the weights
 * of outputs p * FP_PANEL … + FP_PANEL - 1, then those of input 1, and so on; outputs beyond n_out are zero.
 * Numbers stay in the type that they were stored in, f32, f16 or bf16, and are widened in the kernel.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_MATMUL_H
#define FASTPATH_KERNELS_MATMUL_H

#include <assay/engine.h>

#include "fastpath/kernels/isa.h"

#define FP_PANEL     ((size_t)32)
#define FP_ALIGNMENT ((size_t)64) /* bytes; of panels and of pages of keys and values */

typedef struct fp_matrix {
    size_t n_out, n_in;
    assay_dtype dtype; /* ASSAY_F32, ASSAY_F16 or ASSAY_BF16 */
    void *panels;      /* [fp_matrix_panels, n_in, FP_PANEL], aligned to FP_ALIGNMENT */
} fp_matrix;

static inline size_t fp_matrix_panels(const fp_matrix *w)
{
    return (w->n_out + FP_PANEL - 1) / FP_PANEL;
}

/* Writes the outputs of panels first_panel … first_panel + n_panels - 1, and nothing else of y.
 * y: [n_rows, n_out], ld_y >= n_out elements from one row to the next. x: [n_rows, n_in], likewise ld_x.
 * Rows of x and y may have any alignment of float; y must not overlap x. No x beyond n_in is read.
 * n_rows, n_panels >= 1, n_in >= 1; first_panel + n_panels <= fp_matrix_panels(w).
 *
 * The bits of y[r, o] depend on row r of x and row o of W alone: the order of additions over n_in is the same
 * whatever n_rows, r, the range of panels and the strides are. NaN and Inf go where the sum takes them, and
 * padding outputs of a panel are never written.
 * Bound, against exact sums: 16 (u Σ|x||w| + ½ ulp(y)), u = 2^-24; sums that are exact in float throughout
 * must be exact. */
typedef void fp_matmul_fn(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows,
                          const fp_matrix *w, size_t first_panel, size_t n_panels);

typedef struct fp_matmul_variant {
    fp_isa isa;
    fp_matmul_fn *f32, *f16, *bf16; /* by the type of the weights */
} fp_matmul_variant;

/* Every variant that this build has, best first; the last one is scalar. */
extern const fp_matmul_variant FP_MATMUL[];
extern const size_t FP_N_MATMUL;

/* The best variant that needs no more than isa. */
const fp_matmul_variant *fp_matmul_pick(fp_isa isa);

/* Of v, the function for w. */
fp_matmul_fn *fp_matmul_for(const fp_matmul_variant *v, const fp_matrix *w);

fp_matmul_fn fp_matmul_f32__scalar, fp_matmul_f16__scalar, fp_matmul_bf16__scalar;
fp_matmul_fn fp_matmul_f32__avx2, fp_matmul_f16__avx2, fp_matmul_bf16__avx2;
fp_matmul_fn fp_matmul_f32__avx512, fp_matmul_f16__avx512, fp_matmul_bf16__avx512;

#endif
