/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "fastpath/kernels/matmul.h"

const fp_matmul_variant FP_MATMUL[] = {
#ifdef FP_HAVE_AVX512
    {FP_ISA_AVX512, fp_matmul_f32__avx512, fp_matmul_f16__avx512, fp_matmul_bf16__avx512},
#endif
#ifdef FP_HAVE_AVX2
    {FP_ISA_AVX2, fp_matmul_f32__avx2, fp_matmul_f16__avx2, fp_matmul_bf16__avx2},
#endif
    {FP_ISA_SCALAR, fp_matmul_f32__scalar, fp_matmul_f16__scalar, fp_matmul_bf16__scalar},
};
const size_t FP_N_MATMUL = sizeof FP_MATMUL / sizeof *FP_MATMUL;

const fp_matmul_variant *fp_matmul_pick(fp_isa isa)
{
    const fp_matmul_variant *v = FP_MATMUL;
    while (v->isa > isa) v++;
    return v;
}

fp_matmul_fn *fp_matmul_for(const fp_matmul_variant *v, const fp_matrix *w)
{
    return w->dtype == ASSAY_F32 ? v->f32 : w->dtype == ASSAY_F16 ? v->f16 : v->bf16;
}
