/* Affine groups for products of pairs of bfloat16. Included after codes__vec.h and the header of AVX-512.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_PAIR_GROUPS_AVX512_H
#define FASTPATH_KERNELS_PAIR_GROUPS_AVX512_H

#include "fastpath/kernels/matmul/codes__vec.h"

/* Codes minus o of input pair `at` of the two in each lane, as bfloat16: exact, since integers up to
 * 128 have zeros in the lower half of their float. */
ALWAYS vec_bits code_pair(vec_bits quad, size_t at, size_t bits)
{
    const vec_bits even = _mm512_castps_si512(code_of(quad, 2 * at, bits)),
                   odd = _mm512_castps_si512(code_of(quad, 2 * at + 1, bits));
    return vec_bits_or(vec_bits_right(even, 16), odd);
}

/* Sum of one group of a row, always in the same order. */
ALWAYS float sum_of_x(const uint16_t *x, size_t n)
{
    vec sum = vec_of(0);
    for (size_t i = 0; i < n; i += VEC) sum = vec_add(sum, vec_loadu_bf16(x + i, VEC));
    return _mm512_reduce_add_ps(sum);
}

/* y += scale * sum + bias * x_sum for one row. */
ALWAYS void join_sums(vec y[VECS], const vec sum[VECS], const group *g, float x_sum)
{
    FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++)
        y[v] = vec_fma(g->scale[v], sum[v], vec_fma(g->bias[v], vec_of(x_sum), y[v]));
}

/* Groups of some inputs of one panel, with their codes as pairs, and the sums of some rows over these
 * groups. */
typedef struct pair_span {
    size_t first, n; /* groups */
    group groups[SPAN / FP_GROUP_MIN];
    _Alignas(64) uint32_t pairs[SPAN / 2 * FP_PANEL];
    float x_sum[CHUNK][SPAN / FP_GROUP_MIN];
} pair_span;

ALWAYS void pair_codes(uint32_t *pairs, const char *codes, size_t n_in, size_t bits)
{
    for (size_t base = 0; base < n_in / 4; base += 4) FP_UNROLL(4)
    for (size_t q = base; q < base + 4; q++) FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) {
        const vec_bits quad = quad_at(codes, q, v, bits, n_in);
        vec_bits_store(pairs + 2 * q * FP_PANEL + v * VEC, code_pair(quad, 0, bits));
        vec_bits_store(pairs + (2 * q + 1) * FP_PANEL + v * VEC, code_pair(quad, 1, bits));
    }
}

static void pair_group(uint32_t *pairs, const char *codes, size_t n_in, size_t bits)
{
    FP_WITH_BITS(bits, pair_codes, pairs, codes, n_in);
}

static void open_pairs(pair_span *s, const assay_product *p, size_t panel)
{
    for (size_t i = 0; i < s->n; i++) {
        s->groups[i] = group_at(p->w, panel, s->first + i);
        pair_group(s->pairs + i * (p->w->group / 2) * FP_PANEL, s->groups[i].codes, p->w->group, p->w->bits);
    }
}

/* Computes x_sum of the span's groups for rows row … row + n_rows - 1. */
static void sum_chunk(pair_span *s, const assay_product *p, size_t row, size_t n_rows)
{
    const size_t n_in = p->w->group;
    for (size_t r = 0; r < n_rows; r++)
        for (size_t i = 0; i < s->n; i++)
            s->x_sum[r][i] =
                sum_of_x((const uint16_t *)p->x + (row + r) * p->ld_x + (s->first + i) * n_in, n_in);
}

#endif
