/* RMSNorm (Zhang & Sennrich 2019).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_NORM_H
#define FASTPATH_KERNELS_NORM_H

#include "fastpath/kernels/isa.h"

/* y = x / sqrt(mean(x²) + epsilon) * weight, row by row.
 * x: [n_rows, width], ld_x >= width elements from one row to the next; y likewise; y may be x with the same
 * stride, and must not overlap it otherwise. weight: [width], or NULL: not scaled. n_rows, width >= 1.
 * The squares are summed in double, or to the same accuracy. The bits of a row depend on it, width, epsilon
 * and weight alone. */
typedef void fp_norm_fn(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
                        const float *weight, double epsilon);

typedef struct fp_norm_variant {
    fp_isa isa;
    fp_norm_fn *f32;
} fp_norm_variant;

/* Every variant that this build has, best first; the last one is scalar. */
extern const fp_norm_variant FP_NORM[];
extern const size_t FP_N_NORM;

/* The best variant that needs no more than isa. */
const fp_norm_variant *fp_norm_pick(fp_isa isa);

fp_norm_fn fp_norm_f32__scalar, fp_norm_f32__avx2, fp_norm_f32__avx512;

#endif
