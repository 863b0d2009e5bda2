/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tests/naive_tower.h"

#include "base/tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A frame. Rows are in the order of the input. */
typedef struct naive {
    const tower_shape *s;
    const plan_tower *t;
    size_t h, w, n;
    size_t *y, *x;
} naive;

static double *zeros(size_t n)
{
    double *x = calloc(n, sizeof *x);
    ck_assert_ptr_nonnull(x);
    return x;
}

static double clamp(double x, bool present, double least, double most)
{
    return !present ? x : fmin(fmax(x, least), most);
}

/* y = clamp(clamp(x) Wᵀ + b). */
static double *linear(const plan_linear *l, const double *x, size_t n)
{
    const plan_weight *w = &l->weight;
    const plan_clamp *c = &l->clamp;
    double *y = zeros(n * w->rows);
    for (size_t o = 0; o < w->rows; o++)
        for (size_t i = 0; i < w->cols; i++) {
            const double factor = towers_weight(w, o * w->cols + i);
            for (size_t r = 0; r < n; r++)
                y[r * w->rows + o] +=
                    factor * clamp(x[r * w->cols + i], c->present, c->input_min, c->input_max);
        }
    for (size_t i = 0; i < n * w->rows; i++) {
        if (l->bias.values) y[i] += towers_weight(&l->bias, i % w->rows);
        y[i] = clamp(y[i], c->present, c->output_min, c->output_max);
    }
    return y;
}

static double *norm(const plan_norm *k, const double *x, size_t n_rows, size_t width)
{
    double *y = zeros(n_rows * width);
    memcpy(y, x, n_rows * width * sizeof *y);
    for (size_t r = 0; k->present && r < n_rows; r++) {
        double mean = 0, square = 0, *row = y + r * width;
        for (size_t i = 0; k->kind == PLAN_LAYER_NORM && i < width; i++) mean += row[i] / (double)width;
        for (size_t i = 0; i < width; i++) square += (row[i] - mean) * (row[i] - mean) / (double)width;
        for (size_t i = 0; i < width; i++) {
            row[i] = (row[i] - mean) / sqrt(square + k->epsilon) *
                     (k->weight.values ? (double)(float)(towers_weight(&k->weight, i) + k->offset) : 1);
            if (k->bias.values) row[i] += towers_weight(&k->bias, i);
        }
    }
    return y;
}

static double activate(double x, assay_activation a)
{
    switch (a) {
    case ASSAY_SILU: return x / (1 + exp(-x));
    case ASSAY_GELU: return x / 2 * (1 + erf(x / sqrt(2)));
    case ASSAY_GELU_TANH: return x / 2 * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
    case ASSAY_QUICK_GELU: return x / (1 + exp(-1.702 * x));
    case ASSAY_RELU: return x > 0 ? x : 0;
    }
    return NAN;
}

/* x += y; frees y. */
static void add(double *x, double *y, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] += y[i];
    free(y);
}

static void place_rows(naive *k)
{
    const size_t m = k->s->order == PLAN_PATCHES_BLOCKS ? k->s->merge : 1, wide = k->w / m;
    k->y = calloc(k->n, sizeof *k->y);
    k->x = calloc(k->n, sizeof *k->x);
    ck_assert(k->y && k->x);
    for (size_t r = 0; r < k->n; r++) {
        const size_t block = r / (m * m), in = r % (m * m);
        k->y[r] = block / wide * m + in / m;
        k->x[r] = block % wide * m + in % m;
    }
}

static double *embed(const naive *k, size_t frame, unsigned seed)
{
    const plan_patches *p = &k->t->patches;
    const size_t width = p->embed.weight.cols, planes = p->frames * p->size * p->size;
    char name[24];
    double *rows = zeros(k->n * width);
    (void)snprintf(name, sizeof name, "pixels.%u", seed);
    for (size_t r = 0; r < k->n; r++)
        for (size_t i = 0; i < width; i++) {
            const size_t to = p->weights_channels_last ? i % planes * 3 + i / planes : i;
            rows[r * width + to] =
                towers_number(name, (frame * k->n + r) * width + i) * p->pixel_factor + p->pixel_offset;
        }
    double *x = linear(&p->embed, rows, k->n);
    free(rows);
    return x;
}

