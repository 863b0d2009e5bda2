/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/matmul.h"

const fp_matmul_variant FP_MATMUL[] = {
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
