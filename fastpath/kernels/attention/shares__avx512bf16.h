/* Attention with weights rounded to bfloat16: two keys at a time, VDPBF16PS multiplies their weights with
 * their values. Included by attention__vec.h, whose names it uses.
 *
 * Weights stand in pairs, of keys 2i and 2i + 1 of the page, and so do values once VPUNPCKLWD and VPUNPCKHWD
 * have joined two rows of the page; the sums of 32 columns then come in the order of scores__avx512bf16.h. A
 * pair of which a query attends to one key only is added with 0 for the other value, which may be NaN.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_SHARES_AVX512BF16_H
#define FASTPATH_KERNELS_SHARES_AVX512BF16_H

enum { PAIRS = ASSAY_PAGE / 2 };

/* 2ˣ for x <= 0 within 3e-6 of itself, whole powers exactly; 0 below the range of float. VREDUCEPS leaves
 * what is above the next lower whole number, by which VSCALEFPS scales. The polynomial is a fit as those of
 * vec_math.h. */
ALWAYS vec power_of_2(vec x)
{
    static const float c[] = {1, 0.693044841F, 0.241280213F, 0.0522424728F, 0.0134266857F};
    x = vec_max(vec_of(-160), x); /* propagates NaN in the second operand */
    const vec rest = _mm512_reduce_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    return _mm512_scalef_ps(vec_polynomial(rest, c, sizeof c / sizeof *c), x);
}

/* Turns products into pairs of weights. All weights are 0 as long as every score is -INFINITY. */
static void pair_shares(uint32_t pairs[PAIRS], const float *products, query *a, const page *p)
{
    const vec to_power = vec_of(1.44269504F);
    const __m512bh ones = (__m512bh)vec_bits_of(0x3F803F80U);
    vec score[PAGE_VECS], sum = vec_of(0);
    finish_scores(score, products, a, p);
    const float top = largest_score(score, a->top);
    const vec base = vec_of(top == -INFINITY ? 0 : top);
    FP_UNROLL(4)
    for (size_t v = 0; v < PAGE_VECS; v++) score[v] = power_of_2(vec_mul(vec_sub(score[v], base), to_power));
    FP_UNROLL(2)
    for (size_t v = 0; v < PAGE_VECS; v += 2) {
        const __m512bh two = _mm512_cvtne2ps_pbh(score[v + 1], score[v]);
        vec_bits_store(pairs + v * VEC / 2, (vec_bits)two);
        sum = _mm512_dpbf16_ps(sum, ones, two);
    }
    a->shrink = 1;
    if (top != a->top)
        a->shrink = _mm512_cvtss_f32(power_of_2(vec_mul(vec_sub(vec_of(a->top), base), to_power)));
    a->sum = a->sum * (double)a->shrink + (double)vec_sum(sum);
    a->top = top;
}

/* Some columns of a page's values, and a block's weights. The last vector has n columns. */
typedef struct columns {
    const uint16_t *v; /* [ASSAY_PAGE, head_dim], from the first of the columns on */
    size_t head_dim, column, n;
    const uint32_t (*pairs)[PAIRS]; /* of each query */
} columns;

/* Loads columns of keys 2i and 2i + 1 as pairs, with 0 for a key that is not wanted. n_vecs, first, second:
 * compile-time constants in every call. */
ALWAYS void load_value_pairs(vec_bits *value, const columns *s, size_t i, size_t n_vecs, bool first,
                             bool second)
{
    const uint16_t *row = s->v + 2 * i * s->head_dim, *next = row + s->head_dim;
    FP_UNROLL(4)
    for (size_t v = 0; v + 1 < n_vecs; v += 2) {
        const size_t n = v + 2 < n_vecs ? VEC : s->n;
        const __mmask32 mask = 0xFFFFU | (__mmask32)vec_mask(n) << VEC;
        const vec_bits none = vec_bits_of(0),
                       even = first ? _mm512_maskz_loadu_epi16(mask, row + v * VEC) : none,
                       odd = second ? _mm512_maskz_loadu_epi16(mask, next + v * VEC) : none;
        value[v] = _mm512_unpacklo_epi16(even, odd);
        value[v + 1] = _mm512_unpackhi_epi16(even, odd);
    }
    if (n_vecs % 2 == 0) return;
    const size_t at = (n_vecs - 1) * VEC;
    const vec even = first ? vec_loadu_bf16(row + at, s->n) : vec_of(0),
              odd = second ? vec_loadu_bf16(next + at, s->n) : vec_of(0);
    value[n_vecs - 1] = vec_bits_or(vec_bits_right(_mm512_castps_si512(even), 16), _mm512_castps_si512(odd));
}