static double tap_weight(const plan_table *t, double distance)
{
    if (t->kind == PLAN_TABLE_BILINEAR) return fmax(0, 1 - distance);
    if (distance <= 1) return (1.25 * distance - 2.25) * distance * distance + 1;
    return distance < 2 ? ((-0.75 * distance + 3.75) * distance - 6) * distance + 3 : 0;
}

static double source_of(const plan_table *t, size_t i, size_t n)
{
    if (t->aligns_corners) return n == 1 ? 0 : (double)i * (double)(t->side - 1) / (double)(n - 1);
    return ((double)i + 0.5) * (double)t->side / (double)n - 0.5;
}

/* Every place of the unbounded table within reach of the kernel, read where it is clamped to. */
static void add_table(const naive *k, double *x)
{
    const plan_table *t = &k->t->table;
    const size_t d = k->s->hidden;
    const long most = (long)t->side - 1, reach = 3;
    for (size_t r = 0; t->kind != PLAN_TABLE_NONE && r < k->n; r++) {
        if (t->kind == PLAN_TABLE_AXES) {
            for (size_t i = 0; i < d; i++)
                x[r * d + i] += towers_weight(&t->weight, k->x[r] * d + i) +
                                towers_weight(&t->weight, (t->side + k->y[r]) * d + i);
            continue;
        }
        const double sy = source_of(t, k->y[r], k->h), sx = source_of(t, k->x[r], k->w);
        for (long j = -reach; j <= most + reach; j++)
            for (long i = -reach; i <= most + reach; i++) {
                const double weight =
                    tap_weight(t, fabs(sy - (double)j)) * tap_weight(t, fabs(sx - (double)i));
                const size_t at = (size_t)(j < 0      ? 0
                                           : j > most ? most
                                                      : j) *
                                      t->side +
                                  (size_t)(i < 0      ? 0
                                           : i > most ? most
                                                      : i);
                for (size_t c = 0; weight != 0 && c < d; c++)
                    x[r * d + c] += weight * towers_weight(&t->weight, at * d + c);
            }
    }
}

/* Rotates every head of n rows. */
static void rotate(const naive *k, double *x, size_t n_heads)
{
    const size_t d = k->s->head_dim, quarter = d / 4;
    for (size_t r = 0; k->s->has_rope && r < k->n; r++)
        for (size_t h = 0; h < n_heads; h++)
            for (size_t i = 0; i < d / 2; i++) {
                double *head = x + (r * n_heads + h) * d;
                const bool first = i < quarter, q = k->s->has_quarters;
                const size_t place = first != q ? k->y[r] : k->x[r];
                const double angle = (double)place * pow(100, -2.0 * (double)(i % quarter) / (double)(d / 2));
                const size_t a = q ? (first ? 0 : d / 2) + i % quarter : i, b = q ? a + quarter : a + d / 2;
                const double even = head[a], odd = head[b];
                head[a] = even * cos(angle) - odd * sin(angle);
                head[b] = odd * cos(angle) + even * sin(angle);
            }
}

static double *heads(const naive *k, const plan_linear *l, const plan_norm *n, size_t n_heads, bool rotates,
                     const double *x)
{
    double *plain = linear(l, x, k->n), *y = norm(n, plain, k->n * n_heads, k->s->head_dim);
    free(plain);
    if (rotates) rotate(k, y, n_heads);
    return y;
}

static bool attends(const naive *k, const plan_tower_layer *l, size_t a, size_t b)
{
    const size_t side = k->s->window * k->s->merge;
    return !l->in_windows || (k->y[a] / side == k->y[b] / side && k->x[a] / side == k->x[b] / side);
}

