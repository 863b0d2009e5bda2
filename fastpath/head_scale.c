/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/head_scale.h"

#include <math.h>
#include <string.h>

#include "fastpath/ops.h"

bool fp_head_scale_alloc(fp_pass *pass, const plan_attention *a, fp_head_scratch *s)
{
    const size_t n = a->n_heads * a->head_dim;
    s->rows = fp_scratch_floats(pass->scratch, pass->n_rows, 3 * n);
    s->of_q = s->rows ? fp_scratch_floats(pass->scratch, pass->n_rows, a->n_heads) : NULL;
    s->of_v = s->of_q ? fp_scratch_floats(pass->scratch, pass->n_rows, a->n_heads) : NULL;
    return s->of_v != NULL;
}

typedef struct scaling {
    const fp_pass *pass;
    const plan_attention *a;
    const float *alpha;
    const fp_head_scratch *scratch;
    float *q, *v;
    size_t run, first; /* of the pass, and its first row */
} scaling;

/* item: of the rows of the run; row: of those of the pass. */
static double position_of(const fp_run *run, size_t item, size_t row)
{
    return run->positions ? (double)run->positions[item * ROPE_AXES_MAX] : (double)fp_run_position(run, row);
}

static void scale_item(void *context, size_t item)
{
    const scaling *job = context;
    const fp_run *run = &job->pass->runs[job->run];
    const size_t row = job->first + item, d = job->a->head_dim;
    const double position = position_of(run, item, row);
    for (size_t h = 0; h < job->a->n_heads; h++) {
        const size_t at = row * job->a->n_heads + h;
        const double by_position = 0.5 + 1 / (1 + exp(-(double)job->alpha[h] * log1p(position)));
        fp_scale(job->q + at * d, d, tanh((double)job->scratch->of_q[at]) + by_position);
        fp_scale(job->v + at * d, d, tanh((double)job->scratch->of_v[at]) + by_position);
    }
}

void fp_head_scale_run(const fp_pass *pass, size_t i, const fp_head_scratch *s, float *q, const float *k,
                       float *v)
{
    enum { COST = 32 }; /* of a head, in multiplications */
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    const fp_attention *w = &pass->model->layers[i].attention;
    const size_t n = a->n_heads * a->head_dim;
    for (size_t r = 0; r < pass->n_rows; r++) {
        memcpy(s->rows + 3 * r * n, q + r * n, n * sizeof *q);
        memcpy(s->rows + (3 * r + 1) * n, k + r * n, n * sizeof *k);
        memcpy(s->rows + (3 * r + 2) * n, v + r * n, n * sizeof *v);
    }
    fp_gate_run(pass, s->rows, s->rows, pass->model->ones, 0, pass->n_rows, 3 * n, ASSAY_GELU);
    const fp_target targets[] = {{s->of_q, &w->scale_q}, {s->of_v, &w->scale_v}};
    fp_products(pass, s->rows, pass->n_rows, targets, 2);
    for (size_t j = 0; j < pass->n_runs; j++) {
        const fp_run *run = &pass->runs[j];
        scaling one = {pass, a, w->scale_alpha, s, q, v, j, run->first_row};
        fp_pool_run(pass->model->pool, run->n_rows, a->n_heads * (COST + 2 * a->head_dim), scale_item, &one);
    }
}

void fp_query_factor_run(const fp_pass *pass, const plan_attention *a, float *q)
{
    const size_t width = a->n_heads * a->head_dim;
    for (size_t j = 0; a->query_factor.period != 0 && j < pass->n_runs; j++) {
        const fp_run *run = &pass->runs[j];
        for (size_t item = 0; item < run->n_rows; item++) {
            const size_t row = run->first_row + item;
            fp_scale(q + row * width, width,
                     plan_query_factor_at(&a->query_factor, position_of(run, item, row)));
        }
    }
}
