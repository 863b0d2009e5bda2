/* Rotary position embedding (Su et al. 2021) by tables.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_ROPE_ROPE_H
#define FASTPATH_KERNELS_ROPE_ROPE_H

#include <assay/kernel.h>

#include "fastpath/kernels/isa/isa.h"

typedef struct fp_rope_variant {
    fp_isa isa;
    assay_rope_fn *f32;
} fp_rope_variant;

/* The variants of this build, best first; the last one is scalar. */
extern const fp_rope_variant FP_ROPE[];
extern const size_t FP_N_ROPE;

/* The best variant that runs on isa. */
const fp_rope_variant *fp_rope_pick(fp_isa isa);

assay_rope_fn fp_rope_f32__scalar, fp_rope_f32__neon, fp_rope_f32__avx2, fp_rope_f32__avx512;

#endif
