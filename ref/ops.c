/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/ops.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ref/arithmetic/exponential.h"
#include "ref/arithmetic/product.h"
#include "ref/arithmetic/weight.h"

ref_real *ref_alloc(size_t rows, size_t cols)
{
    if (cols && rows > SIZE_MAX / sizeof(ref_real) / cols) return NULL;
    size_t n = rows * cols;
    return calloc(n ? n : 1, sizeof(ref_real));
}

/* y = x Wᵀ + b. */
static assay_status multiply_add(ref_real *y, const ref_real *x, size_t n_tokens, const plan_linear *linear)
{
    size_t n = linear->weight.rows;
    assay_status rc = ref_matrix(y, x, n_tokens, &linear->weight);
    if (rc != ASSAY_OK || !linear->bias.data) return rc;
    ref_real *bias = ref_alloc(1, n);
    if (!bias) return ASSAY_ENOMEM;
    ref_weight_rows(&linear->bias, 0, 1, bias);
    for (size_t t = 0; t < n_tokens; t++) ref_add(y + t * n, bias, n);
    free(bias);
    return ASSAY_OK;
}

void ref_clamp(ref_real *x, size_t n, double min, double max)
{
    for (size_t i = 0; i < n; i++) {
        if ((double)x[i] < min) x[i] = (ref_real)min;
        if ((double)x[i] > max) x[i] = (ref_real)max;
    }
}

assay_status ref_linear(ref_real *y, const ref_real *x, size_t n_tokens, const plan_linear *linear)
{
    const plan_clamp *clamp = &linear->clamp;
    if (!clamp->present) return multiply_add(y, x, n_tokens, linear);
    const size_t n = n_tokens * linear->weight.cols;
    ref_real *clamped = ref_alloc(n_tokens, linear->weight.cols);
    if (!clamped) return ASSAY_ENOMEM;
    memcpy(clamped, x, n * sizeof *x);
    ref_clamp(clamped, n, clamp->input_min, clamp->input_max);
    assay_status rc = multiply_add(y, clamped, n_tokens, linear);
    if (rc == ASSAY_OK) ref_clamp(y, n_tokens * linear->weight.rows, clamp->output_min, clamp->output_max);
    free(clamped);
    return rc;
}

assay_status ref_rms_norm(ref_real *y, const ref_real *x, size_t n_rows, size_t width, const plan_norm *norm)
{
    assert(norm->width == width);
    const size_t n_weights = norm->n_weights ? norm->n_weights : 1;
    ref_real *weight = norm->weight.data ? ref_alloc(n_weights, width) : NULL;
    if (norm->weight.data && !weight) return ASSAY_ENOMEM;
    if (weight) ref_weight_rows(&norm->weight, 0, 1, weight);
    for (size_t r = 0; r < n_rows; r++) {
        const ref_real *row = x + r * width, *own = weight ? weight + r % n_weights * width : NULL;
        double sum = 0;
        for (size_t i = 0; i < width; i++) sum += (double)row[i] * (double)row[i];
        double root = sqrt(sum / (double)width + norm->epsilon);
        for (size_t i = 0; i < width; i++)
            y[r * width + i] = (ref_real)((double)row[i] / root * (own ? (double)own[i] + norm->offset : 1));
    }
    free(weight);
    return ASSAY_OK;
}

assay_status ref_layer_norm(ref_real *y, const ref_real *x, size_t n_rows, size_t width,
                            const plan_norm *norm)
{
    assert(norm->width == width);
    const size_t n_weights = norm->n_weights ? norm->n_weights : 1;
    ref_real *weight = ref_alloc(n_weights, width), *bias = ref_alloc(1, width);
    if (!weight || !bias) {
        free(weight);
        free(bias);
        return ASSAY_ENOMEM;
    }
    if (norm->weight.data) ref_weight_rows(&norm->weight, 0, 1, weight);
    if (norm->bias.data) ref_weight_rows(&norm->bias, 0, 1, bias);
    for (size_t r = 0; r < n_rows; r++) {
        const ref_real *row = x + r * width, *own = weight + r % n_weights * width;
        double sum = 0, squares = 0;
        for (size_t i = 0; i < width; i++) sum += (double)row[i];
        const double mean = sum / (double)width;
        for (size_t i = 0; i < width; i++) squares += ((double)row[i] - mean) * ((double)row[i] - mean);
        const double root = sqrt(squares / (double)width + norm->epsilon);
        for (size_t i = 0; i < width; i++) {
            const double factor = norm->weight.data ? (double)own[i] + norm->offset : 1;
            y[r * width + i] = (ref_real)(((double)row[i] - mean) / root * factor + (double)bias[i]);
        }
    }
    free(weight);
    free(bias);
    return ASSAY_OK;
}

assay_status ref_norm(ref_real *y, const ref_real *x, size_t n_rows, size_t width, const plan_norm *norm)
{
    if (!norm->present) {
        memmove(y, x, n_rows * width * sizeof *y);
        return ASSAY_OK;
    }
    switch (norm->kind) {
    case PLAN_RMS_NORM: return ref_rms_norm(y, x, n_rows, width, norm);
    case PLAN_LAYER_NORM: return ref_layer_norm(y, x, n_rows, width, norm);
    }
    return ASSAY_EUNSUPPORTED;
}

