/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/kernels.h"

#include <string.h>

#include "base/error.h"

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
               .rms_norm = fp_rms_norm_pick(isa)->f32,
               .rope = fp_rope_pick(isa)->f32,
               .gate = fp_gate_pick(isa)->f32,
               .cap = fp_cap_pick(isa)->f32,
               .router = fp_router_pick(isa)->f32},
        .narrow_bf16 = narrow->bf16,
        .narrow_i8 = narrow->i8,
    };
}

static void replace_matmul(assay_matmul *own, const assay_matmul *given)
{
    if (given->panel) *own = *given;
}

assay_status fp_kernels_replace(fp_kernels *own, const assay_kernels *given, assay_error *err)
{
    assay_kernels from = {0}, *op = &own->op;
    if (given->abi != ASSAY_KERNELS_ABI)
        return assay_fail(err, ASSAY_EINVAL, "kernels: built for kernel ABI %u, expected %u", given->abi,
                          ASSAY_KERNELS_ABI);
    memcpy(&from, given, given->size < sizeof from ? given->size : sizeof from);
    own->outside = from.name ? from.name : "from outside";
    replace_matmul(&op->matmul_f32, &from.matmul_f32);
    replace_matmul(&op->matmul_f16, &from.matmul_f16);
    replace_matmul(&op->matmul_bf16, &from.matmul_bf16);
    replace_matmul(&op->matmul_affine, &from.matmul_affine);
    if (from.attention_f32) op->attention_f32 = from.attention_f32;
    if (from.attention_bf16) op->attention_bf16 = from.attention_bf16;
    if (from.rms_norm) op->rms_norm = from.rms_norm;
    if (from.rope) op->rope = from.rope;
    if (from.gate) op->gate = from.gate;
    if (from.cap) op->cap = from.cap;
    if (from.router) op->router = from.router;
    return ASSAY_OK;
}
