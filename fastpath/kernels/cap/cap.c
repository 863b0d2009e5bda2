/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "fastpath/kernels/cap/cap.h"

const fp_cap_variant FP_CAP[] = {
#ifdef FP_HAVE_AVX512
    {FP_ISA_AVX512, fp_cap_f32__avx512},
#endif
#ifdef FP_HAVE_AVX2
    {FP_ISA_AVX2, fp_cap_f32__avx2},
#endif
#ifdef FP_HAVE_NEON
    {FP_ISA_NEON, fp_cap_f32__neon},
#endif
    {FP_ISA_SCALAR, fp_cap_f32__scalar},
};
const size_t FP_N_CAP = sizeof FP_CAP / sizeof *FP_CAP;

const fp_cap_variant *fp_cap_pick(fp_isa isa)
{
    return fp_isa_pick(FP_CAP, sizeof *FP_CAP, isa);
}