/* Adds a pair of keys to the sums of n queries from m on. */
ALWAYS void add_value_pair(vec sum[][STRIP_VECS], const vec_bits *value, const columns *s, size_t i, size_t m,
                           size_t n, size_t n_vecs)
{
    FP_UNROLL(8)
    for (size_t k = 0; k < n; k++) {
        const __m512bh factor = (__m512bh)vec_bits_of(s->pairs[m + k][i]);
        FP_UNROLL(8)
        for (size_t v = 0; v < n_vecs; v++)
            sum[k][v] = _mm512_dpbf16_ps(sum[k][v], factor, (__m512bh)value[v]);
    }
}

/* Adds pairs first … end - 1 to the sums of n queries from m on, which attend to both keys of each. */
ALWAYS void add_whole_pairs(vec sum[][STRIP_VECS], const columns *s, size_t first, size_t end, size_t m,
                            size_t n, size_t n_vecs)
{
    vec_bits value[STRIP_VECS];
    for (size_t i = first; i < end; i++) {
        load_value_pairs(value, s, i, n_vecs, true, true);
        add_value_pair(sum, value, s, i, m, n, n_vecs);
    }
}

/* Adds keys from … to - 1 to the sums of query m. */
ALWAYS void add_paired_keys(vec sum[][STRIP_VECS], const columns *s, size_t from, size_t to, size_t m,
                            size_t n_vecs)
{
    vec_bits value[STRIP_VECS];
    if (from >= to) return;
    if (from % 2) {
        load_value_pairs(value, s, from / 2, n_vecs, false, true);
        add_value_pair(sum, value, s, from / 2, m, 1, n_vecs);
    }
    add_whole_pairs(sum, s, (from + 1) / 2, to / 2, m, 1, n_vecs);
    if (to % 2) {
        load_value_pairs(value, s, to / 2, n_vecs, true, false);
        add_value_pair(sum, value, s, to / 2, m, 1, n_vecs);
    }
}

/* out = out * rescale + sum. */
ALWAYS void put_columns(const columns *s, vec sum[STRIP_VECS], const query *a, size_t n_vecs)
{
    const vec shrink = vec_of(a->shrink);
    put_keys_in_order(sum, n_vecs);
    FP_UNROLL(8)
    for (size_t v = 0; v < n_vecs; v++) {
        const size_t n = v + 1 < n_vecs ? VEC : s->n;
        float *out = a->out + s->column + v * VEC;
        vec_store(out, vec_fma(vec_load(out, n), shrink, sum[v]), n);
    }
}

/* Adds a page to which all queries of a block attend as a whole. n, n_vecs: compile-time constants in every
 * call. */
ALWAYS void add_whole_columns(const columns *s, query *const *block, size_t n, size_t n_vecs)
{
    vec sum[BLOCK][STRIP_VECS];
    FP_UNROLL(8)
    for (size_t m = 0; m < n; m++) FP_UNROLL(8)
    for (size_t v = 0; v < n_vecs; v++) sum[m][v] = vec_of(0);
    add_whole_pairs(sum, s, 0, PAIRS, 0, n, n_vecs);
    FP_UNROLL(8)
    for (size_t m = 0; m < n; m++) put_columns(s, sum[m], block[m], n_vecs);
}

