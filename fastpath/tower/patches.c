/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/patches.h"

#include <math.h>

#include "fastpath/ops.h"
#include "fastpath/tower/linear.h"
#include "fastpath/tower/table.h"

/* Rows of pixels of a block of patches. */
typedef struct reading {
    const fp_tower_pass *v;
    size_t first, n, width;
    double *wide;  /* [n, W] */
    float *pixels; /* [n, W] */
} reading;

enum { ROWS_PER_ITEM = 8 };

/* Rows are ordered (channel, frame, y, x); the weight's columns (frame, y, x, channel). */
static void put_channels_last(const plan_patches *p, const double *from, float *to)
{
    const size_t n = p->frames * p->size * p->size;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < p->channels; c++)
            to[i * p->channels + c] = (float)(from[c * n + i] * p->pixel_factor + p->pixel_offset);
}

static void convert_row(const plan_patches *p, size_t width, const double *from, float *to)
{
    if (p->weights_channels_last) put_channels_last(p, from, to);
    else
        for (size_t i = 0; i < width; i++) to[i] = (float)(from[i] * p->pixel_factor + p->pixel_offset);
}

static void read_item(void *context, size_t item)
{
    const reading *job = context;
    const fp_layout *l = &job->v->layout;
    const size_t first = item * ROWS_PER_ITEM,
                 end = first + ROWS_PER_ITEM < job->n ? first + ROWS_PER_ITEM : job->n;
    for (size_t r = first; r < end; r++) {
        const fp_patch *patch = &l->patch[job->first + r];
        const fp_frame *f = &l->frames[patch->frame];
        double *wide = job->wide + r * job->width;
        medium_pixels(f->medium, f->index * f->height * f->width + patch->input - f->first_row, 1, wide);
        convert_row(&job->v->tower->patches, job->width, wide, job->pixels + r * job->width);
    }
}

assay_status fp_patches_embed(fp_tower_pass *v, size_t first, size_t n, float *x)
{
    enum { COST = 16 }; /* of an element, in multiplications */
    const size_t mark = v->pass.scratch->n, width = v->tower->patches.embed.weight.cols;
    const fp_tower_linear embed = {&v->packed->embed, &v->tower->patches.embed.clamp};
    if (v->rows) return fp_tower_linear_run(&v->pass, x, v->rows + first * width, n, embed);
    reading job = {.v = v, .first = first, .n = n, .width = width};
    job.wide = fp_scratch_alloc(v->pass.scratch, n, width, sizeof *job.wide);
    job.pixels = job.wide ? fp_scratch_floats(v->pass.scratch, n, width) : NULL;
    if (!job.pixels) return ASSAY_ENOMEM;
    fp_pool_run(v->pass.model->pool, (n + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM, ROWS_PER_ITEM * width * COST,
                read_item, &job);
    const assay_status rc = fp_tower_linear_run(&v->pass, x, job.pixels, n, embed);
    v->pass.scratch->n = mark;
    return rc;
}

typedef struct placing {
    const fp_tower_pass *v;
    size_t first;
    float *x, *scratch; /* [n, D], [n, 2, D] */
} placing;

/* In double, rounded once. out: [n]. */
static void put_sinusoids(size_t i, float *out, size_t n)
{
    const size_t half = n / 2;
    for (size_t k = 0; k < half; k++) {
        const double angle = (double)i * pow(10000, -(double)k / (double)(half - 1));
        out[k] = (float)sin(angle);
        out[half + k] = (float)cos(angle);
    }
}

static void place_item(void *context, size_t item)
{
    const placing *job = context;
    const size_t hidden = job->v->tower->hidden;
    const fp_patch *patch = &job->v->layout.patch[job->first + item];
    float *position = job->scratch + item * 2 * hidden;
    const plan_table *table = &job->v->tower->table;
    if (table->kind == PLAN_TABLE_SINUSOIDS)
        put_sinusoids((size_t)patch->x % table->period, position, hidden);
    else
        fp_table_read(table, &job->v->packed->table, &job->v->layout.frames[patch->frame], patch, position,
                      position + hidden);
    fp_add(job->x + item * hidden, position, hidden);
}

assay_status fp_patches_place(fp_tower_pass *v, size_t first, size_t n, float *x)
{
    enum { COST = 64 }; /* of an element, in multiplications */
    const size_t mark = v->pass.scratch->n, hidden = v->tower->hidden;
    fp_norm_run(&v->pass, x, x, n, hidden, &v->packed->in_norm);
    if (v->tower->table.kind == PLAN_TABLE_NONE) return ASSAY_OK;
    placing job = {v, first, x, fp_scratch_floats(v->pass.scratch, n, 2 * hidden)};
    if (job.scratch) fp_pool_run(v->pass.model->pool, n, hidden * COST, place_item, &job);
    v->pass.scratch->n = mark;
    return job.scratch ? ASSAY_OK : ASSAY_ENOMEM;
}
