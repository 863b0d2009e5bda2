/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/dtype.h"
#include "fastpath/kernels/attention/attention.h"
#include "fastpath/kernels/vec/rows.h"

/* QUERIES: that share the numbers of a page in double. STRIP: elements of a head at a time. */
enum { QUERIES = 32, STRIP = 64 };

/* The keys that a query attends to, in this order. */
enum { SINK_TOKENS, OTHERS, N_RANGES };

/* One head of one row, with the online softmax after some of its pages; out holds the weighted sum of values
 * so far. */
typedef struct query {
    const float *q;
    float *out;
    size_t from[N_RANGES], end[N_RANGES]; /* positions of keys */
    double top;                           /* running maximum of the scores */
    double sum;
} query;

typedef struct block {
    const assay_attention_call *call;
    assay_dtype dtype; /* type of keys and values */
    size_t n;
    query queries[QUERIES];
} block;

/* Keys of a page, for each query of a block; in `score` its scores, then its shares. */
typedef struct page_keys {
    size_t from[QUERIES], n[QUERIES]; /* from: the first one's place in the page */
    size_t least, end;                /* of all queries together */
    double score[QUERIES][ASSAY_PAGE], shrink[QUERIES];
} page_keys;

/* Converts n elements of a page from `at` on to double, and appends zeros up to whole lanes. */
static void widen(double *out, const void *page, size_t at, size_t n, assay_dtype dtype)
{
    dtype_to_f64(out, (const char *)page + at * dtype_size(dtype), dtype, n);
    for (; n % FP_ROWS_LANES; n++) out[n] = 0;
}

static void find_scores(const block *b, const void *page, page_keys *keys)
{
    const size_t head_dim = b->call->head_dim;
    double tile[STRIP][ASSAY_PAGE], q[STRIP];
    memset(keys->score, 0, b->n * sizeof *keys->score);
    for (size_t at = 0; at < head_dim; at += STRIP) {
        const size_t n = head_dim - at < STRIP ? head_dim - at : STRIP;
        for (size_t d = 0; d < n; d++) widen(tile[d], page, (at + d) * ASSAY_PAGE, keys->end, b->dtype);
        for (size_t i = 0; i < b->n; i++) {
            const size_t first = keys->from[i] / FP_ROWS_LANES * FP_ROWS_LANES,
                         end = fp_rows_width(keys->from[i] + keys->n[i]);
            if (keys->n[i] == 0) continue;
            dtype_to_f64(q, b->queries[i].q + at, ASSAY_F32, n);
            fp_rows_add(keys->score[i] + first, q, tile[0] + first, ASSAY_PAGE, n, end - first);
        }
    }
}

/* Replaces n scores by their shares, and adds these to the query's sum. Returns the factor for everything
 * that was added before. */
static double make_shares(const assay_attention_call *c, query *a, double *score, size_t n)
{
    double top = a->top;
    for (size_t j = 0; j < n; j++) {
        score[j] *= (double)c->scale;
        if (c->cap > 0) score[j] = (double)c->cap * tanh(score[j] / (double)c->cap);
        if (!(score[j] <= top)) top = score[j];
    }
    /* No finite maximum yet: every weight is 0. */
    const double base = top == -(double)INFINITY ? 0 : top;
    const double shrink = exp(a->top - base);
    a->sum *= shrink;
    for (size_t j = 0; j < n; j++) {
        score[j] = exp(score[j] - base);
        a->sum += score[j];
    }
    a->top = top;
    return shrink;
}

static void add_values(const block *b, const void *page, const page_keys *keys)
{
    const size_t head_dim = b->call->head_dim;
    double tile[ASSAY_PAGE][STRIP], sum[STRIP] = {0};
    for (size_t at = 0; at < head_dim; at += STRIP) {
        const size_t n = head_dim - at < STRIP ? head_dim - at : STRIP;
        for (size_t j = keys->least; j < keys->end; j++) widen(tile[j], page, j * head_dim + at, n, b->dtype);
        for (size_t i = 0; i < b->n; i++) {
            float *out = b->queries[i].out + at;
            const size_t from = keys->from[i];
            if (keys->n[i] == 0) continue;
            for (size_t d = 0; d < n; d++) sum[d] = (double)out[d] * keys->shrink[i];
            fp_rows_add(sum, keys->score[i] + from, tile[from], STRIP, keys->n[i], fp_rows_width(n));
            for (size_t d = 0; d < n; d++) out[d] = (float)sum[d];
        }
    }
}

