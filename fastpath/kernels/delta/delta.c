/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "fastpath/kernels/delta/delta.h"

const fp_delta_variant FP_DELTA[] = {
#ifdef FP_HAVE_AVX512
    {FP_ISA_AVX512, fp_convolve__avx512, fp_delta__avx512, fp_sigmoid_gate__avx512},
#endif
#ifdef FP_HAVE_AVX2
    {FP_ISA_AVX2, fp_convolve__avx2, fp_delta__avx2, fp_sigmoid_gate__avx2},
#endif
#ifdef FP_HAVE_NEON
    {FP_ISA_NEON, fp_convolve__neon, fp_delta__neon, fp_sigmoid_gate__neon},
#endif
    {FP_ISA_SCALAR, fp_convolve__scalar, fp_delta__scalar, fp_sigmoid_gate__scalar},
};
const size_t FP_N_DELTA = sizeof FP_DELTA / sizeof *FP_DELTA;

const fp_delta_variant *fp_delta_pick(fp_isa isa)
{
    return fp_isa_pick(FP_DELTA, sizeof *FP_DELTA, isa);
}
