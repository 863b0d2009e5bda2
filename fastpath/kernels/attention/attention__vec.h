/* Attention over vectors; included once by attention__<isa>.c, after its vec__<isa>.h.
 *
 * A query is one head of one row. Those that see a page go through it in blocks, so that its keys and
 * values are loaded once for several of them: a product of the block's queries with the page's keys, in
 * registers; the softmax weights of each query; a product of the shares with the page's values, a strip
 * of columns at a time.
 *
 * A query is bit-identical for any blocking. Every sum is one chain of multiply-adds, over head_dim or
 * over the keys that this query sees, in ascending order and from 0; keys that some queries of a block
 * attend to and others do not are added only for the former, since 0 times a NaN is a NaN. A page that a
 * query does not see leaves it untouched.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_ATTENTION_VEC_H
#define FASTPATH_KERNELS_ATTENTION_VEC_H

#include <math.h>

#include "fastpath/kernels/attention/attention.h"
#include "fastpath/kernels/vec/unroll.h"
#include "fastpath/kernels/vec/vec_math.h"

#define ALWAYS static inline __attribute__((always_inline))

enum {
    PAGE_VECS = 64 / VEC,
    QUERIES = 96, /* number of queries that go through the pages together and stay in the L2 cache */
    BLOCK = 6,
    STRIP_VECS = 8,
    /* Number of vectors of sums for each query, by the number of queries in a block, limited by the
     * registers. */
    VECS_OF_6 = VEC / 4,
    VECS_OF_4 = VEC / 4,
    VECS_OF_2 = VEC / 2
};

/* The type of keys and values, and of the weights of values; a compile-time constant in every call. */
typedef enum kind { KIND_F32, KIND_BF16, KIND_BF16_SHARES } kind;

/* State of the online softmax of a query after some of its pages; out holds the weighted sum of values
 * so far. */
typedef struct query {
    const float *q;
    float *out;
    size_t sink_tokens, first, last;
    size_t from, to; /* the positions of the current page to which it attends */
    float top;       /* running maximum of the scores */
    float shrink;    /* rescale factor of out for the current page */
    double sum;
} query;

typedef struct page {
    const void *k, *v;
    size_t head_dim;
    float scale, cap;
} page;

/* Some columns of a page's values, and a block's sums of them so far. */
typedef struct strip {
    const void *v; /* values of the page */
    size_t head_dim, column, n;
    const float (*share)[ASSAY_PAGE]; /* of each query */
    float (*sum)[STRIP_VECS * VEC];
} strip;

/* How keys and values are stored, and how they are loaded. NUMBERS_PAIRS: two vectors of bfloat16 are
 * loaded as the even elements of both, then the odd ones, which is fastest; put_in_order restores the
 * order. */
typedef enum numbers { NUMBERS_F32, NUMBERS_BF16, NUMBERS_PAIRS } numbers;

/* Loads n_vecs vectors of keys or values from element `at` on; if n_vecs is 1, only n elements. type,
 * n_vecs: compile-time constants in every call. */
ALWAYS void load_numbers(vec *x, const void *from, numbers type, size_t at, size_t n_vecs, size_t n)
{
    if (type == NUMBERS_PAIRS && n_vecs > 1) {
        FP_UNROLL(4)
        for (size_t v = 0; v < n_vecs; v += 2) {
            const vec_bits pairs = vec_bits_loadu((const uint16_t *)from + at + v * VEC);
            x[v] = vec_from_bits(vec_bits_left(pairs, 16));
            x[v + 1] = vec_from_bits(vec_bits_and(pairs, vec_bits_of(0xFFFF0000U)));
        }
        return;
    }
    const size_t n_each = n_vecs == 1 ? n : VEC;
    FP_UNROLL(8)
    for (size_t v = 0; v < n_vecs; v++)
        x[v] = type == NUMBERS_F32 ? vec_load((const float *)from + at + v * VEC, n_each)
                                   : vec_loadu_bf16((const uint16_t *)from + at + v * VEC, n_each);
}

/* Restores the order of sums over vectors from load_numbers. */
ALWAYS void put_in_order(vec *x, numbers type, size_t n_vecs)
{
    if (type != NUMBERS_PAIRS || n_vecs == 1) return;
    FP_UNROLL(4)
    for (size_t v = 0; v < n_vecs; v += 2) vec_merge(x[v], x[v + 1], &x[v], &x[v + 1]);
}

#ifdef __AVX512BF16__
#include "fastpath/kernels/attention/scores__avx512bf16.h"
#endif

