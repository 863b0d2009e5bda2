/* Blocks of eight rows: sixteen registers of sums.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec/vec__avx512.h"

enum { ROWS = 8, CODE_ROWS = 6, FEW_ROWS = 2, STREAMED_ROWS = 8 };

#include "fastpath/kernels/matmul/codes__vec.h"

void fp_matmul_f32_f32__avx512(const assay_product *p)
{
    matmul(p, ASSAY_F32, LAYOUT_F32);
}

void fp_matmul_f32_f16__avx512(const assay_product *p)
{
    matmul(p, ASSAY_F32, LAYOUT_F16);
}

void fp_matmul_f32_bf16__avx512(const assay_product *p)
{
    matmul(p, ASSAY_F32, LAYOUT_PAIRS);
}

void fp_matmul_bf16_bf16__avx512(const assay_product *p)
{
    matmul(p, ASSAY_BF16, LAYOUT_PAIRS);
}

void fp_matmul_f32_affine__avx512(const assay_product *p)
{
    groups(p, ASSAY_F32);
}

void fp_matmul_bf16_affine__avx512(const assay_product *p)
{
    groups(p, ASSAY_BF16);
}

void fp_matmul_i8_affine__avx512(const assay_product *p)
{
    group_codes(p);
}
