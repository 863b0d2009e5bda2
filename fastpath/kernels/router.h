/* The router of a mixture of experts: softmax over all of them, then the best.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_ROUTER_H
#define FASTPATH_KERNELS_ROUTER_H

#include <stdint.h>

#include "fastpath/kernels/isa.h"

/* scores: [n_rows, n_experts], what the router's product gave; overwritten by their softmax or by anything.
 * chosen: [n_rows, n_active], the experts of the n_active largest probabilities (of equals, the earlier one),
 *         in ascending order; share: [n_rows, n_active], their probabilities, divided by their sum where
 *         renormalize.
 * 1 <= n_active <= n_experts. No two arrays overlap. The bits of a row depend on it alone. Every expert
 * number is below n_experts and given once, whatever scores are, NaN included. */
typedef void fp_router_fn(int32_t *chosen, float *share, float *scores, size_t n_rows, size_t n_experts,
                          size_t n_active, bool renormalize);

typedef struct fp_router_variant {
    fp_isa isa;
    fp_router_fn *f32;
} fp_router_variant;

/* Every variant that this build has, best first; the last one is scalar. */
extern const fp_router_variant FP_ROUTER[];
extern const size_t FP_N_ROUTER;

/* The best variant that needs no more than isa. */
const fp_router_variant *fp_router_pick(fp_isa isa);

fp_router_fn fp_router_f32__scalar;

#endif