/* score[m] = q[m] · every key of the page. n, n_vecs: compile-time constants in every call. */
ALWAYS void multiply(float score[][ASSAY_PAGE], query *const *block, const page *p, numbers type, size_t n,
                     size_t n_vecs)
{
#ifdef __AVX512BF16__
    if (type != NUMBERS_F32) {
        multiply_pairs(score, block, p, n);
        return;
    }
#endif
    const float *q[BLOCK];
    for (size_t m = 0; m < n; m++) q[m] = block[m]->q;
    for (size_t at = 0; at < ASSAY_PAGE; at += n_vecs * VEC) {
        vec sum[BLOCK][PAGE_VECS], key[PAGE_VECS];
        FP_UNROLL(8)
        for (size_t m = 0; m < n; m++) FP_UNROLL(8)
        for (size_t v = 0; v < n_vecs; v++) sum[m][v] = vec_of(0);
        for (size_t d = 0; d < p->head_dim; d++) {
            load_numbers(key, p->k, type, d * ASSAY_PAGE + at, n_vecs, VEC);
            FP_UNROLL(8)
            for (size_t m = 0; m < n; m++) {
                const vec factor = vec_of(q[m][d]);
                FP_UNROLL(8)
                for (size_t v = 0; v < n_vecs; v++) sum[m][v] = vec_fma(factor, key[v], sum[m][v]);
            }
        }
        FP_UNROLL(8)
        for (size_t m = 0; m < n; m++) {
            put_in_order(sum[m], type, n_vecs);
            FP_UNROLL(8)
            for (size_t v = 0; v < n_vecs; v++) vec_store(score[m] + at + v * VEC, sum[m][v], VEC);
        }
    }
}

/* Scales and caps scores; -INFINITY for masked keys, whatever their contents. */
static inline void finish_scores(vec score[PAGE_VECS], const float *products, const query *a, const page *p)
{
    const vec hidden = vec_of(-INFINITY), from = vec_of((float)a->from), to = vec_of((float)a->to);
    const bool is_whole = a->to - a->from == ASSAY_PAGE;
    FP_UNROLL(8)
    for (size_t v = 0; v < PAGE_VECS; v++) {
        const vec at = vec_add(vec_indices(), vec_of((float)(v * VEC)));
        vec x = vec_mul(vec_load(products + v * VEC, VEC), vec_of(p->scale));
        if (p->cap > 0) x = vec_mul(vec_tanh(vec_div(x, vec_of(p->cap))), vec_of(p->cap));
        if (!is_whole) x = vec_if_less(at, from, hidden, vec_if_less(at, to, x, hidden));
        score[v] = x;
    }
}

static inline float largest_score(const vec score[PAGE_VECS], float top)
{
    vec largest = vec_of(top);
    FP_UNROLL(8)
    for (size_t v = 0; v < PAGE_VECS; v++) largest = vec_max(largest, score[v]);
    return vec_largest(largest);
}

/* Turns products into weights, in place. All weights are 0 as long as every score is -INFINITY. */
static void make_shares(float *share, query *a, const page *p)
{
    vec score[PAGE_VECS], sum = vec_of(0);
    finish_scores(score, share, a, p);
    const float top = largest_score(score, a->top);
    const vec base = vec_of(top == -INFINITY ? 0 : top);
    FP_UNROLL(8)
    for (size_t v = 0; v < PAGE_VECS; v++) {
        const vec e = vec_exp(vec_sub(score[v], base));
        vec_store(share + v * VEC, e, VEC);
        sum = vec_add(sum, e);
    }
    a->shrink = 1;
    if (top != a->top) {
        float shrink[VEC];
        vec_store(shrink, vec_exp(vec_sub(vec_of(a->top), base)), VEC);
        a->shrink = shrink[0];
    }
    a->sum = a->sum * (double)a->shrink + (double)vec_sum(sum);
    a->top = top;
}

/* Adds keys from … to - 1 to the sums of n queries from m on. n, n_vecs: compile-time constants in
 * every call; if n_vecs is 1, only s->n elements exist. */
