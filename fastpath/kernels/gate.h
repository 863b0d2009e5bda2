/* Gated activations.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_GATE_H
#define FASTPATH_KERNELS_GATE_H

#include "fastpath/kernels/isa.h"
#include "model/plan.h"

/* y = activation(gate) * up, element by element. y, gate, up: [n]; y may be gate or up, and must not overlap
 * them otherwise. The bits of an element depend on its two inputs alone, not on n or where it lies; a
 * tail is computed as what lies before it. NaN stays NaN. */
typedef void fp_gate_fn(float *y, const float *gate, const float *up, size_t n, plan_activation activation);

typedef struct fp_gate_variant {
    fp_isa isa;
    fp_gate_fn *f32;
} fp_gate_variant;

/* Every variant that this build has, best first; the last one is scalar. */
extern const fp_gate_variant FP_GATE[];
extern const size_t FP_N_GATE;

/* The best variant that needs no more than isa. */
const fp_gate_variant *fp_gate_pick(fp_isa isa);

fp_gate_fn fp_gate_f32__scalar, fp_gate_f32__avx2, fp_gate_f32__avx512;

#endif
