/* Gated activations.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_GATE_GATE_H
#define FASTPATH_KERNELS_GATE_GATE_H

#include <assay/kernel.h>

#include "fastpath/kernels/isa/isa.h"

typedef struct fp_gate_variant {
    fp_isa isa;
    assay_gate_fn *f32;
} fp_gate_variant;

/* The variants of this build, best first; the last one is scalar. */
extern const fp_gate_variant FP_GATE[];
extern const size_t FP_N_GATE;

/* The best variant that runs on isa. */
const fp_gate_variant *fp_gate_pick(fp_isa isa);

assay_gate_fn fp_gate_f32__scalar, fp_gate_f32__neon, fp_gate_f32__avx2, fp_gate_f32__avx512;

#endif
