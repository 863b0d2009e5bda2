/* Gated delta nets over vectors; included once by delta__<isa>.c, after its vec__<isa>.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_DELTA_VEC_H
#define FASTPATH_KERNELS_DELTA_VEC_H

#include "fastpath/kernels/delta/delta.h"
#include "fastpath/kernels/vec/vec_math.h"

static inline void convolve(float *y, const float *weight, const float *const *rows, size_t kernel, size_t n)
{
    for (size_t c = 0; c < n; c += VEC) {
        vec sum = vec_mul(vec_load(weight + c, n - c), vec_load(rows[0] + c, n - c));
        for (size_t j = 1; j < kernel; j++)
            sum = vec_fma(vec_load(weight + j * n + c, n - c), vec_load(rows[j] + c, n - c), sum);
        vec_store(y + c, vec_mul(sum, vec_sigmoid(sum)), n - c);
    }
}

static inline void sigmoid_gate(float *y, const float *x, const float *gate, size_t n)
{
    for (size_t i = 0; i < n; i += VEC)
        vec_store(y + i, vec_mul(vec_load(x + i, n - i), vec_sigmoid(vec_load(gate + i, n - i))), n - i);
}

/* Vectors that are processed together: their sums are independent, so that the processor overlaps them. */
enum { DELTA_VECTORS = 4 };

/* Every token over the columns of n_vectors vectors, the last of which has `last` columns; n_vectors is a
 * constant where it matters. The state is read twice a token, and stays in the L1 cache meanwhile. */
static inline __attribute__((always_inline)) void update_columns(const fp_delta_call *call, size_t first,
                                                                 size_t n_vectors, size_t last)
{
    const size_t ld = call->ld_state;
    for (size_t t = 0; t < call->n_tokens; t++) {
        const float *q = call->q + t * call->ld_qk, *k = call->k + t * call->ld_qk;
        const float *from = (t ? call->to : call->from) + first, *v = call->v + t * call->ld_v + first;
        const vec decay = vec_of(call->decay[t * call->ld_gate]),
                  beta = vec_of(call->beta[t * call->ld_gate]);
        float *to = call->to + first, *out = call->out + t * call->ld_out + first;
        vec delta[DELTA_VECTORS], sum[DELTA_VECTORS];
        for (size_t j = 0; j < n_vectors; j++) delta[j] = sum[j] = vec_of(0);
        for (size_t i = 0; i < call->k_dim; i++) {
            const vec key = vec_of(k[i]);
            for (size_t j = 0; j < n_vectors; j++)
                delta[j] = vec_fma(vec_load(from + i * ld + j * VEC, j + 1 < n_vectors ? (size_t)VEC : last),
                                   key, delta[j]);
        }
        for (size_t j = 0; j < n_vectors; j++) {
            const vec value = vec_load(v + j * VEC, j + 1 < n_vectors ? (size_t)VEC : last);
            delta[j] = vec_mul(beta, vec_sub(value, vec_mul(decay, delta[j])));
        }
        for (size_t i = 0; i < call->k_dim; i++) {
            const vec key = vec_of(k[i]), query = vec_of(q[i]);
            for (size_t j = 0; j < n_vectors; j++) {
                const size_t n = j + 1 < n_vectors ? (size_t)VEC : last;
                const vec s = vec_fma(key, delta[j], vec_mul(decay, vec_load(from + i * ld + j * VEC, n)));
                vec_store(to + i * ld + j * VEC, s, n);
                sum[j] = vec_fma(s, query, sum[j]);
            }
        }
        for (size_t j = 0; j < n_vectors; j++)
            vec_store(out + j * VEC, sum[j], j + 1 < n_vectors ? (size_t)VEC : last);
    }
}

static inline void delta_update(const fp_delta_call *call)
{
    size_t first = 0;
    for (; first + DELTA_VECTORS * VEC <= call->n_columns; first += DELTA_VECTORS * VEC)
        update_columns(call, first, DELTA_VECTORS, VEC);
    for (; first + VEC <= call->n_columns; first += VEC) update_columns(call, first, 1, VEC);
    if (first < call->n_columns) update_columns(call, first, 1, call->n_columns - first);
}

#endif