static double *attend(const naive *k, const plan_tower_layer *l, const double *x)
{
    const plan_attention *a = &l->attention;
    const size_t d = a->head_dim, nq = a->n_heads, nk = a->n_kv_heads;
    double *q = heads(k, &a->q, &a->q_norm, nq, true, x), *key = heads(k, &a->k, &a->k_norm, nk, true, x),
           *v = heads(k, &a->v, &a->v_norm, nk, false, x), *mixed = zeros(k->n * nq * d);
    for (size_t r = 0; r < k->n; r++)
        for (size_t h = 0; h < nq; h++) {
            const size_t g = h / (nq / nk);
            double sum = 0, *out = mixed + (r * nq + h) * d;
            for (size_t j = 0; j < k->n; j++) {
                if (!attends(k, l, r, j)) continue;
                double score = 0;
                for (size_t i = 0; i < d; i++) score += q[(r * nq + h) * d + i] * key[(j * nk + g) * d + i];
                const double share = exp(score * a->scale);
                sum += share;
                for (size_t i = 0; i < d; i++) out[i] += share * v[(j * nk + g) * d + i];
            }
            for (size_t i = 0; i < d; i++) out[i] /= sum;
        }
    double *y = linear(&a->o, mixed, k->n);
    free(q);
    free(key);
    free(v);
    free(mixed);
    return y;
}

static double *feed_forward(const plan_mlp *m, const double *x, size_t n)
{
    double *up = linear(&m->up, x, n), *gate = m->gate.weight.data ? linear(&m->gate, x, n) : NULL;
    for (size_t i = 0; i < n * m->intermediate; i++)
        up[i] = gate ? activate(gate[i], m->activation) * up[i] : activate(up[i], m->activation);
    double *y = linear(&m->down, up, n);
    free(up);
    free(gate);
    return y;
}

/* x += post(f(pre(x))) for both halves of a layer. */
static void run_layer(const naive *k, const plan_tower_layer *l, double *x)
{
    const size_t d = k->s->hidden;
    for (size_t half = 0; half < 2; half++) {
        double *in = norm(half ? &l->mlp_in : &l->mixer_in, x, k->n, d);
        double *out = half ? feed_forward(&l->mlp, in, k->n) : attend(k, l, in);
        add(x, norm(half ? &l->mlp_out : &l->mixer_out, out, k->n, d), k->n * d);
        free(in);
        free(out);
    }
}

/* The mean of every side x side patches, scaled; or their rows one after the other. */
static double *collect(const naive *k, const double *x, size_t side, bool pools, size_t *n_tokens)
{
    const size_t d = k->s->hidden, wide = k->w / side, members = side * side;
    const plan_pooling *p = &k->t->pooling;
    double *out = zeros(k->n * d);
    *n_tokens = k->n / members;
    for (size_t r = 0; r < k->n; r++)
        for (size_t i = 0; i < d; i++) {
            const size_t token = k->y[r] / side * wide + k->x[r] / side;
            if (pools) out[token * d + i] += x[r * d + i] / (double)members;
            else out[(token * members + k->y[r] % side * side + k->x[r] % side) * d + i] = x[r * d + i];
        }
    for (size_t i = 0; pools && i < *n_tokens * d; i++) {
        out[i] *= p->factor;
        if (p->bias.values)
            out[i] = (out[i] - towers_weight(&p->bias, i % d)) * towers_weight(&p->scale, i % d);
    }
    return out;
}

/* Whole rows of `width`, n_in of them, become wider ones: in their order, or channel by channel. */
static double *join(const double *x, size_t n_in, size_t n_members, size_t width, bool channels_first)
{
    double *y = zeros(n_in * width);
    for (size_t r = 0; r < n_in; r++)
        for (size_t d = 0; d < width; d++) {
            const size_t block = r / n_members, member = r % n_members;
            const size_t at = channels_first ? d * n_members + member : member * width + d;
            y[block * n_members * width + at] = x[r * width + d];
        }
    return y;
}

static void put_vector(const plan_weight *vector, double *row)
{
    for (size_t d = 0; d < vector->cols; d++) row[d] = towers_weight(vector, d);
}

/* x: [n, width], the rows of blocks; their vector after each row of blocks. */
static double *end_rows(const naive *k, const plan_merger_step *step, const double *x, size_t n, size_t width)
{
    const size_t n_columns = k->w / k->s->merge, n_rows = n / n_columns;
    double *y = zeros((n + n_rows) * width);
    for (size_t r = 0; r < n_rows; r++) {
        double *row = y + r * (n_columns + 1) * width;
        memcpy(row, x + r * n_columns * width, n_columns * width * sizeof *y);
        put_vector(&step->row_end, row + n_columns * width);
    }
    return y;
}

