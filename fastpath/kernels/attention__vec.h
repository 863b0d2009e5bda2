/* Attention over vectors; included once by attention__<isa>.c, after its vec__<isa>.h.
 *
 * Heads of one group go through a page together, so that it is read from memory once; each has its own sums.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_ATTENTION_VEC_H
#define FASTPATH_KERNELS_ATTENTION_VEC_H

#include <math.h>

#include "fastpath/kernels/attention.h"
#include "fastpath/kernels/vec_math.h"

enum { PAGE_VECS = 64 / VEC, HEADS = 16, COLUMNS = 4 };

/* What is known of one head after some of its pages; the weighted values lie in out. */
typedef struct running {
    float top; /* largest score */
    double sum;
} running;

/* The visible part of a page. */
typedef struct page_part {
    const float *k, *v;
    size_t from, to;
} page_part;

static inline float largest_of(vec x)
{
    float lanes[VEC], top;
    vec_store(lanes, x, VEC);
    top = lanes[0];
    for (size_t i = 1; i < VEC; i++) top = lanes[i] > top ? lanes[i] : top;
    return top;
}

static inline float sum_of(vec x)
{
    float lanes[VEC];
    vec_store(lanes, x, VEC);
    for (size_t n = VEC / 2; n; n /= 2)
        for (size_t i = 0; i < n; i++) lanes[i] += lanes[i + n];
    return lanes[0];
}

/* score: [ASSAY_PAGE]; -INFINITY for keys that are not seen, whatever their bits. */
static inline void page_scores(vec score[PAGE_VECS], const float *q, size_t head_dim, const page_part *p,
                               float scale, float cap)
{
#pragma GCC unroll 8
    for (size_t j = 0; j < PAGE_VECS; j++) score[j] = vec_of(0);
    for (size_t d = 0; d < head_dim; d++) {
        const vec factor = vec_of(q[d]);
#pragma GCC unroll 8
        for (size_t j = 0; j < PAGE_VECS; j++)
            score[j] = vec_fma(factor, vec_load(p->k + d * ASSAY_PAGE + j * VEC, VEC), score[j]);
    }
    const vec hidden = vec_of(-INFINITY), from = vec_of((float)p->from), to = vec_of((float)p->to);
#pragma GCC unroll 8
    for (size_t j = 0; j < PAGE_VECS; j++) {
        vec at = vec_add(vec_indices(), vec_of((float)(j * VEC)));
        score[j] = vec_mul(score[j], vec_of(scale));
        if (cap > 0) score[j] = vec_mul(vec_tanh(vec_div(score[j], vec_of(cap))), vec_of(cap));
        vec seen = vec_if_less(at, to, score[j], hidden);
        score[j] = vec_if_less(at, from, hidden, seen);
    }
}

/* out = out * shrink + Σ share[j] v[j]. */
static inline void add_values(float *out, size_t head_dim, const page_part *p, const float *share,
                              float shrink)
{
    for (size_t d = 0; d < head_dim; d += COLUMNS * VEC) {
        vec sum[COLUMNS];
        size_t n[COLUMNS];
#pragma GCC unroll 4
        for (size_t c = 0; c < COLUMNS; c++) {
            n[c] = head_dim > d + c * VEC ? head_dim - d - c * VEC : 0;
            sum[c] = vec_of(0);
        }
        for (size_t j = p->from; j < p->to; j++) {
            const vec factor = vec_of(share[j]);
            const float *v = p->v + j * head_dim + d;
#pragma GCC unroll 4
            for (size_t c = 0; c < COLUMNS; c++)
                if (n[c]) sum[c] = vec_fma(factor, vec_load(v + c * VEC, n[c]), sum[c]);
        }
#pragma GCC unroll 4
        for (size_t c = 0; c < COLUMNS; c++) {
            float *to = out + d + c * VEC;
            if (n[c]) vec_store(to, vec_fma(vec_load(to, n[c]), vec_of(shrink), sum[c]), n[c]);
        }
    }
}

static inline void add_page(float *out, running *state, const float *q, size_t head_dim, const page_part *p,
                            float scale, float cap)
{
    vec score[PAGE_VECS];
    page_scores(score, q, head_dim, p, scale, cap);
    vec largest = vec_of(state->top), sum = vec_of(0);
    for (size_t j = 0; j < PAGE_VECS; j++) largest = vec_max(largest, score[j]);
    float share[ASSAY_PAGE], top = largest_of(largest), shrink[VEC];
    for (size_t j = 0; j < PAGE_VECS; j++) {
        vec e = vec_exp(vec_sub(score[j], vec_of(top)));
        vec_store(share + j * VEC, e, VEC);
        sum = vec_add(sum, e);
    }
    vec_store(shrink, vec_exp(vec_of(state->top - top)), VEC);
    state->sum = state->sum * (double)shrink[0] + (double)sum_of(sum);
    state->top = top;
    add_values(out, head_dim, p, share, shrink[0]);
}

/* Heads of one row, at most HEADS. */
static inline void attend(const assay_attention_call *c, size_t row, size_t first_head, size_t n_heads)
{
    running state[HEADS];
    const size_t head_dim = c->head_dim, last = c->last[row], at = first_head * head_dim;
    const float *q = c->q + row * c->ld_q + at;
    float *out = c->out + row * c->ld_out + at;
    for (size_t h = 0; h < n_heads; h++)
        state[h] = c->sinks ? (running){c->sinks[first_head + h], 1} : (running){-INFINITY, 0};
    for (size_t i = 0; i < n_heads * head_dim; i++) out[i] = 0;
    for (size_t page = c->first[row] / ASSAY_PAGE; page * ASSAY_PAGE <= last; page++) {
        size_t to = last + 1 - page * ASSAY_PAGE, from = page * ASSAY_PAGE;
        page_part p = {c->k[page], c->v[page], c->first[row] > from ? c->first[row] - from : 0,
                       to < ASSAY_PAGE ? to : ASSAY_PAGE};
        for (size_t h = 0; h < n_heads; h++)
            add_page(out + h * head_dim, &state[h], q + h * head_dim, head_dim, &p, c->scale, c->cap);
    }
    for (size_t h = 0; h < n_heads; h++)
        for (size_t d = 0; d < head_dim; d++)
            out[h * head_dim + d] = (float)((double)out[h * head_dim + d] / state[h].sum);
}

static inline void attention(const assay_attention_call *c)
{
    for (size_t r = 0; r < c->n_rows; r++)
        for (size_t h = 0; h < c->n_heads; h += HEADS)
            attend(c, r, h, c->n_heads - h < HEADS ? c->n_heads - h : HEADS);
}

#endif