ALWAYS void add_keys(const strip *s, numbers type, size_t m, size_t n, size_t n_vecs, size_t from, size_t to)
{
    vec sum[BLOCK][STRIP_VECS], value[STRIP_VECS];
    FP_UNROLL(8)
    for (size_t i = 0; i < n; i++) FP_UNROLL(8)
    for (size_t v = 0; v < n_vecs; v++) sum[i][v] = vec_load(s->sum[m + i] + v * VEC, VEC);
    for (size_t j = from; j < to; j++) {
        load_numbers(value, s->v, type, j * s->head_dim + s->column, n_vecs, s->n);
        FP_UNROLL(8)
        for (size_t i = 0; i < n; i++) {
            const vec factor = vec_of(s->share[m + i][j]);
            FP_UNROLL(8)
            for (size_t v = 0; v < n_vecs; v++) sum[i][v] = vec_fma(factor, value[v], sum[i][v]);
        }
    }
    FP_UNROLL(8)
    for (size_t i = 0; i < n; i++) FP_UNROLL(8)
    for (size_t v = 0; v < n_vecs; v++) vec_store(s->sum[m + i] + v * VEC, sum[i][v], VEC);
}

/* Adds the keys of one query before or after those common to its block. */
ALWAYS void add_own_keys(const strip *s, numbers type, size_t m, size_t n_vecs, size_t from, size_t to)
{
    if (from < to) add_keys(s, type, m, 1, n_vecs, from, to);
}

/* out = out * rescale + Σ weight v, for a strip of columns. from … to - 1: the keys common to the
 * block. */
ALWAYS void add_strip(strip *s, query *const *block, numbers type, size_t n, size_t n_vecs, size_t from,
                      size_t to)
{
    for (size_t m = 0; m < n; m++) {
        const query *a = block[m];
        FP_UNROLL(8)
        for (size_t v = 0; v < n_vecs; v++) vec_store(s->sum[m] + v * VEC, vec_of(0), VEC);
        add_own_keys(s, type, m, n_vecs, a->from, a->to < from ? a->to : from);
    }
    add_keys(s, type, 0, n, n_vecs, from, to);
    for (size_t m = 0; m < n; m++) {
        const query *a = block[m];
        const vec shrink = vec_of(a->shrink);
        add_own_keys(s, type, m, n_vecs, a->from > to ? a->from : to, a->to);
        vec sum[STRIP_VECS];
        FP_UNROLL(8)
        for (size_t v = 0; v < n_vecs; v++) sum[v] = vec_load(s->sum[m] + v * VEC, VEC);
        put_in_order(sum, type, n_vecs);
        FP_UNROLL(8)
        for (size_t v = 0; v < n_vecs; v++) {
            const size_t n_here = n_vecs == 1 ? s->n : VEC;
            float *out = a->out + s->column + v * VEC;
            vec_store(out, vec_fma(vec_load(out, n_here), shrink, sum[v]), n_here);
        }
    }
    s->column += n_vecs * VEC;
}

/* The keys to which all queries of a block attend, from … to - 1; from == to if there are none. */
static inline void common_keys(query *const *block, size_t n, size_t *from, size_t *to)
{
    *from = block[0]->from;
    *to = block[0]->to;
    for (size_t m = 1; m < n; m++) {
        if (block[m]->from > *from) *from = block[m]->from;
        if (block[m]->to < *to) *to = block[m]->to;
    }
    if (*to < *from) *to = *from;
}

/* n, n_vecs: compile-time constants in every call. */
ALWAYS void add_values(query *const *block, const float share[][ASSAY_PAGE], const page *p, numbers type,
                       size_t n, size_t n_vecs)
{
    enum { HALF = STRIP_VECS / 2 };
    float sum[BLOCK][STRIP_VECS * VEC];
    strip s = {p->v, p->head_dim, 0, VEC, share, sum};
    size_t from, to;
    common_keys(block, n, &from, &to);
    while (p->head_dim >= s.column + n_vecs * VEC) add_strip(&s, block, type, n, n_vecs, from, to);
    if (n_vecs > HALF && p->head_dim >= s.column + HALF * VEC) add_strip(&s, block, type, n, HALF, from, to);
    while (s.column < p->head_dim) {
        s.n = p->head_dim - s.column < VEC ? p->head_dim - s.column : VEC;
        add_strip(&s, block, type, n, 1, from, to);
    }
}

#ifdef __AVX512BF16__
#include "fastpath/kernels/attention/shares__avx512bf16.h"
#endif

/* Adds a page for n queries that attend to it. n, n_vecs: compile-time constants in every call. */
ALWAYS void add_block(query *const *block, const page *p, numbers type, size_t n, size_t n_vecs)
{
    float share[BLOCK][ASSAY_PAGE];
    multiply(share, block, p, type, n, n_vecs < PAGE_VECS ? n_vecs : PAGE_VECS);
    for (size_t m = 0; m < n; m++) make_shares(share[m], block[m], p);
    add_values(block, (const float(*)[ASSAY_PAGE])share, p, type, n, n_vecs);
}

