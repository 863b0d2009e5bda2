/* LayerNorm, row by row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_LAYER_NORM_H
#define FASTPATH_LAYER_NORM_H

#include <stddef.h>

/* y = (x - mean(x)) / sqrt(mean((x - mean(x))²) + epsilon) * weight + bias (Ba et al. 2016).
 * x: [n_rows, width], y likewise, dense; y may be x, and must not overlap it otherwise. weight, bias:
 * [width]; NULL: no scaling, no bias. n_rows, width >= 1. Both sums are in double, in an order that depends
 * on width alone, so that a row has the same bits among any other rows. */
void fp_layer_norm(float *y, const float *x, size_t n_rows, size_t width, const float *weight,
                   const float *bias, double epsilon);

#endif
