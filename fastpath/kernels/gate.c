/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/gate.h"

const fp_gate_variant FP_GATE[] = {
    {FP_ISA_SCALAR, fp_gate_f32__scalar},
};
const size_t FP_N_GATE = sizeof FP_GATE / sizeof *FP_GATE;

const fp_gate_variant *fp_gate_pick(fp_isa isa)
{
    const fp_gate_variant *v = FP_GATE;
    while (v->isa > isa) v++;
    return v;
}
