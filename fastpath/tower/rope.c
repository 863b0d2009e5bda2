/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/rope.h"

#include "runtime/array.h"

/* Cosines and sines of every position along an axis: [n, dim / 2] each. */
typedef struct angles {
    size_t n;
    double *cosine, *sine;
} angles;

static bool make_angles(const plan_tower *tower, fp_scratch *scratch, size_t n, angles *a)
{
    const size_t count = n * (tower->rope.dim / 2);
    int32_t *position = fp_scratch_alloc(scratch, n, 1, sizeof *position);
    a->n = n;
    a->cosine = position ? fp_scratch_alloc(scratch, count, 2, sizeof *a->cosine) : NULL;
    if (!a->cosine) return false;
    a->sine = a->cosine + count;
    for (size_t i = 0; i < n; i++) position[i] = (int32_t)i;
    rope_tables(&tower->rope, array_data(tower->frequency.usual), position, 1, n, a->cosine, a->sine);
    return true;
}

assay_status fp_tower_ropes(fp_tower_pass *v)
{
    enum { HEIGHT = 1 };
    const plan_tower *t = v->tower;
    const fp_layout *l = &v->layout;
    if (!t->has_rope) return ASSAY_OK;
    const size_t n = t->rope.dim / 2;
    v->cosine = fp_scratch_floats(v->pass.scratch, l->n_rows, 2 * n);
    if (!v->cosine) return ASSAY_ENOMEM;
    v->sine = v->cosine + l->n_rows * n;
    size_t side = 1, mark = v->pass.scratch->n;
    for (size_t f = 0; f < l->n_frames; f++) {
        if (l->frames[f].height > side) side = l->frames[f].height;
        if (l->frames[f].width > side) side = l->frames[f].width;
    }
    angles a;
    const bool ok = make_angles(t, v->pass.scratch, side, &a);
    for (size_t i = 0; ok && i < n; i++) {
        const bool is_row = rope_axis(&t->rope, i) == HEIGHT;
        for (size_t r = 0; r < l->n_rows; r++) {
            const size_t at = (size_t)(is_row ? l->patch[r].y : l->patch[r].x) * n + i;
            v->cosine[r * n + i] = (float)a.cosine[at];
            v->sine[r * n + i] = (float)a.sine[at];
        }
    }
    v->pass.scratch->n = mark;
    return ok ? ASSAY_OK : ASSAY_ENOMEM;
}

typedef struct rotating {
    const fp_tower_pass *v;
    size_t first, n, n_heads, head_dim;
    float *x;
} rotating;

enum { ROWS_PER_ITEM = 16 };

/* Pairs i and i + dim/4 within each half of a head: two smaller heads with angles of their own. */
static void rotate_halves(const rotating *job, float *heads, const float *cosine, const float *sine)
{
    const size_t half = job->v->tower->rope.dim / 2;
    for (size_t h = 0; h < job->n_heads; h++)
        for (size_t j = 0; j < 2; j++)
            job->v->pass.model->kernels.op.rope.f32(heads + h * job->head_dim + j * half, 1, half, half,
                                                    false, cosine + j * half / 2, sine + j * half / 2);
}

static void rotate_item(void *context, size_t item)
{
    const rotating *job = context;
    const rope *r = &job->v->tower->rope;
    const size_t first = item * ROWS_PER_ITEM, n = r->dim / 2,
                 end = first + ROWS_PER_ITEM < job->n ? first + ROWS_PER_ITEM : job->n;
    for (size_t row = first; row < end; row++) {
        float *heads = job->x + row * job->n_heads * job->head_dim;
        const float *cosine = job->v->cosine + (job->first + row) * n,
                    *sine = job->v->sine + (job->first + row) * n;
        if (r->pairing == ROPE_PAIRS_QUARTER) rotate_halves(job, heads, cosine, sine);
        else
            job->v->pass.model->kernels.op.rope.f32(heads, job->n_heads, job->head_dim, r->dim,
                                                    r->pairing == ROPE_PAIRS_ADJACENT, cosine, sine);
    }
}

void fp_tower_rotate(const fp_tower_pass *v, size_t first, size_t n, size_t n_heads, size_t head_dim,
                     float *x)
{
    enum { COST = 8 }; /* of an element, in multiplications */
    if (!v->cosine) return;
    rotating job = {v, first, n, n_heads, head_dim, x};
    fp_pool_run(v->pass.model->pool, (n + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM,
                ROWS_PER_ITEM * n_heads * head_dim * COST, rotate_item, &job);
}
