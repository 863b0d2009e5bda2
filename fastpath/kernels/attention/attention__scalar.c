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

enum { STRIP = 64 }; /* elements of a head that are summed at once */

/* n elements of a page from `at` on, in double. */
static void widen(double *out, const void *page, size_t at, size_t n, assay_dtype dtype)
{
    dtype_to_f64(out, (const char *)page + at * dtype_size(dtype), dtype, n);
}

/* The scores of n keys from `from` on, all in one page. */
static void find_scores(const query *a, size_t from, size_t n, double *score)
{
    const assay_attention_call *c = a->call;
    const void *page = c->k[from / ASSAY_PAGE];
    double key[ASSAY_PAGE];
    for (size_t j = 0; j < n; j++) score[j] = 0;
    for (size_t d = 0; d < c->head_dim; d++) {
        widen(key, page, d * ASSAY_PAGE + from % ASSAY_PAGE, n, a->dtype);
        for (size_t j = 0; j < n; j++) score[j] += (double)a->q[d] * key[j];
    }
    for (size_t j = 0; j < n; j++) score[j] *= (double)c->scale;
    for (size_t j = 0; c->cap > 0 && j < n; j++) score[j] = (double)c->cap * tanh(score[j] / (double)c->cap);
}

/* Adds the values of n keys from `from` on, all in one page, each times its share, to what there is times
 * `shrink`. */
static void add_values(const query *a, size_t from, size_t n, const double *share, double shrink)
{
    const size_t head_dim = a->call->head_dim;
    const void *page = a->call->v[from / ASSAY_PAGE];
    double sum[STRIP], value[STRIP];
    for (size_t at = 0; at < head_dim; at += STRIP) {
        const size_t width = head_dim - at < STRIP ? head_dim - at : STRIP;
        for (size_t d = 0; d < width; d++) sum[d] = (double)a->out[at + d] * shrink;
        for (size_t j = 0; j < n; j++) {
            widen(value, page, (from + j) % ASSAY_PAGE * head_dim + at, width, a->dtype);
            for (size_t d = 0; d < width; d++) sum[d] += share[j] * value[d];
        }
        for (size_t d = 0; d < width; d++) a->out[at + d] = (float)sum[d];
    }
}

/* Adds n keys from `from` on, all in one page. */
static void add_page(const query *a, running *state, size_t from, size_t n)
{
    double share[ASSAY_PAGE], top = state->top;
    find_scores(a, from, n, share);
    for (size_t j = 0; j < n; j++)
        if (!(share[j] <= top)) top = share[j];
    /* No finite maximum yet: every weight is 0. */
    const double base = top == -(double)INFINITY ? 0 : top;
    const double shrink = exp(state->top - base);
    state->sum *= shrink;
    for (size_t j = 0; j < n; j++) {
        share[j] = exp(share[j] - base);
        state->sum += share[j];
    }
    add_values(a, from, n, share, shrink);
    state->top = top;
}

/* Adds keys from … end - 1, page by page. */
static void add_range(const query *a, running *state, size_t from, size_t end)
{
    while (from < end) {
        size_t to = (from / ASSAY_PAGE + 1) * ASSAY_PAGE;
        if (to > end) to = end;
        add_page(a, state, from, to - from);
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
