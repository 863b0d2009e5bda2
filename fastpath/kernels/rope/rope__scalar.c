/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/rope/rope.h"

void fp_rope_f32__scalar(float *x, size_t n_heads, size_t head_dim, size_t dim, bool adjacent,
                         const float *cosine, const float *sine)
{
    size_t n = dim / 2;
    for (size_t h = 0; h < n_heads; h++)
        for (size_t i = 0; i < n; i++) {
            float *a = x + h * head_dim + (adjacent ? 2 * i : i);
            float *b = a + (adjacent ? 1 : n);
            double first = (double)*a, second = (double)*b, c = (double)cosine[i], s = (double)sine[i];
            *a = (float)(first * c - second * s);
            *b = (float)(second * c + first * s);
        }
}
