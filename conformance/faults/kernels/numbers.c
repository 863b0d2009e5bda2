/* Faults of kernels that show only in large numbers: exponentials without the maximum of the scores, and
 * sums, squares and products beyond the largest float16.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "conformance/faults/kernels/fault.h"

#define FLOAT16_MAX 65504.0F

/* A float16 that is too large is infinite. */
static float overflow_float16(float x)
{
    return fabsf(x) > FLOAT16_MAX ? copysignf(INFINITY, x) : x;
}

/* What differs from softmax attention in the attention of one query. */
typedef struct attention_fault {
    bool subtracts_maximum;
    bool sums_float16; /* the sum of values before its division */
} attention_fault;

static bool attends(const assay_attention_call *c, size_t row, size_t position)
{
    return position < c->first[row] ? position < c->sink_tokens : position <= c->last[row];
}

static float score_of(const assay_attention_call *c, const float *q, size_t position)
{
    const float *keys = (const float *)c->k[position / ASSAY_PAGE] + position % ASSAY_PAGE;
    double sum = 0;
    for (size_t d = 0; d < c->head_dim; d++) sum += (double)q[d] * (double)keys[d * ASSAY_PAGE];
    const float score = (float)(sum * (double)c->scale);
    return c->cap > 0 ? c->cap * tanhf(score / c->cap) : score;
}

/* Writes the weights of the keys of one query, before their division; returns their sum, with the sink's. */
static double weigh_keys(const assay_attention_call *c, const attention_fault *fault, size_t row, size_t head,
                         float *weight)
{
    const float *q = c->q + row * c->ld_q + head * c->head_dim;
    const float sink = c->sinks ? c->sinks[head] : -INFINITY;
    float maximum = sink;
    for (size_t j = 0; j <= c->last[row]; j++) {
        weight[j] = attends(c, row, j) ? score_of(c, q, j) : -INFINITY;
        if (!(weight[j] <= maximum)) maximum = weight[j];
    }
    if (!fault->subtracts_maximum) maximum = 0;
    double sum = (double)expf(sink - maximum);
    for (size_t j = 0; j <= c->last[row]; j++) {
        weight[j] = expf(weight[j] - maximum);
        sum += (double)weight[j];
    }
    return sum;
}

static void attend_faultily(const assay_attention_call *c, const attention_fault *fault)
{
    for (size_t i = 0; i < c->n_rows * c->n_heads; i++) {
        const size_t row = i / c->n_heads, head = i % c->n_heads;
        float *weight = fault_allocate((c->last[row] + 1) * sizeof *weight);
        const double all = weigh_keys(c, fault, row, head, weight);
        for (size_t d = 0; d < c->head_dim; d++) {
            double sum = 0;
            for (size_t j = 0; j <= c->last[row]; j++)
                if (attends(c, row, j))
                    sum += (double)weight[j] *
                           (double)((const float *)c->v[j / ASSAY_PAGE])[j % ASSAY_PAGE * c->head_dim + d];
            if (fault->sums_float16) sum = (double)overflow_float16((float)sum);
            c->out[row * c->ld_out + head * c->head_dim + d] = (float)(sum / all);
        }
        free(weight);
    }
}

static void attend_without_maximum(const assay_attention_call *c)
{
    attend_faultily(c, &(attention_fault){.subtracts_maximum = false});
}

static void attend_in_float16(const assay_attention_call *c)
{
    attend_faultily(c, &(attention_fault){.subtracts_maximum = true, .sums_float16 = true});
}

/* Chooses as the correct kernel does; the shares are made of exponentials of the scores as they are. */
static void route_without_maximum(int32_t *chosen, float *share, float *scores, size_t n_rows,
                                  size_t n_experts, size_t n_active, bool renormalize)
{
    for (size_t r = 0; r < n_rows; r++, chosen += n_active, share += n_active, scores += n_experts) {
        float *given = fault_copy(scores, n_experts * sizeof *scores), all = 0, sum = 0;
        SOUND.router.f32(chosen, share, scores, 1, n_experts, n_active, renormalize);
        for (size_t e = 0; e < n_experts; e++) all += expf(given[e]);
        for (size_t k = 0; k < n_active; k++) sum += expf(given[chosen[k]]);
        for (size_t k = 0; k < n_active; k++) share[k] = expf(given[chosen[k]]) / (renormalize ? sum : all);
        free(given);
    }
}

void plant_softmax_no_maximum(fp_operations *op)
{
    op->attention_f32.f32 = attend_without_maximum;
    op->router.f32 = route_without_maximum;
}

static void overflow_outputs(const assay_product *p)
{
    const size_t first = p->first_panel * p->w->panel, end = first + p->n_panels * p->w->panel;
    for (size_t r = 0; r < p->n_rows; r++)
        for (size_t o = first; o < end && o < p->w->n_out; o++)
            p->y[r * p->ld_y + o] = overflow_float16(p->y[r * p->ld_y + o]);
}

static void multiply_f32_in_float16(const assay_product *p)
{
    SOUND.matmul_f32.f32(p);
    overflow_outputs(p);
}

/* The mean of squares is infinite beyond the largest float16. */
static void norm_in_float16(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
                            const float *weight, double epsilon)
{
    for (size_t r = 0; r < n_rows; r++) {
        double squares = 0;
        for (size_t i = 0; i < width; i++) squares += (double)x[r * ld_x + i] * (double)x[r * ld_x + i];
        SOUND.rms_norm.f32(y + r * ld_y, ld_y, x + r * ld_x, ld_x, 1, width, weight, epsilon);
        const bool overflows = isfinite(squares) && squares > (double)FLOAT16_MAX * (double)width;
        for (size_t i = 0; overflows && i < width; i++) y[r * ld_y + i] = 0;
    }
}

static void gate_in_float16(float *y, const float *gate, const float *up, size_t n,
                            assay_activation activation)
{
    SOUND.gate.f32(y, gate, up, n, activation);
    for (size_t i = 0; i < n; i++) y[i] = overflow_float16(y[i]);
}

void plant_sum_float16(fp_operations *op)
{
    op->matmul_f32.f32 = multiply_f32_in_float16;
    op->attention_f32.f32 = attend_in_float16;
    op->rms_norm.f32 = norm_in_float16;
    op->gate.f32 = gate_in_float16;
}
