/* RMSNorm (Zhang & Sennrich 2019).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_NORM_NORM_H
#define FASTPATH_KERNELS_NORM_NORM_H

#include <assay/kernel.h>

#include "fastpath/kernels/isa/isa.h"

typedef struct fp_norm_variant {
    fp_isa isa;
    assay_norm_fn *f32;
} fp_norm_variant;

/* The variants of this build, best first; the last one is scalar. */
extern const fp_norm_variant FP_NORM[];
extern const size_t FP_N_NORM;

/* The best variant that runs on isa. */
const fp_norm_variant *fp_norm_pick(fp_isa isa);

assay_norm_fn fp_norm_f32__scalar, fp_norm_f32__neon, fp_norm_f32__avx2, fp_norm_f32__avx512;

#endif
