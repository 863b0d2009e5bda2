/* The gated delta net of one layer. Every token is evaluated from the state before it, so that the bits of a
 * result depend on no division into passes; work is split over rows, value heads and columns of their states.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/delta.h"
#include "fastpath/ops.h"

#include <math.h>
#include <string.h>

/* Of the l2 norm, which the published function fixes (transformers, qwen3_5: l2norm). */
static const double LENGTH_EPSILON = 1e-6;

/* Arrays of one layer. K = n_k_heads·k_dim, V = n_v_heads·v_dim, C = 2K + V. */
typedef struct mixing {
    const fp_pass *pass;
    const plan_delta *plan;
    const fp_delta *weights;
    size_t layer;
    const fp_run **run_of;    /* [R] */
    float *qkv, *u;           /* [R, C]: the projection, and the convolution of it */
    float *z, *o;             /* [R, V] */
    float *decay, *beta;      /* [R, n_v_heads]; before make_gates the projections a and b */
    float *q_scale, *k_scale; /* [k_dim], constant */
    const float **rows;       /* [R, kernel]: inputs of the convolution */
} mixing;

static size_t channels(const plan_delta *d)
{
    return 2 * d->n_k_heads * d->k_dim + d->n_v_heads * d->v_dim;
}

static size_t state_floats(const plan_delta *d)
{
    return d->n_v_heads * d->k_dim * d->v_dim;
}

/* The row `back` tokens before row `row` of a run: of this pass, or of the inputs that the state holds. */
static const float *earlier_row(const mixing *m, const fp_run *run, size_t row, size_t back)
{
    const size_t n = channels(m->plan), own = row - run->first_row;
    const float *from;
    float *to;
    if (own >= back) return m->qkv + (row - back) * n;
    fp_state_recurrent(run->state, m->layer, &from, &to);
    return from + state_floats(m->plan) + (m->plan->kernel - 1 + own - back) * n;
}

static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* decay = exp(-exp(a_log)·softplus(a + dt_bias)), beta = sigmoid(b), in place. */
static void make_gates(const mixing *m, size_t row)
{
    const size_t n = m->plan->n_v_heads;
    float *decay = m->decay + row * n, *beta = m->beta + row * n;
    for (size_t h = 0; h < n; h++) {
        const double step = softplus((double)decay[h] + (double)m->weights->dt_bias[h]);
        decay[h] = (float)exp(-exp((double)m->weights->a_log[h]) * step);
        beta[h] = (float)(1 / (1 + exp(-(double)beta[h])));
    }
}

/* The convolution of one row, the norms of its queries and keys, and its gates. x / sqrt(sum + e) is an
 * RMSNorm with the epsilon e / n and the weight 1 / sqrt(n). */
static void prepare_item(void *context, size_t row)
{
    const mixing *job = context;
    const plan_delta *d = job->plan;
    const assay_rms_norm *norm = &job->pass->model->kernels.op.rms_norm;
    const size_t keys = d->n_k_heads * d->k_dim;
    const double epsilon = LENGTH_EPSILON / (double)d->k_dim;
    const float **rows = job->rows + row * d->kernel;
    float *u = job->u + row * channels(d);
    for (size_t j = 0; j < d->kernel; j++)
        rows[j] = earlier_row(job, job->run_of[row], row, d->kernel - 1 - j);
    job->pass->model->kernels.convolve(u, job->weights->conv, rows, d->kernel, channels(d));
    norm->f32(u, d->k_dim, u, d->k_dim, d->n_k_heads, d->k_dim, job->q_scale, epsilon);
    norm->f32(u + keys, d->k_dim, u + keys, d->k_dim, d->n_k_heads, d->k_dim, job->k_scale, epsilon);
    make_gates(job, row);
}

/* The number of parts into which the columns of a head are divided. */
static size_t parts_of_head(const plan_delta *d)
{
    return (d->v_dim + FP_DELTA_COLUMNS - 1) / FP_DELTA_COLUMNS;
}

/* All rows of a run through some columns of one head's state. */
static void update_item(void *context, size_t item)
{
    const mixing *job = context;
    const plan_delta *d = job->plan;
    const size_t n_parts = parts_of_head(d), first = item % n_parts * FP_DELTA_COLUMNS,
                 head = item / n_parts % d->n_v_heads;
    const fp_run *run = &job->pass->runs[item / n_parts / d->n_v_heads];
    const size_t keys = d->n_k_heads * d->k_dim, values = d->n_v_heads * d->v_dim, n = channels(d),
                 at = head * d->k_dim * d->v_dim + first, row = run->first_row,
                 key_head = head / (d->n_v_heads / d->n_k_heads);
    const float *from, *u = job->u + row * n;
    float *to;
    fp_state_recurrent(run->state, job->layer, &from, &to);
    job->pass->model->kernels.delta(&(fp_delta_call){
        .from = from + at,
        .to = to + at,
        .ld_state = d->v_dim,
        .q = u + key_head * d->k_dim,
        .k = u + keys + key_head * d->k_dim,
        .ld_qk = n,
        .v = u + 2 * keys + head * d->v_dim + first,
        .ld_v = n,
        .decay = job->decay + row * d->n_v_heads + head,
        .beta = job->beta + row * d->n_v_heads + head,
        .ld_gate = d->n_v_heads,
        .out = job->o + row * values + head * d->v_dim + first,
        .ld_out = values,
        .n_tokens = run->n_rows,
        .k_dim = d->k_dim,
        .n_columns = d->v_dim - first < FP_DELTA_COLUMNS ? d->v_dim - first : FP_DELTA_COLUMNS,
    });
}