/* Numbers whose exponentials are computed at once. */
enum { CHUNK = 256 };

static size_t chunk_at(size_t i, size_t n)
{
    return n - i < CHUNK ? n - i : CHUNK;
}

/* x[i] = sigmoid(x[i]) */
static void take_sigmoids(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = -x[i];
    (void)ref_exp(x, n, 0);
    for (size_t i = 0; i < n; i++) x[i] = 1 / (1 + x[i]);
}

/* Of an activation x · sigmoid(f(x)): f(x). (1 + tanh(u)) / 2 is the sigmoid of 2u. */
static double gate_of(double x, assay_activation activation)
{
    const double root_2_pi = 0.79788456080286535588;
    switch (activation) {
    case ASSAY_QUICK_GELU: return 1.702 * x;
    case ASSAY_GELU_TANH: return 2 * root_2_pi * (x + 0.044715 * x * x * x);
    default: return x;
    }
}

static void activate_gated(ref_real *x, size_t n, assay_activation activation)
{
    double gate[CHUNK];
    for (size_t i = 0; i < n; i += CHUNK) {
        const size_t m = chunk_at(i, n);
        for (size_t k = 0; k < m; k++) gate[k] = gate_of((double)x[i + k], activation);
        take_sigmoids(gate, m);
        for (size_t k = 0; k < m; k++) x[i + k] = (ref_real)((double)x[i + k] * gate[k]);
    }
}

static double gelu(double x)
{
    const double root_half = 0.70710678118654752440;
    return x / 2 * (1 + erf(x * root_half));
}

void ref_activate(ref_real *x, size_t n, assay_activation activation)
{
    switch (activation) {
    case ASSAY_SILU:
    case ASSAY_GELU_TANH:
    case ASSAY_QUICK_GELU: activate_gated(x, n, activation); return;
    case ASSAY_GELU:
        for (size_t i = 0; i < n; i++) x[i] = (ref_real)gelu((double)x[i]);
        return;
    case ASSAY_RELU: /* NaN is propagated */
        for (size_t i = 0; i < n; i++) x[i] = x[i] < 0 ? 0 : x[i];
        return;
    }
}

void ref_sigmoid(ref_real *x, size_t n)
{
    double part[CHUNK];
    for (size_t i = 0; i < n; i += CHUNK) {
        const size_t m = chunk_at(i, n);
        dtype_to_f64(part, x + i, REF_DTYPE, m);
        take_sigmoids(part, m);
        ref_convert(x + i, part, ASSAY_F64, m);
    }
}

/* The largest of `top` and n values, in four chains: a comparison waits for the one before it. */
static double find_largest(const ref_real *x, size_t n, double top)
{
    double tops[4] = {top, top, top, top};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++) tops[k] = (double)x[i + k] > tops[k] ? (double)x[i + k] : tops[k];
    for (; i < n; i++) tops[0] = (double)x[i] > tops[0] ? (double)x[i] : tops[0];
    for (size_t k = 1; k < 4; k++) tops[0] = tops[k] > tops[0] ? tops[k] : tops[0];
    return tops[0];
}

/* x[i] = exp(x[i] − top); returns their sum. */
static double exponentiate(ref_real *x, size_t n, double top)
{
    double part[CHUNK], sum = 0;
    for (size_t i = 0; i < n; i += CHUNK) {
        const size_t m = chunk_at(i, n);
        dtype_to_f64(part, x + i, REF_DTYPE, m);
        sum += ref_exp(part, m, top);
        ref_convert(x + i, part, ASSAY_F64, m);
    }
    return sum;
}

/* A softmax with the score `sink` beside the n of x, whose weight is left out. */
static void softmax_beside(ref_real *x, size_t n, double sink)
{
    const double top = find_largest(x, n, sink);
    const double share = 1 / (exp(sink - top) + exponentiate(x, n, top));
    ref_scale(x, n, share);
}

void ref_softmax(ref_real *x, size_t n)
{
    softmax_beside(x, n, -INFINITY);
}

void ref_soft_cap(ref_real *x, size_t n, double cap)
{
    for (size_t i = 0; i < n; i++) x[i] = (ref_real)(tanh((double)x[i] / cap) * cap);
}

void ref_add(ref_real *y, const ref_real *x, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] += x[i];
}

void ref_scale(ref_real *y, size_t n, double factor)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) /* a loop of a constant length is vectorised */
        for (size_t k = 0; k < 4; k++) y[i + k] = (ref_real)((double)y[i + k] * factor);
    for (; i < n; i++) y[i] = (ref_real)((double)y[i] * factor);
}

void ref_multiply(ref_real *y, const ref_real *x, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] *= x[i];
}

