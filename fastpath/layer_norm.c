/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/layer_norm.h"

#include <math.h>

static void norm_row(float *y, const float *x, size_t width, const float *weight, const float *bias,
                     double epsilon)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < width; i++) sum += (double)x[i];
    const double mean = sum / (double)width;
    for (size_t i = 0; i < width; i++) squares += ((double)x[i] - mean) * ((double)x[i] - mean);
    const double factor = 1 / sqrt(squares / (double)width + epsilon);
    for (size_t i = 0; i < width; i++)
        y[i] = (float)(((double)x[i] - mean) * factor * (weight ? (double)weight[i] : 1) +
                       (bias ? (double)bias[i] : 0));
}

void fp_layer_norm(float *y, const float *x, size_t n_rows, size_t width, const float *weight,
                   const float *bias, double epsilon)
{
    for (size_t r = 0; r < n_rows; r++) norm_row(y + r * width, x + r * width, width, weight, bias, epsilon);
}
