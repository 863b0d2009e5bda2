/* RMSNorm. The squares are summed in double: a float sum would exceed the bound.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "example.h"

void rms_norm(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
              const float *weight, double epsilon)
{
    for (size_t r = 0; r < n_rows; r++, x += ld_x, y += ld_y) {
        double sum = 0;
        for (size_t i = 0; i < width; i++) sum += (double)x[i] * (double)x[i];
        const double factor = 1 / sqrt(sum / (double)width + epsilon);
        for (size_t i = 0; i < width; i++)
            y[i] = (float)((double)x[i] * factor * (weight ? (double)weight[i] : 1));
    }
}