/* The same for parts of a page. from … to - 1: the keys common to the block, both even. */
ALWAYS void add_some_columns(const columns *s, query *const *block, size_t n, size_t n_vecs, size_t from,
                             size_t to)
{
    vec kept[BLOCK][STRIP_VECS], sum[BLOCK][STRIP_VECS];
    for (size_t m = 0; m < n; m++) {
        const query *a = block[m];
        FP_UNROLL(8)
        for (size_t v = 0; v < n_vecs; v++) sum[0][v] = vec_of(0);
        add_paired_keys(sum, s, a->from, a->to < from ? a->to : from, m, n_vecs);
        FP_UNROLL(8)
        for (size_t v = 0; v < n_vecs; v++) kept[m][v] = sum[0][v];
    }
    FP_UNROLL(8)
    for (size_t m = 0; m < n; m++) FP_UNROLL(8)
    for (size_t v = 0; v < n_vecs; v++) sum[m][v] = kept[m][v];
    add_whole_pairs(sum, s, from / 2, to / 2, 0, n, n_vecs);
    FP_UNROLL(8)
    for (size_t m = 0; m < n; m++) FP_UNROLL(8)
    for (size_t v = 0; v < n_vecs; v++) kept[m][v] = sum[m][v];
    for (size_t m = 0; m < n; m++) {
        const query *a = block[m];
        FP_UNROLL(8)
        for (size_t v = 0; v < n_vecs; v++) sum[0][v] = kept[m][v];
        add_paired_keys(sum, s, a->from > to ? a->from : to, a->to, m, n_vecs);
        put_columns(s, sum[0], a, n_vecs);
    }
}

ALWAYS void add_strip_of_pairs(columns *s, query *const *block, size_t n, size_t n_vecs, size_t from,
                               size_t to)
{
    if (to - from == ASSAY_PAGE) add_whole_columns(s, block, n, n_vecs);
    else add_some_columns(s, block, n, n_vecs, from, to);
    s->v += n_vecs * VEC;
    s->column += n_vecs * VEC;
}

/* n, n_vecs: compile-time constants in every call; n_vecs: 4 or 8, the vectors of a strip, at most. Five
 * vectors are three and two, since a single one would wait for its sums. */
ALWAYS void add_paired_values(query *const *block, const uint32_t (*pairs)[PAIRS], const page *p, size_t n,
                              size_t n_vecs)
{
    columns s = {p->v, p->head_dim, 0, VEC, pairs};
    size_t from, to, left;
    common_keys(block, n, &from, &to);
    from += from % 2;
    to -= to % 2;
    if (to < from) to = from;
    while ((left = p->head_dim - s.column) > 0) {
        const size_t n_left = (left + VEC - 1) / VEC, n_rest = left - (n_left - 1) * VEC;
        if (n_vecs > 4 && left >= 8 * VEC) {
            add_strip_of_pairs(&s, block, n, 8, from, to);
            continue;
        }
        const size_t n_here = n_left == 5 ? 3 : n_left < 4 ? n_left : 4;
        s.n = n_here == n_left ? n_rest : VEC;
        if (n_here == 4) add_strip_of_pairs(&s, block, n, 4, from, to);
        else if (n_here == 3) add_strip_of_pairs(&s, block, n, 3, from, to);
        else if (n_here == 2) add_strip_of_pairs(&s, block, n, 2, from, to);
        else add_strip_of_pairs(&s, block, n, 1, from, to);
        if (n_here == n_left) return;
    }
}

ALWAYS void add_block_of_pairs(query *const *block, const page *p, size_t n, size_t n_vecs)
{
    float products[BLOCK][ASSAY_PAGE];
    _Alignas(64) uint32_t pairs[BLOCK][PAIRS];
    multiply_pairs(products, block, p, n);
    for (size_t m = 0; m < n; m++) pair_shares(pairs[m], products[m], block[m], p);
    add_paired_values(block, (const uint32_t(*)[PAIRS])pairs, p, n, n_vecs);
}

/* As add_page. */
static void add_page_of_pairs(query *const *seen, size_t n, const page *p)
{
    size_t at = 0;
    for (; n - at >= 6; at += 6) add_block_of_pairs(seen + at, p, 6, 4);
    for (; n - at >= 4; at += 4) add_block_of_pairs(seen + at, p, 4, 4);
    for (; n - at >= 2; at += 2) add_block_of_pairs(seen + at, p, 2, 8);
    for (; at < n; at++) add_block_of_pairs(seen + at, p, 1, 8);
}

#endif
