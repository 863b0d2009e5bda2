/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "fastpath/kernels/gate/gate.h"

const fp_gate_variant FP_GATE[] = {
#ifdef FP_HAVE_AVX512
    {FP_ISA_AVX512, fp_gate_f32__avx512},
#endif
#ifdef FP_HAVE_AVX2
    {FP_ISA_AVX2, fp_gate_f32__avx2},
#endif
#ifdef FP_HAVE_NEON
    {FP_ISA_NEON, fp_gate_f32__neon},
#endif
    {FP_ISA_SCALAR, fp_gate_f32__scalar},
};
const size_t FP_N_GATE = sizeof FP_GATE / sizeof *FP_GATE;

const fp_gate_variant *fp_gate_pick(fp_isa isa)
{
    return fp_isa_pick(FP_GATE, sizeof *FP_GATE, isa);
}
