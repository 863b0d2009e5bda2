/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/layer_norm.h"

#include <math.h>
#include <string.h>

/* Elements are processed in blocks of this size, whose additions do not wait for each other. */
enum { BLOCK = 8 };

/* Sums of both kinds: element i is added to part i % BLOCK. */
static double total(const double part[BLOCK])
{
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

static double sum(const float *x, size_t width)
{
    double part[BLOCK] = {0};
    size_t i = 0;
    for (; i + BLOCK <= width; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++) part[k] += (double)x[i + k];
    for (; i < width; i++) part[i % BLOCK] += (double)x[i];
    return total(part);
}

static double sum_of_squares(const float *x, size_t width, double mean)
{
    double part[BLOCK] = {0};
    size_t i = 0;
    for (; i + BLOCK <= width; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++) part[k] += ((double)x[i + k] - mean) * ((double)x[i + k] - mean);
    for (; i < width; i++) part[i % BLOCK] += ((double)x[i] - mean) * ((double)x[i] - mean);
    return total(part);
}

static void norm_row(float *y, const float *x, size_t width, const float *weight, const float *bias,
                     double epsilon)
{
    static const float ONES[BLOCK] = {1, 1, 1, 1, 1, 1, 1, 1}, ZEROS[BLOCK] = {0};
    const double mean = sum(x, width) / (double)width,
                 factor = 1 / sqrt(sum_of_squares(x, width, mean) / (double)width + epsilon);
    size_t i = 0;
    for (; i + BLOCK <= width; i += BLOCK) {
        const float *w = weight ? weight + i : ONES, *b = bias ? bias + i : ZEROS;
        float out[BLOCK];
        for (size_t k = 0; k < BLOCK; k++)
            out[k] = (float)(((double)x[i + k] - mean) * factor * (double)w[k] + (double)b[k]);
        memcpy(y + i, out, sizeof out);
    }
    for (; i < width; i++)
        y[i] = (float)(((double)x[i] - mean) * factor * (weight ? (double)weight[i] : 1) +
                       (bias ? (double)bias[i] : 0));
}

void fp_layer_norm(float *y, const float *x, size_t n_rows, size_t width, const float *weight,
                   const float *bias, double epsilon)
{
    for (size_t r = 0; r < n_rows; r++) norm_row(y + r * width, x + r * width, width, weight, bias, epsilon);
}
