/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "fastpath/kernels/matmul/matmul.h"
#include "fastpath/kernels/matmul/panels.h"

#define NUMBERS                                                                                              \
    .panel = 32, .panel_bytes = fp_numbers_bytes, .pack = fp_numbers_pack, .unpack = fp_numbers_unpack
#define PAIRS  .panel = 32, .panel_bytes = fp_pairs_bytes, .pack = fp_pairs_pack, .unpack = fp_pairs_unpack
#define GROUPS .panel = 32, .panel_bytes = fp_groups_bytes, .pack = fp_groups_pack, .unpack = fp_groups_unpack

const fp_matmul_variant FP_MATMUL[] = {
#ifdef FP_HAVE_AMX
    {FP_ISA_AMX, .f32 = {NUMBERS, .f32 = fp_matmul_f32_f32__avx512},
     .f16 = {NUMBERS, .f32 = fp_matmul_f32_f16__avx512},
     .bf16 = {PAIRS, .f32 = fp_matmul_f32_bf16__avx512, .bf16 = fp_matmul_bf16_bf16__amx},
     .affine = {GROUPS, .f32 = fp_matmul_f32_affine__avx512, .bf16 = fp_matmul_bf16_affine__amx,
                .i8 = fp_matmul_i8_affine__amx}},
#endif
#ifdef FP_HAVE_AVX512BF16
    {FP_ISA_AVX512BF16, .f32 = {NUMBERS, .f32 = fp_matmul_f32_f32__avx512},
     .f16 = {NUMBERS, .f32 = fp_matmul_f32_f16__avx512},
     .bf16 = {PAIRS, .f32 = fp_matmul_f32_bf16__avx512, .bf16 = fp_matmul_bf16_bf16__avx512bf16},
     .affine = {GROUPS, .f32 = fp_matmul_f32_affine__avx512, .bf16 = fp_matmul_bf16_affine__avx512bf16,
                .i8 = fp_matmul_i8_affine__avx512bf16}},
#endif
#ifdef FP_HAVE_AVX512
    {FP_ISA_AVX512, .f32 = {NUMBERS, .f32 = fp_matmul_f32_f32__avx512},
     .f16 = {NUMBERS, .f32 = fp_matmul_f32_f16__avx512},
     .bf16 = {PAIRS, .f32 = fp_matmul_f32_bf16__avx512, .bf16 = fp_matmul_bf16_bf16__avx512},
     .affine = {GROUPS, .f32 = fp_matmul_f32_affine__avx512, .bf16 = fp_matmul_bf16_affine__avx512,
                .i8 = fp_matmul_i8_affine__avx512}},
#endif
#ifdef FP_HAVE_AVX2
    {FP_ISA_AVX2, .f32 = {NUMBERS, .f32 = fp_matmul_f32_f32__avx2},
     .f16 = {NUMBERS, .f32 = fp_matmul_f32_f16__avx2},
     .bf16 = {PAIRS, .f32 = fp_matmul_f32_bf16__avx2, .bf16 = fp_matmul_bf16_bf16__avx2},
     .affine = {GROUPS, .f32 = fp_matmul_f32_affine__avx2, .bf16 = fp_matmul_bf16_affine__avx2,
                .i8 = fp_matmul_i8_affine__avx2}},
#endif
#ifdef FP_HAVE_NEON
    {FP_ISA_NEON, .f32 = {NUMBERS, .f32 = fp_matmul_f32_f32__neon},
     .f16 = {NUMBERS, .f32 = fp_matmul_f32_f16__neon},
     .bf16 = {PAIRS, .f32 = fp_matmul_f32_bf16__neon, .bf16 = fp_matmul_bf16_bf16__neon},
     .affine = {GROUPS, .f32 = fp_matmul_f32_affine__neon, .bf16 = fp_matmul_bf16_affine__neon,
                .i8 = fp_matmul_i8_affine__neon}},
#endif
    {FP_ISA_SCALAR, .f32 = {NUMBERS, .f32 = fp_matmul_f32_f32__scalar},
     .f16 = {NUMBERS, .f32 = fp_matmul_f32_f16__scalar},
     .bf16 = {PAIRS, .f32 = fp_matmul_f32_bf16__scalar, .bf16 = fp_matmul_bf16_bf16__scalar},
     .affine = {GROUPS, .f32 = fp_matmul_f32_affine__scalar, .bf16 = fp_matmul_bf16_affine__scalar,
                .i8 = fp_matmul_i8_affine__scalar}},
};
const size_t FP_N_MATMUL = sizeof FP_MATMUL / sizeof *FP_MATMUL;

const fp_matmul_variant *fp_matmul_pick(fp_isa isa)
{
    return fp_isa_pick(FP_MATMUL, sizeof *FP_MATMUL, isa);
}
