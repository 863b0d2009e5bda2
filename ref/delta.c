/* The gated delta net, token by token (Yang et al. 2025; transformers, models/qwen3_5/modeling_qwen3_5.py:
 * Qwen3_5GatedDeltaNet, torch_recurrent_gated_delta_rule).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "ref/delta.h"

#include "ref/arithmetic/weight.h"
#include <stdlib.h>

/* Of the l2 norm, which the published function fixes. */
static const double LENGTH_EPSILON = 1e-6;

/* u[t, c] = silu(sum over j of conv[c, j] x[t - (kernel - 1) + j, c]), zeros before the first token.
 * x: [T, channels], in the order of the rows of qkv; u: [T, channels]. */
static assay_status convolve(ref_real *u, const ref_real *x, size_t n_tokens, const plan_delta *d)
{
    const size_t n = d->conv.rows, kernel = d->kernel;
    ref_real *weight = ref_alloc(n, kernel);
    if (!weight) return ASSAY_ENOMEM;
    ref_weight_rows(&d->conv, 0, n, weight);
    for (size_t t = 0; t < n_tokens; t++)
        for (size_t c = 0; c < n; c++) {
            double sum = 0;
            for (size_t j = 0; j < kernel; j++)
                if (t + j + 1 >= kernel)
                    sum += (double)weight[c * kernel + j] *
                           (double)x[(t + j + 1 - kernel) * n + plan_delta_row(d, c)];
            u[t * n + c] = (ref_real)sum;
        }
    ref_activate(u, n_tokens * n, ASSAY_SILU);
    free(weight);
    return ASSAY_OK;
}

/* head = head / sqrt(sum of squares + 1e-6) · factor. */
static void normalise_length(ref_real *head, size_t n, double factor)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++) squares += (double)head[i] * (double)head[i];
    const double scale = factor / sqrt(squares + LENGTH_EPSILON);
    for (size_t i = 0; i < n; i++) head[i] = (ref_real)((double)head[i] * scale);
}

static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* One token of one value head. S: [k_dim, v_dim], updated; q, k: [k_dim]; v, out: [v_dim]; decay: g. */
static void update_state(double *s, const ref_real *q, const ref_real *k, const ref_real *v, double decay,
                         double beta, size_t k_dim, size_t v_dim, ref_real *out)
{
    for (size_t j = 0; j < v_dim; j++) {
        double read = 0, result = 0;
        for (size_t i = 0; i < k_dim; i++) {
            s[i * v_dim + j] *= decay;
            read += s[i * v_dim + j] * (double)k[i];
        }
        const double delta = beta * ((double)v[j] - read);
        for (size_t i = 0; i < k_dim; i++) {
            s[i * v_dim + j] += (double)k[i] * delta;
            result += s[i * v_dim + j] * (double)q[i];
        }
        out[j] = (ref_real)result;
    }
}

/* o = the reads of every value head. u: [T, 2K + V], q, k and v; a, b: [T, n_v_heads]; o: [T, V]. */
static assay_status run_heads(ref_real *o, ref_real *u, const ref_real *a, const ref_real *b, size_t n_tokens,
                              const plan_delta *d)
{
    const size_t keys = d->n_k_heads * d->k_dim, values = d->n_v_heads * d->v_dim, row = 2 * keys + values;
    const size_t group = d->n_v_heads / d->n_k_heads;
    double *state = malloc(d->k_dim * d->v_dim * sizeof *state);
    ref_real *a_log = ref_alloc(1, d->n_v_heads), *dt_bias = ref_alloc(1, d->n_v_heads);
    const bool ok = state && a_log && dt_bias;
    if (ok) {
        ref_weight_rows(&d->a_log, 0, 1, a_log);
        ref_weight_rows(&d->dt_bias, 0, 1, dt_bias);
        for (size_t t = 0; t < n_tokens; t++)
            for (size_t h = 0; h < d->n_k_heads; h++) {
                normalise_length(u + t * row + h * d->k_dim, d->k_dim, 1 / sqrt((double)d->k_dim));
                normalise_length(u + t * row + keys + h * d->k_dim, d->k_dim, 1);
            }
    }
    for (size_t h = 0; ok && h < d->n_v_heads; h++) {
        for (size_t i = 0; i < d->k_dim * d->v_dim; i++) state[i] = 0;
        for (size_t t = 0; t < n_tokens; t++) {
            const ref_real *q = u + t * row + h / group * d->k_dim;
            const double step = softplus((double)a[t * d->n_v_heads + h] + (double)dt_bias[h]);
            const double decay = exp(-exp((double)a_log[h]) * step);
            const double beta = 1 / (1 + exp(-(double)b[t * d->n_v_heads + h]));
            update_state(state, q, q + keys, u + t * row + 2 * keys + h * d->v_dim, decay, beta, d->k_dim,
                         d->v_dim, o + t * values + h * d->v_dim);
        }
    }
    free(state);
    free(a_log);
    free(dt_bias);
    return ok ? ASSAY_OK : ASSAY_ENOMEM;
}

assay_status ref_delta(ref_real *y, const ref_real *x, size_t n_tokens, const plan_delta *d)
{
    const size_t values = d->n_v_heads * d->v_dim, channels = d->conv.rows;
    ref_real *qkv = ref_alloc(n_tokens, channels), *u = ref_alloc(n_tokens, channels);
    ref_real *z = ref_alloc(n_tokens, values), *o = ref_alloc(n_tokens, values);
    ref_real *a = ref_alloc(n_tokens, d->n_v_heads), *b = ref_alloc(n_tokens, d->n_v_heads);
    assay_status rc = qkv && u && z && o && a && b ? ref_linear(qkv, x, n_tokens, &d->qkv) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = ref_linear(z, x, n_tokens, &d->z);
    if (rc == ASSAY_OK) rc = ref_linear(a, x, n_tokens, &d->a);
    if (rc == ASSAY_OK) rc = ref_linear(b, x, n_tokens, &d->b);
    if (rc == ASSAY_OK) rc = convolve(u, qkv, n_tokens, d);
    if (rc == ASSAY_OK) rc = run_heads(o, u, a, b, n_tokens, d);
    if (rc == ASSAY_OK) rc = ref_norm(o, o, n_tokens * d->n_v_heads, d->v_dim, &d->norm);
    if (rc == ASSAY_OK) {
        ref_activate(z, n_tokens * values, ASSAY_SILU);
        ref_multiply(o, z, n_tokens * values);
        rc = ref_linear(y, o, n_tokens, &d->out);
    }
    free(qkv);
    free(u);
    free(z);
    free(o);
    free(a);
    free(b);
    return rc;
}