/* With few queries the page is read from memory, which is fastest sequentially: with vectors of eight,
 * one query at a time. */
ALWAYS void add_page(query *const *seen, size_t n, const page *p, kind of)
{
    const numbers type = of == KIND_BF16 ? NUMBERS_BF16 : NUMBERS_F32,
                  of_few = of == KIND_BF16 ? NUMBERS_PAIRS : NUMBERS_F32;
#ifdef __AVX512BF16__
    if (of == KIND_BF16_SHARES) {
        add_page_of_pairs(seen, n, p);
        return;
    }
#endif
    size_t at = 0;
    for (; n - at >= 6; at += 6) add_block(seen + at, p, type, 6, VECS_OF_6);
    for (; n - at >= 4; at += 4) add_block(seen + at, p, type, 4, VECS_OF_4);
    for (; VEC > 8 && n - at >= 2; at += 2) add_block(seen + at, p, of_few, 2, VECS_OF_2);
    for (; at < n; at++) add_block(seen + at, p, of_few, 1, STRIP_VECS);
}

/* Selects those of n queries that attend to page `index`, and their positions in it: attention sink
 * tokens if of_sinks, otherwise their own range. */
static size_t select_queries(query **seen, query *queries, size_t n, size_t index, bool of_sinks)
{
    const size_t from = index * ASSAY_PAGE, to = from + ASSAY_PAGE;
    size_t n_seen = 0;
    for (size_t i = 0; i < n; i++) {
        query *a = &queries[i];
        const size_t first = of_sinks ? 0 : a->first, end = of_sinks ? a->sink_tokens : a->last + 1;
        if (end <= from || first >= to) continue;
        a->from = first > from ? first - from : 0;
        a->to = end < to ? end - from : ASSAY_PAGE;
        seen[n_seen++] = a;
    }
    return n_seen;
}

/* Initialises query `index` of the call. If its range directly follows the attention sink tokens, the
 * two ranges are merged. */
static query begin_query(const assay_attention_call *c, size_t index)
{
    const size_t row = index / c->n_heads, head = index % c->n_heads;
    const bool joined = c->first[row] <= c->sink_tokens;
    query a = {.q = c->q + row * c->ld_q + head * c->head_dim,
               .out = c->out + row * c->ld_out + head * c->head_dim,
               .sink_tokens = joined ? 0 : c->sink_tokens,
               .first = joined ? 0 : c->first[row],
               .last = c->last[row],
               .top = c->sinks ? c->sinks[head] : -INFINITY,
               .sum = c->sinks ? 1 : 0};
    for (size_t d = 0; d < c->head_dim; d++) a.out[d] = 0;
    return a;
}

static void end_query(const query *a, size_t head_dim)
{
    const vec sum = vec_of((float)a->sum);
    for (size_t d = 0; d < head_dim; d += VEC) {
        const size_t n = head_dim - d;
        vec_store(a->out + d, vec_div(vec_load(a->out + d, n), sum), n);
    }
}

/* Computes queries first … first + n - 1 of the call, at most QUERIES. */
ALWAYS void attend(const assay_attention_call *c, kind of, size_t first, size_t n)
{
    query queries[QUERIES], *seen[QUERIES];
    size_t from = SIZE_MAX, last = 0;
    for (size_t i = 0; i < n; i++) {
        queries[i] = begin_query(c, first + i);
        if (queries[i].first < from) from = queries[i].first;
        if (queries[i].last > last) last = queries[i].last;
    }
    for (size_t i = 0; i * ASSAY_PAGE < c->sink_tokens; i++) {
        const page p = {c->k[i], c->v[i], c->head_dim, c->scale, c->cap};
        add_page(seen, select_queries(seen, queries, n, i, true), &p, of);
    }
    for (size_t i = from / ASSAY_PAGE; i <= last / ASSAY_PAGE; i++) {
        const page p = {c->k[i], c->v[i], c->head_dim, c->scale, c->cap};
        add_page(seen, select_queries(seen, queries, n, i, false), &p, of);
    }
    for (size_t i = 0; i < n; i++) end_query(&queries[i], c->head_dim);
}

ALWAYS void attention(const assay_attention_call *c, kind of)
{
    const size_t n = c->n_rows * c->n_heads;
    for (size_t at = 0; at < n; at += QUERIES) attend(c, of, at, n - at < QUERIES ? n - at : QUERIES);
}

#endif
