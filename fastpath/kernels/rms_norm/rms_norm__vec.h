/* RMSNorm over vectors, in double; included once by rms_norm__<isa>.c, after its vec__<isa>.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_NORM_VEC_H
#define FASTPATH_KERNELS_NORM_VEC_H

#include <math.h>

#include "fastpath/kernels/rms_norm/rms_norm.h"

/* Sums the squares of every VEC-th element in a lane, then the lanes from left to right. */
static inline double norm_squares(const float *x, size_t width)
{
    vec_pair sum = vec_pair_of(0);
    for (size_t i = 0; i < width; i += VEC) {
        vec_pair wide = vec_widen(vec_load(x + i, width - i));
        sum = vec_pair_fma(wide, wide, sum);
    }
    double lanes[VEC], all = 0;
    vec_pair_store(lanes, sum);
    for (size_t i = 0; i < VEC; i++) all += lanes[i];
    return all;
}

static inline void rms_norm(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
                            const float *weight, double epsilon)
{
    for (size_t r = 0; r < n_rows; r++) {
        const float *from = x + r * ld_x;
        float *to = y + r * ld_y;
        vec_pair factor = vec_pair_of(1 / sqrt(norm_squares(from, width) / (double)width + epsilon));
        for (size_t i = 0; i < width; i += VEC) {
            vec_pair wide = vec_pair_mul(vec_widen(vec_load(from + i, width - i)), factor);
            if (weight) wide = vec_pair_mul(wide, vec_widen(vec_load(weight + i, width - i)));
            vec_store(to + i, vec_narrow(wide), width - i);
        }
    }
}

#endif
