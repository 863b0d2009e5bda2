/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fastpath/kernels/rms_norm/rms_norm.h"

void fp_rms_norm_f32__scalar(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
                             const float *weight, double epsilon)
{
    for (size_t r = 0; r < n_rows; r++) {
        const float *from = x + r * ld_x;
        float *to = y + r * ld_y;
        double sum = 0;
        for (size_t i = 0; i < width; i++) sum += (double)from[i] * (double)from[i];
        double factor = 1 / sqrt(sum / (double)width + epsilon);
        for (size_t i = 0; i < width; i++)
            to[i] = (float)((double)from[i] * factor * (weight ? (double)weight[i] : 1));
    }
}
