/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/rope.h"

const fp_rope_variant FP_ROPE[] = {
    {FP_ISA_SCALAR, fp_rope_f32__scalar},
};
const size_t FP_N_ROPE = sizeof FP_ROPE / sizeof *FP_ROPE;

const fp_rope_variant *fp_rope_pick(fp_isa isa)
{
    const fp_rope_variant *v = FP_ROPE;
    while (v->isa > isa) v++;
    return v;
}
