/* Products of queries with a page of keys by VDPBF16PS, two numbers of each key at a time. Included by
 * attention__vec.h, whose names it uses.
 *
 * Rows d and d + 1 of the page become pairs by VPUNPCKLWD and VPUNPCKHWD, which work in parts of 128 bits:
 * the sums come as keys 0 … 3, 8 … 11, 16 … 19, 24 … 27 and 4 … 7, 12 … 15, … of 32, and are put in order at
 * the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_SCORES_AVX512BF16_H
#define FASTPATH_KERNELS_SCORES_AVX512BF16_H

enum { PAIR_PART = 64 }; /* number of elements of a query that are converted to pairs at a time */

/* Converts elements d … d + PAIR_PART - 1 of the queries of a block to pairs; elements beyond head_dim
 * are 0. */
ALWAYS void take_pairs(uint32_t pairs[][PAIR_PART / 2], query *const *block, size_t head_dim, size_t d,
                       size_t n)
{
    for (size_t m = 0; m < n; m++)
        for (size_t i = 0; i < PAIR_PART; i += 2 * VEC) {
            const size_t at = d + i, left = head_dim > at ? head_dim - at : 0;
            const vec even = vec_load(block[m]->q + at, left),
                      odd = left > VEC ? vec_load(block[m]->q + at + VEC, left - VEC) : vec_of(0);
            vec_bits_store(pairs[m] + i / 2, (vec_bits)_mm512_cvtne2ps_pbh(odd, even));
        }
}

/* Loads row d of the page and the next one (0 after the last) as pairs: [4 vectors of keys]. */
ALWAYS void load_key_pairs(vec_bits key[PAGE_VECS], const uint16_t *row, bool is_last)
{
    FP_UNROLL(2)
    for (size_t half = 0; half < 2; half++) {
        const vec_bits even = vec_bits_load(row + half * 2 * VEC),
                       odd = is_last ? vec_bits_of(0) : vec_bits_load(row + ASSAY_PAGE + half * 2 * VEC);
        key[2 * half] = _mm512_unpacklo_epi16(even, odd);
        key[2 * half + 1] = _mm512_unpackhi_epi16(even, odd);
    }
}

/* Sums over load_key_pairs, or over other rows joined like that. n_vecs: a compile-time constant in every
 * call; an odd last vector is in order. */
ALWAYS void put_keys_in_order(vec *sum, size_t n_vecs)
{
    const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23),
                  second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    FP_UNROLL(4)
    for (size_t v = 0; v + 1 < n_vecs; v += 2) {
        const vec low = sum[v], high = sum[v + 1];
        sum[v] = _mm512_permutex2var_ps(low, first, high);
        sum[v + 1] = _mm512_permutex2var_ps(low, second, high);
    }
}

/* score[m] = q[m] · every key of the page. n: a compile-time constant in every call. */
ALWAYS void multiply_pairs(float score[][ASSAY_PAGE], query *const *block, const page *p, size_t n)
{
    uint32_t pairs[BLOCK][PAIR_PART / 2];
    vec sum[BLOCK][PAGE_VECS];
    FP_UNROLL(8)
    for (size_t m = 0; m < n; m++) FP_UNROLL(4)
    for (size_t v = 0; v < PAGE_VECS; v++) sum[m][v] = vec_of(0);
    for (size_t part = 0; part < p->head_dim; part += PAIR_PART) {
        const size_t left = p->head_dim - part, n_here = left < PAIR_PART ? left : PAIR_PART;
        take_pairs(pairs, block, p->head_dim, part, n);
        for (size_t d = 0; d < n_here; d += 2) {
            vec_bits key[PAGE_VECS];
            load_key_pairs(key, (const uint16_t *)p->k + (part + d) * ASSAY_PAGE, d + 1 == n_here);
            FP_UNROLL(8)
            for (size_t m = 0; m < n; m++) {
                const vec_bits factor = vec_bits_of(pairs[m][d / 2]);
                FP_UNROLL(4)
                for (size_t v = 0; v < PAGE_VECS; v++)
                    sum[m][v] = _mm512_dpbf16_ps(sum[m][v], (__m512bh)factor, (__m512bh)key[v]);
            }
        }
    }
    FP_UNROLL(8)
    for (size_t m = 0; m < n; m++) {
        put_keys_in_order(sum[m], PAGE_VECS);
        FP_UNROLL(4)
        for (size_t v = 0; v < PAGE_VECS; v++) vec_store(score[m] + v * VEC, sum[m][v], VEC);
    }
}

#endif
