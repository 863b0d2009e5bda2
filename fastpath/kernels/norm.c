/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/norm.h"

const fp_norm_variant FP_NORM[] = {
    {FP_ISA_SCALAR, fp_norm_f32__scalar},
};
const size_t FP_N_NORM = sizeof FP_NORM / sizeof *FP_NORM;

const fp_norm_variant *fp_norm_pick(fp_isa isa)
{
    const fp_norm_variant *v = FP_NORM;
    while (v->isa > isa) v++;
    return v;
}
