/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/dtype.h"
#include "fastpath/kernels/attention/attention.h"

/* State of the online softmax of one head after some of its pages; out holds the weighted sum of values
 * so far. */
typedef struct running {
    double top; /* running maximum of the scores */
    double sum;
} running;

/* One head of one row. */
typedef struct query {
    const assay_attention_call *call;
    assay_dtype dtype; /* type of keys and values */
    const float *q;
    float *out;
    size_t sink_tokens, first, last;
} query;

static double page_element(const void *page, size_t at, assay_dtype dtype)
{
    return dtype == ASSAY_F32 ? (double)((const float *)page)[at]
                              : (double)dtype_bf16_to_f32(((const uint16_t *)page)[at]);
}

static double score_of(const query *a, size_t position)
{
    const void *page = a->call->k[position / ASSAY_PAGE];
    double sum = 0;
    for (size_t d = 0; d < a->call->head_dim; d++)
        sum += (double)a->q[d] * page_element(page, d * ASSAY_PAGE + position % ASSAY_PAGE, a->dtype);
    sum *= (double)a->call->scale;
    return a->call->cap > 0 ? (double)a->call->cap * tanh(sum / (double)a->call->cap) : sum;
}

/* Adds keys from … to - 1, all in one page. */
static void add_page(const query *a, running *state, size_t from, size_t to)
{
    const size_t head_dim = a->call->head_dim;
    double share[ASSAY_PAGE], top = state->top;
    for (size_t j = from; j < to; j++) {
        share[j - from] = score_of(a, j);
        if (!(share[j - from] <= top)) top = share[j - from];
    }
    /* No finite maximum yet: every weight is 0. */
    const double base = top == -(double)INFINITY ? 0 : top;
    double shrink = exp(state->top - base);
    state->sum *= shrink;
    for (size_t j = from; j < to; j++) {
        share[j - from] = exp(share[j - from] - base);
        state->sum += share[j - from];
    }
    for (size_t d = 0; d < head_dim; d++) {
        double sum = (double)a->out[d] * shrink;
        for (size_t j = from; j < to; j++)
            sum += share[j - from] *
                   page_element(a->call->v[j / ASSAY_PAGE], j % ASSAY_PAGE * head_dim + d, a->dtype);
        a->out[d] = (float)sum;
    }
    state->top = top;
}

/* Adds keys from … end - 1, page by page. */
static void add_range(const query *a, running *state, size_t from, size_t end)
{
    while (from < end) {
        size_t to = (from / ASSAY_PAGE + 1) * ASSAY_PAGE;
        if (to > end) to = end;
        add_page(a, state, from, to);
        from = to;
    }
}

static void attend_query(const query *a, const float *sink)
{
    running state = {sink ? (double)*sink : -(double)INFINITY, sink ? 1 : 0};
    for (size_t d = 0; d < a->call->head_dim; d++) a->out[d] = 0;
    const bool joined = a->first <= a->sink_tokens;
    if (!joined) add_range(a, &state, 0, a->sink_tokens);
    add_range(a, &state, joined ? 0 : a->first, a->last + 1);
    for (size_t d = 0; d < a->call->head_dim; d++) a->out[d] = (float)((double)a->out[d] / state.sum);
}

static void attention(const assay_attention_call *c, assay_dtype dtype)
{
    for (size_t r = 0; r < c->n_rows; r++)
        for (size_t h = 0; h < c->n_heads; h++)
            attend_query(&(query){.call = c,
                                  .dtype = dtype,
                                  .q = c->q + r * c->ld_q + h * c->head_dim,
                                  .out = c->out + r * c->ld_out + h * c->head_dim,
                                  .sink_tokens = c->sink_tokens,
                                  .first = c->first[r],
                                  .last = c->last[r]},
                         c->sinks ? c->sinks + h : NULL);
}

void fp_attention_f32__scalar(const assay_attention_call *c)
{
    attention(c, ASSAY_F32);
}

void fp_attention_bf16__scalar(const assay_attention_call *c)
{
    attention(c, ASSAY_BF16);
}
