/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "fastpath/kernels/rope/rope.h"

const fp_rope_variant FP_ROPE[] = {
#ifdef FP_HAVE_AVX512
    {FP_ISA_AVX512, fp_rope_f32__avx512},
#endif
#ifdef FP_HAVE_AVX2
    {FP_ISA_AVX2, fp_rope_f32__avx2},
#endif
#ifdef FP_HAVE_NEON
    {FP_ISA_NEON, fp_rope_f32__neon},
#endif
    {FP_ISA_SCALAR, fp_rope_f32__scalar},
};
const size_t FP_N_ROPE = sizeof FP_ROPE / sizeof *FP_ROPE;

const fp_rope_variant *fp_rope_pick(fp_isa isa)
{
    return fp_isa_pick(FP_ROPE, sizeof *FP_ROPE, isa);
}
