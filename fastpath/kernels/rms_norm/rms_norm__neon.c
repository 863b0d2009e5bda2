/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec/vec__neon.h"

#include "fastpath/kernels/rms_norm/rms_norm__vec.h"

void fp_rms_norm_f32__neon(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
                           const float *weight, double epsilon)
{
    rms_norm(y, ld_y, x, ld_x, n_rows, width, weight, epsilon);
}