static double *enclose(const plan_merger_step *step, const double *x, size_t n, size_t width)
{
    double *y = zeros((n + 2) * width);
    put_vector(&step->begin, y);
    memcpy(y + width, x, n * width * sizeof *y);
    put_vector(&step->end, y + (n + 1) * width);
    return y;
}

static double *run_step(const naive *k, const plan_merger_step *step, const double *x, size_t n, size_t width)
{
    double *y = zeros(2 * n * width);
    switch (step->kind) {
    case PLAN_MERGER_NORM: free(y); return norm(&step->norm, x, n, width);
    case PLAN_MERGER_LINEAR: free(y); return linear(&step->linear, x, n);
    case PLAN_MERGER_MLP: free(y); return feed_forward(&step->mlp, x, n);
    case PLAN_MERGER_CONCATENATE:
        free(y);
        return join(x, n, k->s->merge * k->s->merge, width, step->channels_first);
    case PLAN_MERGER_ACTIVATION:
        for (size_t i = 0; i < n * width; i++) y[i] = activate(x[i], step->activation);
        return y;
    case PLAN_MERGER_ROW_ENDS: free(y); return end_rows(k, step, x, n, width);
    case PLAN_MERGER_ENDS: free(y); return enclose(step, x, n, width);
    case PLAN_MERGER_REPEAT:
        for (size_t i = 0; i < 2 * n * width; i++) y[i] = x[i / (2 * width) * width + i % width];
        return y;
    }
    return y;
}

/* rows: the rows of *n_tokens blocks, one block after the other. Sets *n_tokens to the number of rows that it
 * returns. */
static double *merge(const naive *k, const plan_merger *m, const double *rows, size_t *n_tokens)
{
    const size_t members = k->s->merge * k->s->merge;
    size_t n = *n_tokens * members, width = k->s->hidden;
    double *x = zeros(n * width);
    memcpy(x, rows, n * width * sizeof *x);
    for (size_t i = 0; i < m->n_steps; i++) {
        double *y = run_step(k, &m->steps[i], x, n, width);
        width = plan_merger_step_width(&m->steps[i], width, k->s->merge);
        if (m->steps[i].kind == PLAN_MERGER_CONCATENATE) n /= members;
        if (m->steps[i].kind == PLAN_MERGER_ROW_ENDS) n += k->h / k->s->merge;
        if (m->steps[i].kind == PLAN_MERGER_ENDS) n += 2;
        free(x);
        x = y;
    }
    *n_tokens = n;
    return x;
}

void naive_tower_run(const tower_shape *shape, const plan_tower *t, size_t frame, size_t h, size_t w,
                     unsigned seed, double *out)
{
    naive k = {.s = shape, .t = t, .h = h, .w = w, .n = h * w};
    size_t n;
    place_rows(&k);
    double *raw = embed(&k, frame, seed), *x = norm(&t->in_norm, raw, k.n, shape->hidden);
    add_table(&k, x);
    for (size_t i = 0; i < t->n_layers; i++) {
        run_layer(&k, &t->layers[i], x);
        for (size_t j = 0; j < t->n_deepstack; j++) {
            if (t->deepstack[j].tower_layer != i) continue;
            double *rows = collect(&k, x, shape->merge, false, &n),
                   *y = merge(&k, &t->deepstack[j].merger, rows, &n);
            memcpy(out + (j + 1) * n * shape->text_hidden, y, n * shape->text_hidden * sizeof *y);
            free(rows);
            free(y);
        }
    }
    double *last = norm(&t->out_norm, x, k.n, shape->hidden);
    const bool pools = shape->pool > 1;
    double *rows = collect(&k, last, pools ? shape->pool : shape->merge, pools, &n);
    double *y = merge(&k, &t->merger, rows, &n);
    memcpy(out, y, n * shape->text_hidden * sizeof *y);
    free(raw);
    free(x);
    free(last);
    free(rows);
    free(y);
    free(k.y);
    free(k.x);
}
