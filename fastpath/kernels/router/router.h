/* The router of a mixture of experts: softmax over all of them, then the best.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_ROUTER_ROUTER_H
#define FASTPATH_KERNELS_ROUTER_ROUTER_H

#include <assay/kernel.h>

#include "fastpath/kernels/isa/isa.h"

typedef struct fp_router_variant {
    fp_isa isa;
    assay_router_fn *f32;
} fp_router_variant;

/* The variants of this build, best first; the last one is scalar. */
extern const fp_router_variant FP_ROUTER[];
extern const size_t FP_N_ROUTER;

/* The best variant that runs on isa. */
const fp_router_variant *fp_router_pick(fp_isa isa);

assay_router_fn fp_router_f32__scalar;

#endif
