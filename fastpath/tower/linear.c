/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/linear.h"

#include "fastpath/ops.h"

/* What follows a product, row by row. */
typedef struct finishing {
    const fp_pass *pass;
    float *y;
    size_t n_rows, width;
    const float *bias;
    float least, most;
    bool is_clamped, is_activated;
    assay_activation activation;
} finishing;

enum { ROWS_PER_ITEM = 8 };

/* A NaN stays NaN. */
static void clamp(float *y, const float *x, size_t n, float least, float most)
{
    for (size_t i = 0; i < n; i++) y[i] = x[i] < least ? least : x[i] > most ? most : x[i];
}

static void finish_item(void *context, size_t item)
{
    const finishing *job = context;
    const size_t first = item * ROWS_PER_ITEM,
                 end = first + ROWS_PER_ITEM < job->n_rows ? first + ROWS_PER_ITEM : job->n_rows;
    for (size_t r = first; r < end; r++) {
        float *y = job->y + r * job->width;
        if (job->bias) fp_add(y, job->bias, job->width);
        if (job->is_clamped) clamp(y, y, job->width, job->least, job->most);
        if (job->is_activated)
            job->pass->model->kernels.op.gate.f32(y, y, job->pass->model->ones, job->width, job->activation);
    }
}

static void finish_rows(const fp_pass *pass, finishing *job)
{
    enum { COST = 8 }; /* about what an element costs, in multiplications */
    if (!job->bias && !job->is_clamped && !job->is_activated) return;
    job->pass = pass;
    fp_pool_run(pass->model->pool, (job->n_rows + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM,
                ROWS_PER_ITEM * job->width * COST, finish_item, job);
}

static assay_status multiply(const fp_pass *pass, float *y, const float *x, size_t n_rows, fp_tower_linear w)
{
    const size_t mark = pass->scratch->n, n_in = w.packed->weight.packed.n_in;
    if (w.clamp->present) {
        float *clamped = fp_scratch_floats(pass->scratch, n_rows, n_in);
        if (!clamped) return ASSAY_ENOMEM;
        clamp(clamped, x, n_rows * n_in, (float)w.clamp->input_min, (float)w.clamp->input_max);
        x = clamped;
    }
    fp_product(pass, y, x, n_rows, &w.packed->weight);
    pass->scratch->n = mark;
    return ASSAY_OK;
}

static finishing finishing_of(float *y, size_t n_rows, fp_tower_linear w)
{
    return (finishing){.y = y,
                       .n_rows = n_rows,
                       .width = w.packed->weight.packed.n_out,
                       .bias = w.packed->bias,
                       .is_clamped = w.clamp->present,
                       .least = (float)w.clamp->output_min,
                       .most = (float)w.clamp->output_max};
}

assay_status fp_tower_linear_run(const fp_pass *pass, float *y, const float *x, size_t n_rows,
                                 fp_tower_linear w)
{
    const assay_status rc = multiply(pass, y, x, n_rows, w);
    finishing job = finishing_of(y, n_rows, w);
    if (rc == ASSAY_OK) finish_rows(pass, &job);
    return rc;
}

assay_status fp_tower_linear_activate(const fp_pass *pass, float *y, const float *x, size_t n_rows,
                                      fp_tower_linear w, assay_activation activation)
{
    const assay_status rc = multiply(pass, y, x, n_rows, w);
    finishing job = finishing_of(y, n_rows, w);
    job.is_activated = true;
    job.activation = activation;
    if (rc == ASSAY_OK) finish_rows(pass, &job);
    return rc;
}

void fp_tower_activate(const fp_pass *pass, float *x, size_t n_rows, size_t width,
                       assay_activation activation)
{
    finishing job = {
        .y = x, .n_rows = n_rows, .width = width, .is_activated = true, .activation = activation};
    finish_rows(pass, &job);
}
