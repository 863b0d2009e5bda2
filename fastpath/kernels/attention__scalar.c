/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fastpath/kernels/attention.h"

/* What is known of one head after some of its pages; the weighted values lie in out. */
typedef struct running {
    float top; /* largest score */
    double sum;
} running;

/* Adds keys from … to - 1 of one page. */
static void add_page(float *out, running *state, const float *q, size_t head_dim, const float *k,
                     const float *v, size_t from, size_t to, float scale)
{
    float score[FP_PAGE], top = state->top;
    for (size_t j = from; j < to; j++) {
        double sum = 0;
        for (size_t d = 0; d < head_dim; d++) sum += (double)q[d] * (double)k[d * FP_PAGE + j];
        score[j] = (float)(sum * (double)scale);
        if (score[j] > top || isnan(score[j])) top = score[j];
    }
    double shrink = exp((double)state->top - (double)top);
    state->sum *= shrink;
    for (size_t j = from; j < to; j++) {
        score[j] = expf(score[j] - top);
        state->sum += (double)score[j];
    }
    for (size_t d = 0; d < head_dim; d++) {
        double sum = (double)out[d] * shrink;
        for (size_t j = from; j < to; j++) sum += (double)score[j] * (double)v[j * head_dim + d];
        out[d] = (float)sum;
    }
    state->top = top;
}

void fp_attention_f32__scalar(float *out, const float *q, size_t n_heads, size_t head_dim,
                              const float *const *k, const float *const *v, size_t first, size_t last,
                              float scale)
{
    for (size_t h = 0; h < n_heads; h++) {
        float *y = out + h * head_dim;
        running state = {.top = -INFINITY};
        for (size_t d = 0; d < head_dim; d++) y[d] = 0;
        for (size_t page = 0; page * FP_PAGE <= last; page++) {
            size_t from = page ? 0 : first, to = last + 1 - page * FP_PAGE;
            add_page(y, &state, q + h * head_dim, head_dim, k[page], v[page], from,
                     to < FP_PAGE ? to : FP_PAGE, scale);
        }
        for (size_t d = 0; d < head_dim; d++) y[d] = (float)((double)y[d] / state.sum);
    }
}