/* Adds the keys of one page that are in one range of the queries. */
static void add_page(block *b, size_t range, size_t page)
{
    page_keys keys; /* without zeros: the scores are 16 KiB */
    const size_t start = page * ASSAY_PAGE;
    keys.least = ASSAY_PAGE;
    keys.end = 0;
    for (size_t i = 0; i < b->n; i++) {
        const query *a = &b->queries[i];
        const size_t from = a->from[range] > start ? a->from[range] : start,
                     end = a->end[range] < start + ASSAY_PAGE ? a->end[range] : start + ASSAY_PAGE;
        keys.n[i] = from < end ? end - from : 0;
        if (keys.n[i] == 0) continue;
        keys.from[i] = from - start;
        if (from - start < keys.least) keys.least = from - start;
        if (end - start > keys.end) keys.end = end - start;
    }
    if (keys.end == 0) return;
    find_scores(b, b->call->k[page], &keys);
    for (size_t i = 0; i < b->n; i++)
        if (keys.n[i] > 0)
            keys.shrink[i] = make_shares(b->call, &b->queries[i], keys.score[i] + keys.from[i], keys.n[i]);
    add_values(b, b->call->v[page], &keys);
}

static void attend_block(block *b)
{
    for (size_t range = 0; range < N_RANGES; range++) {
        size_t first = SIZE_MAX, end = 0; /* pages */
        for (size_t i = 0; i < b->n; i++) {
            const query *a = &b->queries[i];
            if (a->from[range] >= a->end[range]) continue;
            if (a->from[range] / ASSAY_PAGE < first) first = a->from[range] / ASSAY_PAGE;
            if (a->end[range] > end * ASSAY_PAGE) end = (a->end[range] - 1) / ASSAY_PAGE + 1;
        }
        for (size_t page = first; page < end; page++) add_page(b, range, page);
    }
    for (size_t i = 0; i < b->n; i++)
        for (size_t d = 0; d < b->call->head_dim; d++)
            b->queries[i].out[d] = (float)((double)b->queries[i].out[d] / b->queries[i].sum);
}

static query begin_query(const assay_attention_call *c, size_t row, size_t head)
{
    const bool joined = c->first[row] <= c->sink_tokens;
    query a = {.q = c->q + row * c->ld_q + head * c->head_dim,
               .out = c->out + row * c->ld_out + head * c->head_dim,
               .from = {[OTHERS] = joined ? 0 : c->first[row]},
               .end = {[SINK_TOKENS] = joined ? 0 : c->sink_tokens, [OTHERS] = c->last[row] + 1},
               .top = c->sinks ? (double)c->sinks[head] : -(double)INFINITY,
               .sum = c->sinks ? 1 : 0};
    for (size_t d = 0; d < c->head_dim; d++) a.out[d] = 0;
    return a;
}

static void attention(const assay_attention_call *c, assay_dtype dtype)
{
    block b = {.call = c, .dtype = dtype};
    for (size_t r = 0; r < c->n_rows; r++)
        for (size_t h = 0; h < c->n_heads; h++) {
            b.queries[b.n++] = begin_query(c, r, h);
            if (b.n < QUERIES && (r + 1 < c->n_rows || h + 1 < c->n_heads)) continue;
            attend_block(&b);
            b.n = 0;
        }
}

void fp_attention_f32__scalar(const assay_attention_call *c)
{
    attention(c, ASSAY_F32);
}

void fp_attention_bf16__scalar(const assay_attention_call *c)
{
    attention(c, ASSAY_BF16);
}
