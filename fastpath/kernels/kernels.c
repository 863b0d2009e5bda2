/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/kernels.h"

fp_kernels fp_kernels_pick(fp_isa isa)
{
    const fp_matmul_variant *matmul = fp_matmul_pick(isa);
    const fp_attention_variant *attention = fp_attention_pick(isa);
    const fp_narrow_variant *narrow = fp_narrow_pick(isa);
    return (fp_kernels){
        .op = {.abi = ASSAY_KERNELS_ABI,
               .size = sizeof(assay_kernels),
               .name = fp_isa_name(isa),
               .matmul_f32 = matmul->f32,
               .matmul_f16 = matmul->f16,
               .matmul_bf16 = matmul->bf16,
               .matmul_affine = matmul->affine,
               .attention_f32 = attention->f32,
               .attention_bf16 = attention->bf16,
               .norm = fp_norm_pick(isa)->f32,
               .rope = fp_rope_pick(isa)->f32,
               .gate = fp_gate_pick(isa)->f32,
               .cap = fp_cap_pick(isa)->f32,
               .router = fp_router_pick(isa)->f32},
        .narrow_bf16 = narrow->bf16,
        .narrow_i8 = narrow->i8,
    };
}
