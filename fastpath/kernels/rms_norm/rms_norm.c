/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "fastpath/kernels/rms_norm/rms_norm.h"

const fp_rms_norm_variant FP_RMS_NORM[] = {
#ifdef FP_HAVE_AVX512
    {FP_ISA_AVX512, fp_rms_norm_f32__avx512},
#endif
#ifdef FP_HAVE_AVX2
    {FP_ISA_AVX2, fp_rms_norm_f32__avx2},
#endif
#ifdef FP_HAVE_NEON
    {FP_ISA_NEON, fp_rms_norm_f32__neon},
#endif
    {FP_ISA_SCALAR, fp_rms_norm_f32__scalar},
};
const size_t FP_N_NORM = sizeof FP_RMS_NORM / sizeof *FP_RMS_NORM;

const fp_rms_norm_variant *fp_rms_norm_pick(fp_isa isa)
{
    return fp_isa_pick(FP_RMS_NORM, sizeof *FP_RMS_NORM, isa);
}
