/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/softmax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float *allocate(size_t n)
{
    float *made = malloc(n * sizeof *made);
    if (!made) abort();
    return made;
}

float fault_float16_overflow(float x)
{
    return fabsf(x) > 65504 ? copysignf(INFINITY, x) : x;
}

static bool attends(const assay_attention_call *c, size_t row, size_t position)
{
    return position < c->first[row] ? position < c->sink_tokens : position <= c->last[row];
}

static float cap_score(float score, float cap, bool overflows)
{
    const float power = expf(2 * score / cap);
    return cap * (overflows ? (power - 1) / (power + 1) : tanhf(score / cap));
}

static float score_of(const assay_attention_call *c, const fault_attention *how, const float *q,
                      size_t position)
{
    const float *keys = (const float *)c->k[position / ASSAY_PAGE] + position % ASSAY_PAGE;
    double sum = 0;
    for (size_t d = 0; d < c->head_dim; d++) sum += (double)q[d] * (double)keys[d * ASSAY_PAGE];
    const float score = (float)(sum * (double)c->scale);
    return c->cap > 0 ? cap_score(score, c->cap, how->caps_overflow) : score;
}

/* Writes the weights of the keys of one query, before their division; returns their sum, with the sink's. */
static double weigh_keys(const assay_attention_call *c, const fault_attention *how, size_t row, size_t head,
                         float *weight)
{
    const float *q = c->q + row * c->ld_q + head * c->head_dim;
    const float sink = c->sinks ? c->sinks[head] : -INFINITY;
    float maximum = sink;
    for (size_t j = 0; j <= c->last[row]; j++) {
        weight[j] = attends(c, row, j) ? score_of(c, how, q, j) : -INFINITY;
        if (!(weight[j] <= maximum)) maximum = weight[j];
    }
    if (how->without_maximum) maximum = 0;
    if (how->sink_is_maximum && c->sinks) maximum = sink;
    double sum = (double)expf(sink - maximum);
    for (size_t j = 0; j <= c->last[row]; j++) {
        weight[j] = expf(weight[j] - maximum);
        sum += (double)weight[j];
    }
    return sum;
}

static double sum_values(const assay_attention_call *c, size_t row, const float *weight, size_t d)
{
    double sum = 0;
    for (size_t j = 0; j <= c->last[row]; j++) {
        if (!attends(c, row, j)) continue;
        const float *page = c->v[j / ASSAY_PAGE];
        sum += (double)weight[j] * (double)page[j % ASSAY_PAGE * c->head_dim + d];
    }
    return sum;
}

void fault_attend(const assay_attention_call *c, const fault_attention *how)
{
    for (size_t i = 0; i < c->n_rows * c->n_heads; i++) {
        const size_t row = i / c->n_heads, head = i % c->n_heads;
        float *weight = allocate(c->last[row] + 1), *out = c->out + row * c->ld_out + head * c->head_dim;
        const double all = weigh_keys(c, how, row, head, weight);
        for (size_t d = 0; d < c->head_dim; d++) {
            double sum = sum_values(c, row, weight, d);
            if (how->sums_float16) sum = (double)fault_float16_overflow((float)sum);
            out[d] = (float)(sum / all);
        }
        free(weight);
    }
}

void fault_route(assay_router_fn *correct, int32_t *chosen, float *share, float *scores, size_t n_rows,
                 size_t n_experts, size_t n_active, bool renormalize)
{
    for (size_t r = 0; r < n_rows; r++, chosen += n_active, share += n_active, scores += n_experts) {
        float *given = memcpy(allocate(n_experts), scores, n_experts * sizeof *given), all = 0, sum = 0;
        correct(chosen, share, scores, 1, n_experts, n_active, renormalize);
        for (size_t e = 0; e < n_experts; e++) all += expf(given[e]);
        for (size_t k = 0; k < n_active; k++) sum += expf(given[chosen[k]]);
        for (size_t k = 0; k < n_active; k++) share[k] = expf(given[chosen[k]]) / (renormalize ? sum : all);
        free(given);
    }
}
