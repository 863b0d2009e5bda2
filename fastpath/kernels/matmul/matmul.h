/* Matrix products with packed weights: which variants there are. The contract is assay_product's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_MATMUL_MATMUL_H
#define FASTPATH_KERNELS_MATMUL_MATMUL_H

#include <assay/kernel.h>

#include "fastpath/kernels/isa/isa.h"

typedef struct fp_matmul_variant {
    fp_isa isa;
    assay_matmul f32, f16, bf16, affine; /* one for each kind of weights */
} fp_matmul_variant;

/* The variants of this build, best first; the last one is scalar. */
extern const fp_matmul_variant FP_MATMUL[];
extern const size_t FP_N_MATMUL;

/* The best variant that runs on isa. */
const fp_matmul_variant *fp_matmul_pick(fp_isa isa);

static inline size_t fp_matrix_panels(const assay_matrix *w)
{
    return (w->n_out + w->panel - 1) / w->panel;
}

/* fp_matmul_<type of x>_<weights>__<isa> */
assay_product_fn fp_matmul_f32_f32__scalar, fp_matmul_f32_f16__scalar, fp_matmul_f32_bf16__scalar,
    fp_matmul_f32_affine__scalar, fp_matmul_bf16_bf16__scalar, fp_matmul_bf16_affine__scalar,
    fp_matmul_i8_affine__scalar;
assay_product_fn fp_matmul_f32_f32__neon, fp_matmul_f32_f16__neon, fp_matmul_f32_bf16__neon,
    fp_matmul_f32_affine__neon, fp_matmul_bf16_bf16__neon, fp_matmul_bf16_affine__neon,
    fp_matmul_i8_affine__neon;
assay_product_fn fp_matmul_f32_f32__avx2, fp_matmul_f32_f16__avx2, fp_matmul_f32_bf16__avx2,
    fp_matmul_f32_affine__avx2, fp_matmul_bf16_bf16__avx2, fp_matmul_bf16_affine__avx2,
    fp_matmul_i8_affine__avx2;
assay_product_fn fp_matmul_f32_f32__avx512, fp_matmul_f32_f16__avx512, fp_matmul_f32_bf16__avx512,
    fp_matmul_f32_affine__avx512, fp_matmul_bf16_bf16__avx512, fp_matmul_bf16_affine__avx512,
    fp_matmul_i8_affine__avx512;
assay_product_fn fp_matmul_bf16_bf16__avx512bf16, fp_matmul_bf16_affine__avx512bf16,
    fp_matmul_i8_affine__avx512bf16;
assay_product_fn fp_matmul_bf16_bf16__amx, fp_matmul_bf16_affine__amx, fp_matmul_i8_affine__amx;

#endif
