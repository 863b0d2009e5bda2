/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "fastpath/kernels/attention/attention.h"

const fp_attention_variant FP_ATTENTION[] = {
#ifdef FP_HAVE_AVX512BF16
    {FP_ISA_AVX512BF16, fp_attention_f32__avx512, fp_attention_bf16__avx512bf16,
     fp_attention_bf16_shares__avx512bf16},
#endif
#ifdef FP_HAVE_AVX512
    {FP_ISA_AVX512, fp_attention_f32__avx512, fp_attention_bf16__avx512, NULL},
#endif
#ifdef FP_HAVE_AVX2
    {FP_ISA_AVX2, fp_attention_f32__avx2, fp_attention_bf16__avx2, NULL},
#endif
#ifdef FP_HAVE_NEON
    {FP_ISA_NEON, fp_attention_f32__neon, fp_attention_bf16__neon, NULL},
#endif
    {FP_ISA_SCALAR, fp_attention_f32__scalar, fp_attention_bf16__scalar, NULL},
};
const size_t FP_N_ATTENTION = sizeof FP_ATTENTION / sizeof *FP_ATTENTION;

const fp_attention_variant *fp_attention_pick(fp_isa isa)
{
    return fp_isa_pick(FP_ATTENTION, sizeof *FP_ATTENTION, isa);
}