/* The elements of a head that pair i of a rope rotates. */
static void find_pair(const rope *r, size_t i, size_t *first, size_t *second)
{
    const size_t n = r->dim / 2, quarter = r->dim / 4;
    switch (r->pairing) {
    case ROPE_PAIRS_HALF:
        *first = i;
        *second = i + n;
        return;
    case ROPE_PAIRS_ADJACENT:
        *first = 2 * i;
        *second = 2 * i + 1;
        return;
    case ROPE_PAIRS_QUARTER: /* in the first half of the elements for i < dim/4, else in the second */
        *first = i < quarter ? i : n + i - quarter;
        *second = *first + quarter;
        return;
    }
}

void ref_rope(ref_real *x, size_t n_tokens, size_t n_heads, const rope *r, const double *cosine,
              const double *sine)
{
    const size_t n = r->dim / 2, n_angles = rope_n_angles(r), second_angle = n_angles - n;
    for (size_t t = 0; t < n_tokens; t++)
        for (size_t h = 0; h < n_heads; h++) {
            ref_real *head = x + (t * n_heads + h) * r->head_dim;
            for (size_t i = 0; i < n; i++) {
                size_t a = 0, b = 0;
                find_pair(r, i, &a, &b);
                const size_t k = t * n_angles + i, l = k + second_angle;
                const double first = (double)head[a], second = (double)head[b];
                head[a] = (ref_real)(first * cosine[k] - second * sine[k]);
                head[b] = (ref_real)(second * cosine[l] + first * sine[l]);
            }
        }
}

void ref_plane_rope(ref_real *x, size_t n_tokens, size_t n_heads, size_t head_dim, const plan_plane_rope *r,
                    const double *angle)
{
    const size_t n = r->dim / 2;
    for (size_t k = 0; k < n_tokens * n_heads; k++)
        for (size_t i = 0; i < n; i++) {
            ref_real *pair = x + k * head_dim + r->first + 2 * i;
            const double c = cos(angle[k * n + i]), s = sin(angle[k * n + i]), a = (double)pair[0],
                         b = (double)pair[1];
            pair[0] = (ref_real)(a * c - b * s);
            pair[1] = (ref_real)(b * c + a * s);
        }
}

/* Queries whose scores are computed at once, for the keys up to the last that one of them has. */
#define QUERIES 64

/* Turns the scores of one query, [n_keys], into weights: 0 for all but its keys. sink: its head's;
 * NULL: none. */
static void share_row(ref_real *scores, const plan_keys *keys, size_t n_keys, const ref_real *sink)
{
    for (size_t key = keys->sink_tokens; key < keys->first; key++) scores[key] = -INFINITY;
    softmax_beside(scores, keys->end, sink ? (double)*sink : -INFINITY);
    for (size_t key = keys->end; key < n_keys; key++) scores[key] = 0;
}

/* One head of n queries: q, out: [n, head_dim], k, v: [n_keys, head_dim], each with its own distance of rows.
 * keys: [n]. sink: of the head, or NULL. scores: scratch, [n, n_keys]. */
static assay_status attend_queries(ref_real *out, const ref_real *q, size_t ld_q, const ref_real *k,
                                   const ref_real *v, size_t ld_kv, size_t n, const plan_attention *a,
                                   const plan_keys *keys, const ref_real *sink, ref_real *scores)
{
    size_t n_keys = 0;
    for (size_t t = 0; t < n; t++)
        if (keys[t].end > n_keys) n_keys = keys[t].end;
    assay_status rc = ref_product(scores, n_keys, q, ld_q, k, ld_kv, false, n, n_keys, a->head_dim, a->scale);
    if (rc != ASSAY_OK) return rc;
    for (size_t t = 0; t < n; t++) {
        if (a->score_cap > 0) ref_soft_cap(scores + t * n_keys, keys[t].end, a->score_cap);
        share_row(scores + t * n_keys, &keys[t], n_keys, sink);
    }
    return ref_product(out, ld_q, scores, n_keys, v, ld_kv, true, n, a->head_dim, n_keys, 1);
}

assay_status ref_attention(ref_real *out, const ref_real *q, const ref_real *k, const ref_real *v,
                           size_t n_tokens, size_t n_keys, const plan_attention *a, const plan_keys *keys)
{
    const size_t group = a->n_heads / a->n_kv_heads, q_row = a->n_heads * a->head_dim,
                 kv_row = a->n_kv_heads * a->head_dim;
    ref_real *scores = ref_alloc(n_tokens < QUERIES ? n_tokens : QUERIES, n_keys);
    ref_real *sinks = ref_alloc(1, a->n_heads);
    assay_status rc = scores && sinks ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK && a->sinks.data) ref_weight_rows(&a->sinks, 0, 1, sinks);
    for (size_t h = 0; h < a->n_heads; h++)
        for (size_t t = 0; rc == ASSAY_OK && t < n_tokens; t += QUERIES) {
            const size_t at = t * q_row + h * a->head_dim, kv_at = h / group * a->head_dim;
            const size_t n = n_tokens - t < QUERIES ? n_tokens - t : QUERIES;
            rc = attend_queries(out + at, q + at, q_row, k + kv_at, v + kv_at, kv_row, n, a, keys + t,
                                a->sinks.data ? &sinks[h] : NULL, scores);
        }
    free(scores);
    free(sinks);
    return rc;
}
