/* RMSNorm (Zhang & Sennrich 2019).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_RMS_NORM_RMS_NORM_H
#define FASTPATH_KERNELS_RMS_NORM_RMS_NORM_H

#include <assay/kernel.h>

#include "fastpath/kernels/isa/isa.h"

typedef struct fp_rms_norm_variant {
    fp_isa isa;
    assay_rms_norm_fn *f32;
} fp_rms_norm_variant;

/* The variants of this build, best first; the last one is scalar. */
extern const fp_rms_norm_variant FP_RMS_NORM[];
extern const size_t FP_N_NORM;

/* The best variant that runs on isa. */
const fp_rms_norm_variant *fp_rms_norm_pick(fp_isa isa);

assay_rms_norm_fn fp_rms_norm_f32__scalar, fp_rms_norm_f32__neon, fp_rms_norm_f32__avx2,
    fp_rms_norm_f32__avx512;

#endif
