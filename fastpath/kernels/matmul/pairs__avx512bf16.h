/* Sums of pairs of bfloat16 with VDPBF16PS, which multiplies pairs and adds both products to a float
 * (denormals are treated as 0). Included after the AVX-512 header and the definition of ROWS.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_PAIRS_AVX512BF16_H
#define FASTPATH_KERNELS_PAIRS_AVX512BF16_H

#include "fastpath/kernels/matmul/matmul__vec.h"

/* Two inputs of a row, broadcast to every lane. */
ALWAYS vec_bits x_pair(const uint16_t *x)
{
    uint32_t bits;
    __builtin_memcpy(&bits, x, sizeof bits);
    return vec_bits_of(bits);
}

ALWAYS vec add_products(vec sum, vec_bits x, vec_bits w)
{
    return _mm512_dpbf16_ps(sum, (__m512bh)x, (__m512bh)w);
}

/* factor: broadcast inputs of each row. */
ALWAYS void add_pair(vec sum[][VECS], const vec_bits factor[], const uint32_t *weights, size_t n_rows)
{
    vec_bits w[VECS];
    FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) w[v] = vec_bits_load(weights + v * VEC);
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) sum[r][v] = add_products(sum[r][v], factor[r], w[v]);
}

/* weights: [n_in / 2 rounded up, FP_PANEL] pairs; with an odd n_in the last pair is one input and 0.
 * n_rows: a compile-time constant; only n rows exist, the others repeat the last one. */
ALWAYS void sum_pairs(vec sum[][VECS], const uint16_t *x, size_t ld_x, const uint32_t *weights, size_t n_in,
                      size_t n_rows, size_t n)
{
    vec_bits factor[ROWS];
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) sum[r][v] = vec_of(0);
    for (size_t i = 0; i < n_in / 2; i++) {
        fetch_ahead(weights + i * FP_PANEL, n_rows);
        FP_UNROLL(8)
        for (size_t r = 0; r < n_rows; r++) factor[r] = x_pair(x + (r < n ? r : n - 1) * ld_x + 2 * i);
        add_pair(sum, factor, weights + i * FP_PANEL, n_rows);
    }
    if (n_in % 2) {
        FP_UNROLL(8)
        for (size_t r = 0; r < n_rows; r++) factor[r] = vec_bits_of(x[(r < n ? r : n - 1) * ld_x + n_in - 1]);
        add_pair(sum, factor, weights + n_in / 2 * FP_PANEL, n_rows);
    }
}

#endif
