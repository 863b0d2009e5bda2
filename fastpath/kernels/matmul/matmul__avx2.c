/* Blocks of three rows: twelve registers of sums.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec/vec__avx2.h"

enum { ROWS = 3, CODE_ROWS = 1, FEW_ROWS = 2, STREAMED_ROWS = 4 };

#include "fastpath/kernels/matmul/codes__vec.h"

void fp_matmul_f32_f32__avx2(const assay_product *p)
{
    matmul(p, ASSAY_F32, LAYOUT_F32);
}

void fp_matmul_f32_f16__avx2(const assay_product *p)
{
    matmul(p, ASSAY_F32, LAYOUT_F16);
}

void fp_matmul_f32_bf16__avx2(const assay_product *p)
{
    matmul(p, ASSAY_F32, LAYOUT_PAIRS);
}

void fp_matmul_bf16_bf16__avx2(const assay_product *p)
{
    matmul(p, ASSAY_BF16, LAYOUT_PAIRS);
}

void fp_matmul_f32_affine__avx2(const assay_product *p)
{
    groups(p, ASSAY_F32);
}

void fp_matmul_bf16_affine__avx2(const assay_product *p)
{
    groups(p, ASSAY_BF16);
}

void fp_matmul_i8_affine__avx2(const assay_product *p)
{
    group_codes(p);
}
