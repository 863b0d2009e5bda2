/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/kernels.h"

fp_kernels fp_kernels_pick(fp_isa isa)
{
    return (fp_kernels){
        .matmul = fp_matmul_pick(isa),
        .attention = fp_attention_pick(isa)->f32,
        .norm = fp_norm_pick(isa)->f32,
        .rope = fp_rope_pick(isa)->f32,
        .gate = fp_gate_pick(isa)->f32,
        .router = fp_router_pick(isa)->f32,
        .cap = fp_cap_pick(isa)->f32,
    };
}
