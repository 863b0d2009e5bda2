/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/sweep/attention_truth.h"

#include <math.h>
#include <string.h>

float sweep_page_number(const void *page, size_t i, assay_dtype dtype)
{
    if (dtype == ASSAY_F32) return ((const float *)page)[i];
    uint32_t bits = (uint32_t)((const uint16_t *)page)[i] << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float key_at(const sweep_query *a, size_t position, size_t d)
{
    return sweep_page_number(a->of->k[position / ASSAY_PAGE], d * ASSAY_PAGE + position % ASSAY_PAGE,
                             a->of->dtype);
}

static float value_at(const sweep_query *a, size_t position, size_t d)
{
    return sweep_page_number(a->of->v[position / ASSAY_PAGE],
                             position % ASSAY_PAGE * a->of->call.head_dim + d, a->of->dtype);
}

bool sweep_attention_attends(const sweep_attention *a, size_t row, size_t position)
{
    if (position < a->first[row]) return position < a->call.sink_tokens;
    return position <= a->last[row];
}

/* Expected attention weights of one query. */
typedef struct truth {
    double *share;    /* attention weight of each key; with the sink's they sum to 1 */
    double *off;      /* bound of the error of the score, in units of u */
    double off_all;   /* the same of the sum that all weights are divided by */
    size_t n_largest; /* number of keys and sinks with the largest score */
} truth;

/* Computes the scores, and bounds of the error of float scores: rounding in the product, in the cap,
 * and in the subtraction of the maximum. Returns the maximum. */
static double make_scores(const sweep_query *a, truth *t, double *sink)
{
    const assay_attention_call *c = &a->of->call;
    const float *q = c->q + a->row * c->ld_q + a->head * c->head_dim;
    double maximum = *sink = c->sinks ? (double)c->sinks[a->head] : -(double)INFINITY;
    for (size_t j = 0; j <= a->last; j++) {
        double sum = 0, magnitude = 0;
        if (!sweep_attention_attends(a->of, a->row, j)) continue;
        for (size_t d = 0; d < c->head_dim; d++) {
            double term = (double)q[d] * (double)key_at(a, j, d) * (double)c->scale;
            sum += term;
            magnitude += fabs(term);
        }
        if (c->cap > 0) sum = (double)c->cap * tanh(sum / (double)c->cap);
        t->share[j] = sum;
        t->off[j] = (isfinite(magnitude) ? magnitude : 0) + (c->cap > 0 ? 2 * fabs(sum) : 0);
        if (!(sum <= maximum)) maximum = sum;
    }
    return maximum;
}

double sweep_attention_largest(const sweep_query *q)
{
    truth t = {.share = q->of->share, .off = q->of->off};
    double sink;
    return make_scores(q, &t, &sink);
}

static void make_truth(const sweep_query *a, truth *t)
{
    double sink, maximum = make_scores(a, t, &sink), sum = exp(sink - maximum);
    t->n_largest = sink == maximum;
    t->off_all = exp(sink - maximum) * fabs(isinf(sink) ? 0 : sink - maximum);
    for (size_t j = 0; j <= a->last; j++) {
        if (!sweep_attention_attends(a->of, a->row, j)) continue;
        t->n_largest += t->share[j] == maximum;
        if (isfinite(t->share[j])) t->off[j] += fabs(t->share[j] - maximum);
        if (a->of->is_exact) t->off[j] = 0;
        t->share[j] = exp(t->share[j] - maximum);
        sum += t->share[j];
        t->off_all += t->share[j] * t->off[j];
    }
    for (size_t j = 0; j <= a->last; j++)
        if (sweep_attention_attends(a->of, a->row, j)) t->share[j] /= sum;
    t->off_all = a->of->is_exact ? 0 : t->off_all / sum;
}

/* The largest relative errors of a weight and of the sum of weights that are rounded to bfloat16, in
 * sixteenths of units of u. */
static const double OFF_BY_ROUNDING = 4096;

/* An error e of a score changes its weight by the factor 1 + e, and the sum of the weights by at most
 * the largest such factor. If the number of equal largest weights is a power of two, everything is
 * exact. */
void sweep_attention_judge(const sweep_query *a)
{
    const assay_attention_call *c = &a->of->call;
    const float *out = c->out + a->row * c->ld_out + a->head * c->head_dim;
    truth t = {.share = a->of->share, .off = a->of->off};
    make_truth(a, &t);
    const double off_all = t.off_all + (a->of->rounds_shares ? OFF_BY_ROUNDING : 0);
    const bool is_exact = a->of->is_exact && (t.n_largest & (t.n_largest - 1)) == 0;
    for (size_t d = 0; d < c->head_dim; d++) {
        double sum = 0, magnitude = 0;
        size_t at = (a->row * c->n_heads + a->head) * c->head_dim + d;
        for (size_t j = 0; j <= a->last; j++) {
            if (!sweep_attention_attends(a->of, a->row, j)) continue;
            double term = t.share[j] * (double)value_at(a, j, d);
            sum += term;
            magnitude += fabs(term) * (1 + t.off[j] + off_all);
        }
        if (is_exact ? !sweep_judge_exact(a->of->s, out[d], (double)(float)sum, at)
                     : !sweep_judge(a->of->s, out[d], sum, magnitude, at))
            return;
    }
}