/* Stores the last kernel - 1 inputs of the convolution, some of which the state may already have held. */
static void store_inputs(const mixing *m, const fp_run *run)
{
    const size_t n = channels(m->plan), last = run->first_row + run->n_rows - 1;
    const float *from;
    float *to;
    fp_state_recurrent(run->state, m->layer, &from, &to);
    to += state_floats(m->plan);
    for (size_t j = 0; j + 1 < m->plan->kernel; j++)
        memcpy(to + j * n, earlier_row(m, run, last, m->plan->kernel - 2 - j), n * sizeof *to);
}

static bool allocate(fp_pass *pass, mixing *m)
{
    fp_scratch *s = pass->scratch;
    const plan_delta *d = m->plan;
    const size_t n_rows = pass->n_rows, values = d->n_v_heads * d->v_dim;
    return (m->run_of = fp_scratch_alloc(s, n_rows, 1, sizeof *m->run_of)) &&
           (m->rows = fp_scratch_alloc(s, n_rows, d->kernel, sizeof *m->rows)) &&
           (m->qkv = fp_scratch_floats(s, n_rows, channels(d))) &&
           (m->u = fp_scratch_floats(s, n_rows, channels(d))) &&
           (m->z = fp_scratch_floats(s, n_rows, values)) && (m->o = fp_scratch_floats(s, n_rows, values)) &&
           (m->decay = fp_scratch_floats(s, n_rows, d->n_v_heads)) &&
           (m->beta = fp_scratch_floats(s, n_rows, d->n_v_heads)) &&
           (m->q_scale = fp_scratch_floats(s, d->k_dim, 1)) &&
           (m->k_scale = fp_scratch_floats(s, d->k_dim, 1));
}

static void set_constants(const fp_pass *pass, const mixing *m)
{
    const double n = (double)m->plan->k_dim;
    for (size_t i = 0; i < m->plan->k_dim; i++) {
        m->q_scale[i] = (float)(1 / n); /* queries are divided by sqrt(k_dim), too */
        m->k_scale[i] = (float)(1 / sqrt(n));
    }
    for (size_t j = 0; j < pass->n_runs; j++)
        for (size_t r = 0; r < pass->runs[j].n_rows; r++)
            m->run_of[pass->runs[j].first_row + r] = &pass->runs[j];
}

/* Brings a row of the projection, whose heads are in groups, from u to the order of [q, k, v]. */
static void order_item(void *context, size_t row)
{
    const mixing *m = context;
    const size_t n = channels(m->plan);
    for (size_t i = 0; i < n; i++) m->qkv[row * n + i] = m->u[row * n + plan_delta_row(m->plan, i)];
}

/* The projections of all rows. */
static void project_rows(fp_pass *pass, mixing *m, const float *x)
{
    const plan_delta *d = m->plan;
    const fp_delta *w = m->weights;
    float *qkv = d->groups_heads ? m->u : m->qkv; /* u is not used before the convolution */
    const fp_target targets[] = {
        {qkv, &w->qkv.weight}, {m->z, &w->z.weight}, {m->decay, &w->a.weight}, {m->beta, &w->b.weight}};
    fp_products(pass, x, pass->n_rows, targets, 4);
    fp_bias_run(qkv, pass->n_rows, &w->qkv);
    fp_bias_run(m->z, pass->n_rows, &w->z);
    fp_bias_run(m->decay, pass->n_rows, &w->a);
    fp_bias_run(m->beta, pass->n_rows, &w->b);
    if (d->groups_heads) fp_pool_run(pass->model->pool, pass->n_rows, channels(d), order_item, m);
}

static void mix_rows(fp_pass *pass, mixing *m, const float *x, float *y)
{
    enum { GATE_COST = 64, UPDATE_COST = 3 }; /* of an element, in multiplications */
    const plan_delta *d = m->plan;
    const fp_delta *w = m->weights;
    const size_t values = d->n_v_heads * d->v_dim, n_items = pass->n_runs * d->n_v_heads * parts_of_head(d);
    project_rows(pass, m, x);
    fp_pool_run(pass->model->pool, pass->n_rows,
                channels(d) * (d->kernel + GATE_COST / 4) + d->n_v_heads * GATE_COST, prepare_item, m);
    fp_pool_run(pass->model->pool, n_items,
                pass->n_rows * d->n_v_heads * d->k_dim * d->v_dim * UPDATE_COST / n_items, update_item, m);
    for (size_t j = 0; j < pass->n_runs; j++) store_inputs(m, &pass->runs[j]);
    fp_norm_run(pass, m->o, m->o, pass->n_rows * d->n_v_heads, d->v_dim, &w->norm);
    fp_gate_run(pass, m->o, m->z, m->o, values, pass->n_rows, values, ASSAY_SILU);
    fp_linear_run(pass, y, m->o, pass->n_rows, &w->out);
}

assay_status fp_delta_run(fp_pass *pass, size_t i, const float *x, float *y)
{
    const size_t mark = pass->scratch->n;
    mixing m = {.pass = pass,
                .plan = &pass->plan->layers[i].mixer.delta,
                .weights = &pass->model->layers[i].delta,
                .layer = i};
    const bool ok = allocate(pass, &m);
    if (ok) {
        set_constants(pass, &m);
        mix_rows(pass, &m, x, y);
    }
    pass->scratch->n = mark;
    return ok ? ASSAY_OK : ASSAY_ENOMEM;
}
