/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fastpath/kernels/delta/delta.h"

void fp_convolve__scalar(float *y, const float *weight, const float *const *rows, size_t kernel, size_t n)
{
    for (size_t c = 0; c < n; c++) {
        double sum = 0;
        for (size_t j = 0; j < kernel; j++) sum += (double)weight[j * n + c] * (double)rows[j][c];
        y[c] = (float)(sum / (1 + exp(-sum)));
    }
}

/* One token. from, to: the state before and after it, which may be the same. */
static void update_token(const fp_delta_call *call, const float *from, size_t t)
{
    const float *q = call->q + t * call->ld_qk, *k = call->k + t * call->ld_qk, *v = call->v + t * call->ld_v;
    const double decay = (double)call->decay[t * call->ld_gate], beta = (double)call->beta[t * call->ld_gate];
    for (size_t c = 0; c < call->n_columns; c++) {
        double read = 0, out = 0;
        for (size_t i = 0; i < call->k_dim; i++) read += (double)from[i * call->ld_state + c] * (double)k[i];
        const double delta = beta * ((double)v[c] - decay * read);
        for (size_t i = 0; i < call->k_dim; i++) {
            const double s = decay * (double)from[i * call->ld_state + c] + (double)k[i] * delta;
            call->to[i * call->ld_state + c] = (float)s;
            out += s * (double)q[i];
        }
        call->out[t * call->ld_out + c] = (float)out;
    }
}

void fp_delta__scalar(const fp_delta_call *call)
{
    for (size_t t = 0; t < call->n_tokens; t++) update_token(call, t ? call->to : call->from, t);
}

void fp_sigmoid_gate__scalar(float *y, const float *x, const float *gate, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = (float)((double)x[i] / (1 + exp(-(double)gate[i])));
}
