/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "fastpath/kernels/narrow/narrow.h"

const fp_narrow_variant FP_NARROW[] = {
#ifdef FP_HAVE_AVX512
    {FP_ISA_AVX512, fp_narrow_bf16__avx512, fp_narrow_i8__avx512},
#endif
#ifdef FP_HAVE_AVX2
    {FP_ISA_AVX2, fp_narrow_bf16__avx2, fp_narrow_i8__avx2},
#endif
#ifdef FP_HAVE_NEON
    {FP_ISA_NEON, fp_narrow_bf16__neon, fp_narrow_i8__neon},
#endif
    {FP_ISA_SCALAR, fp_narrow_bf16__scalar, fp_narrow_i8__scalar},
};
const size_t FP_N_NARROW = sizeof FP_NARROW / sizeof *FP_NARROW;

const fp_narrow_variant *fp_narrow_pick(fp_isa isa)
{
    return fp_isa_pick(FP_NARROW, sizeof *FP_NARROW, isa);
}
