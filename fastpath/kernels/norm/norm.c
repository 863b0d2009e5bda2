/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "fastpath/kernels/norm/norm.h"

const fp_norm_variant FP_NORM[] = {
#ifdef FP_HAVE_AVX512
    {FP_ISA_AVX512, fp_norm_f32__avx512},
#endif
#ifdef FP_HAVE_AVX2
    {FP_ISA_AVX2, fp_norm_f32__avx2},
#endif
#ifdef FP_HAVE_NEON
    {FP_ISA_NEON, fp_norm_f32__neon},
#endif
    {FP_ISA_SCALAR, fp_norm_f32__scalar},
};
const size_t FP_N_NORM = sizeof FP_NORM / sizeof *FP_NORM;

const fp_norm_variant *fp_norm_pick(fp_isa isa)
{
    return fp_isa_pick(FP_NORM, sizeof *FP_NORM, isa);
}
