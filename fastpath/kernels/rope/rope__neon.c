/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec/vec__neon.h"

#include "fastpath/kernels/rope/rope__vec.h"

void fp_rope_f32__neon(float *x, size_t n_heads, size_t head_dim, size_t dim, bool adjacent,
                       const float *cosine, const float *sine)
{
    rope(x, n_heads, head_dim, dim, adjacent, cosine, sine);
}
