/* Attention. The scores of a query with a page, and what a page adds to its output, are sums in the chosen
 * order; pages are added first to last, or last to first if the order is backward. Scores are computed twice:
 * for their largest, and for their shares.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/rates/orders.h"

enum { WIDTH = ORDER_WIDTH_MAX }; /* of the output that is summed at a time, and ASSAY_PAGE */

_Static_assert(ASSAY_PAGE == WIDTH, "a page of scores is one sum");

/* One query: a row and a head. narrow: keys and values are bfloat16. */
typedef struct query {
    const assay_attention_call *call;
    const float *q;
    size_t row, head;
    bool narrow, rounds_shares;
    float largest; /* score */
    float total;   /* of the shares */
} query;

/* Widens numbers [n_rows, width] of a page with rows of `stride` numbers. */
static void widen(float *to, const void *page, bool narrow, size_t first, size_t n_rows, size_t width,
                  size_t stride)
{
    for (size_t r = 0; r < n_rows; r++)
        for (size_t k = 0; k < width; k++) {
            const size_t at = first + r * stride + k;
            to[r * width + k] =
                narrow ? dtype_bf16_to_f32(((const uint16_t *)page)[at]) : ((const float *)page)[at];
        }
}

enum { DEPTH = 64 }; /* elements of a head whose keys are widened at a time */

/* The scores of the query with keys lo … hi of a page. */
static void score_page(const query *s, float *scores, size_t page, size_t lo, size_t hi)
{
    const assay_attention_call *c = s->call;
    memset(scores, 0, WIDTH * sizeof *scores);
    for (size_t from = 0; from < c->head_dim; from += DEPTH) {
        const size_t n = c->head_dim - from < DEPTH ? c->head_dim - from : DEPTH, width = hi - lo + 1;
        float keys[DEPTH * WIDTH], part[WIDTH];
        widen(keys, c->k[page], s->narrow, from * ASSAY_PAGE + lo, n, width, ASSAY_PAGE);
        rates_order_sum(&orders_order, part, width, (rates_row){.f32 = s->q + from}, keys, width, n);
        for (size_t k = 0; k < width; k++) scores[lo + k] += part[k];
    }
    for (size_t k = lo; k <= hi; k++) {
        scores[k] *= c->scale;
        if (c->cap != 0) scores[k] = tanhf(scores[k] / c->cap) * c->cap;
    }
}

static float share_of(const query *s, float score)
{
    const float share = expf(score - s->largest);
    return s->rounds_shares ? rates_to_bf16(share) : share;
}

/* What is done with the keys lo … hi of a page. */
typedef void page_fn(query *s, float *out, size_t page, size_t lo, size_t hi);

static void find_largest(query *s, float *out, size_t page, size_t lo, size_t hi)
{
    float scores[WIDTH];
    (void)out;
    score_page(s, scores, page, lo, hi);
    for (size_t k = lo; k <= hi; k++)
        if (!(scores[k] <= s->largest)) s->largest = scores[k];
}

static void add_values(query *s, float *out, size_t page, size_t lo, size_t hi)
{
    const size_t n = hi - lo + 1, head_dim = s->call->head_dim;
    const float one = 1;
    float scores[WIDTH], shares[WIDTH], total;
    score_page(s, scores, page, lo, hi);
    for (size_t k = 0; k < n; k++) shares[k] = share_of(s, scores[lo + k]);
    rates_order_sum(&orders_order, &total, 1, (rates_row){.f32 = shares}, &one, 0, n);
    s->total += total;
    for (size_t from = 0; from < head_dim; from += WIDTH) {
        const size_t width = head_dim - from < WIDTH ? head_dim - from : WIDTH;
        float values[WIDTH * WIDTH], part[WIDTH];
        widen(values, s->call->v[page], s->narrow, lo * head_dim + from, n, width, head_dim);
        rates_order_sum(&orders_order, part, width, (rates_row){.f32 = shares}, values, width, n);
        for (size_t k = 0; k < width; k++) out[from + k] += part[k];
    }
}

/* Positions first … last, page by page. */
static void each_page(query *s, float *out, page_fn *run, size_t first, size_t last)
{
    const bool backward = orders_order.direction == ORDER_BACKWARD;
    const size_t from = first / ASSAY_PAGE, to = last / ASSAY_PAGE;
    for (size_t i = 0; i <= to - from; i++) {
        const size_t page = backward ? to - i : from + i;
        run(s, out, page, page == from ? first % ASSAY_PAGE : 0,
            page == to ? last % ASSAY_PAGE : ASSAY_PAGE - 1);
    }
}

static void each_key(query *s, float *out, page_fn *run)
{
    const size_t first = s->call->first[s->row], sinks = s->call->sink_tokens,
                 n_before = sinks < first ? sinks : first;
    if (n_before) each_page(s, out, run, 0, n_before - 1);
    each_page(s, out, run, first, s->call->last[s->row]);
}

static void attend_query(query *s)
{
    const assay_attention_call *c = s->call;
    float *out = c->out + s->row * c->ld_out + s->head * c->head_dim;
    s->q = c->q + s->row * c->ld_q + s->head * c->head_dim;
    s->largest = c->sinks ? c->sinks[s->head] : -INFINITY;
    each_key(s, NULL, find_largest);
    memset(out, 0, c->head_dim * sizeof *out);
    each_key(s, out, add_values);
    if (c->sinks) s->total += share_of(s, c->sinks[s->head]);
    for (size_t k = 0; k < c->head_dim; k++) out[k] = rates_order_plant(&orders_order, out[k] / s->total, k);
}

static void attend(const assay_attention_call *c, bool narrow, bool rounds_shares)
{
    for (size_t row = 0; row < c->n_rows; row++)
        for (size_t head = 0; head < c->n_heads; head++) {
            query s = {.call = c, .row = row, .head = head, .narrow = narrow, .rounds_shares = rounds_shares};
            attend_query(&s);
        }
}

static void attend_f32(const assay_attention_call *c)
{
    attend(c, false, false);
}

static void attend_bf16(const assay_attention_call *c)
{
    attend(c, true, false);
}

static void attend_bf16_shares(const assay_attention_call *c)
{
    attend(c, true, true);
}

const assay_attention orders_attention_f32 = {.size = sizeof(assay_attention), .f32 = attend_f32},
                      orders_attention_bf16 = {.size = sizeof(assay_attention),
                                               .f32 = attend_bf16,
                                               .bf16_shares = attend_bf16_shares};
