/* Arrays are rows of tokens; sums are in double.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "llama.h"

#include "check.h"
#include "checkpoint.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

static void rms_norm(float *out, const float *x, const float *weight, size_t n, const assay_model *m)
{
    for (size_t r = 0; r < n; r++, x += m->width, out += m->width) {
        double squares = 0;
        for (size_t i = 0; i < m->width; i++) squares += (double)x[i] * (double)x[i];
        const double scale = 1 / sqrt(squares / (double)m->width + m->epsilon);
        for (size_t i = 0; i < m->width; i++) out[i] = (float)((double)x[i] * scale) * weight[i];
    }
}

/* Rotates pairs i, i + head_dim / 2 of every head; row r is at position r. */
static void rotate(float *x, size_t n, size_t n_heads, const assay_model *m)
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
                   const llama_pass *pass, const assay_model *m)
{
    const size_t dim = m->head_dim, stride = m->n_keys * dim;
    double largest = -HUGE_VAL, sum = 0;
    for (size_t j = 0; j <= p; j++) {
        const bool sees = !pass->limit || j < pass->sink_tokens || p - j < pass->limit - pass->sink_tokens;
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

static bool tap_names(const assay_tap *tap, const char *name)
{
    for (size_t i = 0; i < tap->n_names; i++)
        if (strcmp(tap->names[i], name) == 0) return true;
    return tap->n_names == 0;
}

/* Gives the step's rows of x, [n, width], to the tap, which may overwrite them. Returns whether the step
 * goes on. */
static bool trace(const assay_model *m, const llama_pass *pass, float *x, size_t n, const char *format, ...)
{
    char name[32];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(name, sizeof name, format, args);
    va_end(args);
    if (!pass->tap.fn || !tap_names(&pass->tap, name)) return true;
    float *data = x + pass->first_row * m->width;
    const assay_tensor tensor = {
        .name = name, .dtype = ASSAY_F32, .rank = 2, .shape = {n - pass->first_row, m->width}, .data = data};
    return pass->tap.fn(pass->tap.context, pass->sample, &tensor, data);
}

/* The arrays of a pass, [n, …]. */
typedef struct scratch {
    float *x, *y, *q, *k, *v, *heads, *gate, *up;
    double *score;
} scratch;

/* y = attention of rms_norm(x). */
static void run_attention(const assay_model *m, const llama_pass *pass, const layer *l, const scratch *t,
                          size_t n)
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
            attend(t->heads + own, t->q + own, t->k + shared, t->v + shared, p, t->score, pass, m);
        }
    multiply(t->y, t->heads, l->o, n, queries, m->width);
}

/* y = SwiGLU of rms_norm(x). */
static void run_mlp(const assay_model *m, const layer *l, const scratch *t, size_t n)
{
    rms_norm(t->y, t->x, l->norm2, n, m);
    multiply(t->gate, t->y, l->gate, n, m->width, m->inner);
    multiply(t->up, t->y, l->up, n, m->width, m->inner);
    for (size_t i = 0; i < n * m->inner; i++) t->gate[i] *= t->up[i] / (1 + expf(-t->gate[i]));
    multiply(t->y, t->gate, l->down, n, m->inner, m->width);
}

static void add(float *x, const float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] += y[i];
}

/* All layers and the norm before the head; false if the tap stops. */
static bool run_layers(const assay_model *m, const llama_pass *pass, const scratch *t, size_t n)
{
    bool goes_on = trace(m, pass, t->x, n, "embed");
    for (size_t i = 0; goes_on && i < m->n_layers; i++) {
        run_attention(m, pass, &m->layers[i], t, n);
        goes_on = trace(m, pass, t->y, n, "layer.%02zu.attn", i);
        add(t->x, t->y, n * m->width);
        if (!goes_on) break;
        run_mlp(m, &m->layers[i], t, n);
        goes_on = trace(m, pass, t->y, n, "layer.%02zu.mlp", i);
        add(t->x, t->y, n * m->width);
        goes_on = goes_on && trace(m, pass, t->x, n, "layer.%02zu.out", i);
    }
    rms_norm(t->y, t->x, m->norm, n, m);
    return goes_on && trace(m, pass, t->y, n, "norm");
}

assay_status llama_evaluate(const assay_model *m, const llama_pass *pass, const int32_t *tokens, size_t n,
                            size_t n_last, float *logits, assay_error *err)
{
    const size_t queries = m->n_heads * m->head_dim, keys = m->n_keys * m->head_dim;
    float *block = malloc(n * (2 * m->width + 2 * queries + 2 * keys + 2 * m->inner) * sizeof *block),
          *at = block;
    double *score = malloc(n * sizeof *score);
    assay_status rc = ASSAY_OK;
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
        if (!run_layers(m, pass, &t, n)) rc = engine_fail(err, ASSAY_ESTOPPED, "the tap stopped the step");
        else multiply(logits, t.y + (n - n_last) * m->width, m->head, n_last, m->width, m->vocab);
    } else rc = engine_fail(err, ASSAY_ENOMEM, "out of memory");
    free(block);
    free(score);
    return rc;
}
