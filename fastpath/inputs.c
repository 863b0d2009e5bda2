/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/inputs.h"

#include <string.h>

/* Rows in one type. The arrays follow each other in pass->narrow. */
typedef struct rows {
    const fp_coded *type;
    fp_narrow_i8_fn *narrow;
    const float *x;
    const int32_t *order; /* of the matrix's columns, for which `ordered` has space; or NULL */
    float *ordered;
    size_t width, block, group; /* group: of the weights, where they take codes; 0: they take floats */
    float *y;                   /* [n_rows, width], floats */
    float *scale;               /* [n_rows, scales] */
    int32_t *sum;               /* likewise */
    float *excess;              /* [n_rows, width / block] */
    int8_t *codes;              /* [n_rows, width] */
    size_t scales;              /* of a row: one for each group of weights, or for each block */
} rows;

/* From blocks to the smaller groups of the weights. From the last one on, since they are in one array. */
static void divide_blocks(const rows *job, float *scale, int32_t *sum, const int8_t *codes)
{
    for (size_t g = job->scales; g-- > 0;) {
        scale[g] = scale[g * job->group / job->block];
        sum[g] = 0;
        for (size_t i = 0; i < job->group; i++) sum[g] += codes[g * job->group + i];
    }
}

const float *fp_inputs_order(const float *x, size_t row, size_t n, const int32_t *order, float *ordered)
{
    x += row * n;
    if (!order) return x;
    ordered += row * n;
    for (size_t i = 0; i < n; i++) ordered[i] = x[order[i]];
    return ordered;
}

static void convert_row(void *context, size_t row)
{
    const rows *job = context;
    const size_t n = job->width;
    const float *x = fp_inputs_order(job->x, row, n, job->order, job->ordered);
    float *y = job->y + row * n, *scale = job->scale + row * job->scales;
    int32_t *sum = job->sum + row * job->scales;
    int8_t *codes = job->codes + row * n;
    if (!job->type->convert) {
        fp_coded_round(y, x, n, job->type->rounded);
        return;
    }
    job->type->convert(codes, scale, sum, job->excess + row * (n / job->block), x, n, job->narrow);
    if (job->group && job->group < job->block) divide_blocks(job, scale, sum, codes);
    for (size_t i = 0; !job->group && i < n; i++) y[i] = scale[i / job->block] * (float)codes[i];
}

static rows lay_out(const fp_pass *pass, const fp_matrix *w, size_t n_rows)
{
    rows job = {.type = w->inputs,
                .narrow = pass->model->kernels.narrow_i8,
                .order = w->order,
                .ordered = pass->ordered,
                .width = w->packed.n_in};
    job.block = w->inputs->block ? w->inputs->block : job.width;
    if (w->x == ASSAY_I8) job.group = w->packed.group;
    job.scales = job.width / (job.group ? job.group : job.block);
    job.y = pass->narrow;
    job.scale = job.y + n_rows * job.width;
    job.sum = (int32_t *)(void *)(job.scale + n_rows * job.scales);
    job.excess = (float *)(void *)(job.sum + n_rows * job.scales);
    job.codes = (int8_t *)(job.excess + n_rows * (job.width / job.block));
    return job;
}

const float *fp_inputs_convert(const fp_pass *pass, assay_product *of, const float *x, const fp_matrix *w)
{
    enum { COST = 8 }; /* of an element, in multiplications */
    rows job = lay_out(pass, w, of->n_rows);
    job.x = x;
    of->x = job.group ? (const void *)job.codes : job.y;
    of->x_scale = job.scale;
    of->x_sum = job.sum;
    fp_pool_run(pass->model->pool, of->n_rows, job.width * COST, convert_row, &job);
    return w->minimums ? job.excess : NULL;
}

void fp_inputs_add_minimums(const assay_product *done, const fp_matrix *w, const float *excess)
{
    const size_t n = w->packed.n_in / w->inputs->block, first = done->first_panel * w->packed.panel;
    const size_t left = w->packed.n_out - first, all = done->n_panels * w->packed.panel;
    for (size_t r = 0; r < done->n_rows; r++)
        for (size_t g = 0; g < n; g++) {
            const float *minimums = w->minimums + g * w->packed.n_out + first, factor = excess[r * n + g];
            float *y = done->y + r * done->ld_y + first;
            for (size_t o = 0; o < (all < left ? all : left); o++) y[o] += factor * minimums[o];
        }
}
