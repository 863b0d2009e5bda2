/* Rotation over vectors; included once by rope__<isa>.c, after its vec__<isa>.h. Products of two floats are
 * exact in double, so the bits are those of the scalar variant.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_ROPE_VEC_H
#define FASTPATH_KERNELS_ROPE_VEC_H

#include "fastpath/kernels/rope/rope.h"

static inline void rotate(vec *a, vec *b, vec cosine, vec sine)
{
    vec_pair x = vec_widen(*a), y = vec_widen(*b), c = vec_widen(cosine), s = vec_widen(sine);
    *a = vec_narrow(vec_pair_fms(x, c, vec_pair_mul(y, s)));
    *b = vec_narrow(vec_pair_fma(y, c, vec_pair_mul(x, s)));
}

static inline void rotate_halves(float *x, size_t n, const float *cosine, const float *sine)
{
    for (size_t i = 0; i < n; i += VEC) {
        vec a = vec_load(x + i, n - i), b = vec_load(x + n + i, n - i);
        rotate(&a, &b, vec_load(cosine + i, n - i), vec_load(sine + i, n - i));
        vec_store(x + i, a, n - i);
        vec_store(x + n + i, b, n - i);
    }
}

static inline void rotate_adjacent(float *x, size_t n, const float *cosine, const float *sine)
{
    for (size_t i = 0; i < n; i += VEC) {
        /* Number of elements of the second vector; its address is formed only if there are any. */
        size_t rest = 2 * (n - i) > VEC ? 2 * (n - i) - VEC : 0;
        float *second = x + 2 * i + (rest ? VEC : 0);
        vec a, b, p = vec_load(x + 2 * i, 2 * (n - i)), q = vec_load(second, rest);
        vec_split(p, q, &a, &b);
        rotate(&a, &b, vec_load(cosine + i, n - i), vec_load(sine + i, n - i));
        vec_merge(a, b, &p, &q);
        vec_store(x + 2 * i, p, 2 * (n - i));
        vec_store(second, q, rest);
    }
}

static inline void rope(float *x, size_t n_heads, size_t head_dim, size_t dim, bool adjacent,
                        const float *cosine, const float *sine)
{
    for (size_t h = 0; h < n_heads; h++)
        if (adjacent) rotate_adjacent(x + h * head_dim, dim / 2, cosine, sine);
        else rotate_halves(x + h * head_dim, dim / 2, cosine, sine);
}

#endif
