/* The forward pass. Arrays are rows of tokens; sums are in double.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "llama.h"

#include <math.h>
#include <string.h>

/* out[r] = w x[r]; w: [n_out, n_in]. */
static void multiply(float *out, const float *x, const float *w, size_t n, size_t n_in, size_t n_out)
{
    for (size_t r = 0; r < n; r++)
        for (size_t o = 0; o < n_out; o++) {
            double sum = 0;
            for (size_t i = 0; i < n_in; i++) sum += (double)w[o * n_in + i] * (double)x[r * n_in + i];
            out[r * n_out + o] = (float)sum;
        }
}

static void rms_norm(float *out, const float *x, const float *weight, size_t n, const llama *m)
{
    for (size_t r = 0; r < n; r++, x += m->width, out += m->width) {
        double squares = 0;
        for (size_t i = 0; i < m->width; i++) squares += (double)x[i] * (double)x[i];
        const double scale = 1 / sqrt(squares / (double)m->width + m->epsilon);
        for (size_t i = 0; i < m->width; i++) out[i] = (float)((double)x[i] * scale) * weight[i];
    }
}

/* Rotates pairs i, i + head_dim / 2 of every head; row r is at position r. */
static void rotate(float *x, size_t n, size_t n_heads, const llama *m)
{
    const size_t half = m->head_dim / 2;
    for (size_t h = 0; h < n * n_heads; h++, x += m->head_dim)
        for (size_t i = 0; i < half; i++) {
            const double angle = (double)(h / n_heads) * pow(m->theta, -(double)i / (double)half);
            const double a = x[i], b = x[i + half];
            x[i] = (float)(a * cos(angle) - b * sin(angle));
            x[i + half] = (float)(b * cos(angle) + a * sin(angle));
        }
}

/* Attention of one head at position p; k, v: [n, n_keys, head_dim] from this head on; score: [p + 1],
 * scratch. */
static void attend(float *out, const float *q, const float *k, const float *v, size_t p, double *score,
                   cache_limit cache, const llama *m)
{
    const size_t dim = m->head_dim, stride = m->n_keys * dim;
    double largest = -HUGE_VAL, sum = 0;
    for (size_t j = 0; j <= p; j++) {
        const bool sees = !cache.limit || j < cache.sink_tokens || p - j < cache.limit - cache.sink_tokens;
        score[j] = sees ? 0 : -HUGE_VAL;
        for (size_t i = 0; sees && i < dim; i++) score[j] += (double)q[i] * (double)k[j * stride + i];
        score[j] /= sqrt((double)dim);
        if (score[j] > largest) largest = score[j];
    }
    for (size_t j = 0; j <= p; j++) sum += score[j] = exp(score[j] - largest);
    for (size_t i = 0; i < dim; i++) {
        double value = 0;
        for (size_t j = 0; j <= p; j++) value += score[j] / sum * (double)v[j * stride + i];
        out[i] = (float)value;
    }
}

/* The arrays of a pass, [n, …]. */
typedef struct scratch {
    float *x, *y, *q, *k, *v, *heads, *gate, *up;
    double *score;
} scratch;

static void run_layer(const llama *m, cache_limit cache, const layer *l, const scratch *t, size_t n)
{
    const size_t dim = m->head_dim, queries = m->n_heads * dim, keys = m->n_keys * dim;
    rms_norm(t->y, t->x, l->norm1, n, m);
    multiply(t->q, t->y, l->q, n, m->width, queries);
    multiply(t->k, t->y, l->k, n, m->width, keys);
    multiply(t->v, t->y, l->v, n, m->width, keys);
    rotate(t->q, n, m->n_heads, m);
    rotate(t->k, n, m->n_keys, m);
    for (size_t p = 0; p < n; p++)
        for (size_t h = 0; h < m->n_heads; h++) {
            const size_t shared = h / (m->n_heads / m->n_keys) * dim, own = p * queries + h * dim;
            attend(t->heads + own, t->q + own, t->k + shared, t->v + shared, p, t->score, cache, m);
        }
    multiply(t->y, t->heads, l->o, n, queries, m->width);
    for (size_t i = 0; i < n * m->width; i++) t->x[i] += t->y[i];
    rms_norm(t->y, t->x, l->norm2, n, m);
    multiply(t->gate, t->y, l->gate, n, m->width, m->inner);
    multiply(t->up, t->y, l->up, n, m->width, m->inner);
    for (size_t i = 0; i < n * m->inner; i++) t->gate[i] *= t->up[i] / (1 + expf(-t->gate[i]));
    multiply(t->y, t->gate, l->down, n, m->inner, m->width);
    for (size_t i = 0; i < n * m->width; i++) t->x[i] += t->y[i];
}

assay_status llama_evaluate(const llama *m, cache_limit cache, const int32_t *tokens, size_t n, size_t n_last,
                            float *logits, assay_error *err)
{
    const size_t queries = m->n_heads * m->head_dim, keys = m->n_keys * m->head_dim;
    float *block = malloc(n * (2 * m->width + 2 * queries + 2 * keys + 2 * m->inner) * sizeof *block),
          *at = block;
    double *score = malloc(n * sizeof *score);
    if (block && score) {
        scratch t = {.score = score};
        t.x = at, at += n * m->width;
        t.y = at, at += n * m->width;
        t.q = at, at += n * queries;
        t.heads = at, at += n * queries;
        t.k = at, at += n * keys;
        t.v = at, at += n * keys;
        t.gate = at, at += n * m->inner;
        t.up = at;
        for (size_t r = 0; r < n; r++)
            memcpy(t.x + r * m->width, m->embed + (size_t)tokens[r] * m->width, m->width * sizeof *t.x);
        for (size_t i = 0; i < m->n_layers; i++) run_layer(m, cache, &m->layers[i], &t, n);
        rms_norm(t.y, t.x, m->norm, n, m);
        multiply(logits, t.y + (n - n_last) * m->width, m->head, n_last, m->width, m->vocab);
    }
    free(block);
    free(score);
    return block && score ? ASSAY_OK : engine_fail(err, ASSAY_ENOMEM, "out of memory");
}
