/* Soft caps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_CAP_CAP_H
#define FASTPATH_KERNELS_CAP_CAP_H

#include <assay/kernel.h>

#include "fastpath/kernels/isa/isa.h"

typedef struct fp_cap_variant {
    fp_isa isa;
    assay_cap_fn *f32;
} fp_cap_variant;

/* The variants of this build, best first; the last one is scalar. */
extern const fp_cap_variant FP_CAP[];
extern const size_t FP_N_CAP;

/* The best variant that runs on isa. */
const fp_cap_variant *fp_cap_pick(fp_isa isa);

assay_cap_fn fp_cap_f32__scalar, fp_cap_f32__neon, fp_cap_f32__avx2, fp_cap_f32__avx512;

#endif
