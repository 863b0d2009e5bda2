/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/router/router.h"

const fp_router_variant FP_ROUTER[] = {
    {FP_ISA_SCALAR, fp_router_f32__scalar},
};
const size_t FP_N_ROUTER = sizeof FP_ROUTER / sizeof *FP_ROUTER;

const fp_router_variant *fp_router_pick(fp_isa isa)
{
    return fp_isa_pick(FP_ROUTER, sizeof *FP_ROUTER, isa);
}
