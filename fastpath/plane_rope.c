/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/plane_rope.h"

#include <math.h>

#include "fastpath/ops.h"

static bool has_features(const fp_pass *pass)
{
    for (size_t j = 0; j < pass->n_runs; j++)
        for (size_t t = 0; pass->runs[j].placed && t < pass->runs[j].n_rows; t++)
            if (pass->runs[j].placed[t].features) return true;
    return false;
}

/* Where a patch is: y down, x to the right, from the middle of the image. */
typedef struct place {
    double y, x;
} place;

/* Of a patch in the plane of its image; a token without features is in the middle, where nothing turns. */
static place find_place(const fp_placed *placed)
{
    if (!placed || !placed->features) return (place){0, 0};
    const size_t *grid = medium_grid(fp_features_medium(placed->features)), n_rows = grid[1],
                 n_columns = grid[2];
    const size_t row = placed->row / n_columns, column = placed->row % n_columns;
    const double height = sqrt((double)n_rows / (double)n_columns), width = 1 / height;
    return (place){n_rows > 1 ? height * (2 * (double)row / (double)(n_rows - 1) - 1) : -height,
                   n_columns > 1 ? width * (2 * (double)column / (double)(n_columns - 1) - 1) : -width};
}

assay_status fp_plane_rope_make(fp_pass *pass)
{
    const plan_plane_rope *r = &pass->plan->plane_rope;
    if (!r->present || !has_features(pass)) return ASSAY_OK;
    const double *frequency = array_data(r->frequency.values);
    const size_t n = r->frequency.cols / 2; /* of all heads */
    float *cosine = fp_scratch_floats(pass->scratch, pass->n_rows, n);
    float *sine = cosine ? fp_scratch_floats(pass->scratch, pass->n_rows, n) : NULL;
    if (!sine) return ASSAY_ENOMEM;
    pass->plane_cosine = cosine;
    pass->plane_sine = sine;
    for (size_t j = 0; j < pass->n_runs; j++)
        for (size_t t = 0; t < pass->runs[j].n_rows; t++) {
            const place at = find_place(pass->runs[j].placed ? &pass->runs[j].placed[t] : NULL);
            for (size_t i = 0; i < n; i++) {
                const double angle = frequency[2 * i] * at.y + frequency[2 * i + 1] * at.x;
                *cosine++ = (float)cos(angle);
                *sine++ = (float)sin(angle);
            }
        }
    return ASSAY_OK;
}

typedef struct turning {
    const fp_pass *pass;
    float *heads;
    size_t n_heads, head_dim;
} turning;

static void turn_item(void *context, size_t row)
{
    const turning *job = context;
    const plan_plane_rope *r = &job->pass->plan->plane_rope;
    for (size_t h = row * job->n_heads; h < (row + 1) * job->n_heads; h++)
        job->pass->model->kernels.op.rope.f32(job->heads + h * job->head_dim + r->first, 1, r->dim, r->dim,
                                              true, job->pass->plane_cosine + h * (r->dim / 2),
                                              job->pass->plane_sine + h * (r->dim / 2));
}

void fp_plane_rope_run(const fp_pass *pass, size_t n_heads, size_t head_dim, float *heads)
{
    enum { COST = 8 }; /* cost of an element, in multiplications */
    if (!pass->plane_cosine) return;
    turning job = {pass, heads, n_heads, head_dim};
    fp_pool_run(pass->model->pool, pass->n_rows, n_heads * pass->plan->plane_rope.dim * COST, turn_item,
                &job);
}
