/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec__avx512.h"

#include "fastpath/kernels/attention__vec.h"

void fp_attention_f32__avx512(float *out, const float *q, size_t n_heads, size_t head_dim,
                              const float *const *k, const float *const *v, size_t first, size_t last,
                              float scale)
{
    attention(out, q, n_heads, head_dim, k, v, first, last, scale);
}
