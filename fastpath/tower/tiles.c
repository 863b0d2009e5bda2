/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/tiles.h"

#include <string.h>

#include "fastpath/ops.h"
#include "fastpath/pack_matrix.h"

bool fp_tiles_patches(fp_layout *l, const plan_tower *tower, fp_scratch *scratch)
{
    const size_t n_each = tower->tiles.n * tower->tiles.side * tower->tiles.side;
    l->n_rows = l->n_frames * n_each;
    l->is_reordered = false;
    l->patch = fp_scratch_alloc(scratch, l->n_rows, 1, sizeof *l->patch);
    if (!l->patch) return false;
    for (size_t f = 0; f < l->n_frames; f++) l->frames[f].first_row = f * n_each;
    for (size_t r = 0; r < l->n_rows; r++) l->patch[r] = (fp_patch){.frame = r / n_each, .input = r};
    return true;
}

/* Adds the rows of one image that are padding, or those that are not. */
static void add_rows(fp_layout *l, const plan_tiles *tiles, size_t frame, bool padding, size_t *row)
{
    const size_t n = plan_tiles_rows(tiles),
                 n_own = plan_tiles_of(tiles, medium_ratio(l->frames[frame].medium));
    for (size_t tile = 0; tile < tiles->n; tile++)
        for (size_t i = 0; i < tiles->padded; i++) {
            if ((tile >= n_own || i >= n) != padding) continue;
            l->patch[*row] =
                (fp_patch){(int32_t)tile, (int32_t)i, frame, (frame * tiles->n + tile) * tiles->padded + i};
            if (i < n) l->member[(frame * tiles->n + tile) * n + i] = *row;
            (*row)++;
        }
}

bool fp_tiles_rows(fp_layout *l, const plan_tower *tower, fp_scratch *scratch)
{
    const plan_tiles *tiles = &tower->tiles;
    const size_t n_each = tiles->n * tiles->padded, n_pages = (n_each + ASSAY_PAGE - 1) / ASSAY_PAGE;
    l->n_rows = l->n_frames * n_each;
    l->n_members = 1;
    l->n_tokens = l->n_features = l->n_frames * tiles->n * plan_tiles_rows(tiles);
    l->is_reordered = true;
    l->windows = (fp_segments){0};
    l->patch = fp_scratch_alloc(scratch, l->n_rows, 1, sizeof *l->patch);
    l->member = l->patch ? fp_scratch_alloc(scratch, l->n_tokens, 1, sizeof *l->member) : NULL;
    l->feature = l->member ? fp_scratch_alloc(scratch, l->n_tokens, 1, sizeof *l->feature) : NULL;
    l->whole.list = l->feature ? fp_scratch_alloc(scratch, l->n_frames, 1, sizeof(fp_segment)) : NULL;
    if (!l->whole.list) return false;
    for (size_t i = 0; i < l->n_tokens; i++) l->feature[i] = i;
    l->whole.n = l->n_frames;
    l->whole.n_pages = l->n_frames * n_pages;
    for (size_t f = 0, row = 0; f < l->n_frames; f++) {
        const size_t first = row;
        l->frames[f].first_row = first;
        add_rows(l, tiles, f, false, &row);
        const size_t n_open = row - first;
        add_rows(l, tiles, f, true, &row);
        l->whole.list[f] = (fp_segment){first, n_each, f * n_pages, n_open};
    }
    return true;
}

static void add_scaled(float *y, const float *x, size_t n, double factor)
{
    for (size_t i = 0; i < n; i++) y[i] = (float)((double)y[i] + factor * (double)x[i]);
}

/* x: [D]; row: scratch, [D]. */
static void add_of_tile(float *x, const fp_matrix *table, size_t index, double factor, float *row)
{
    fp_matrix_unpack(table, index, row);
    add_scaled(x, row, table->packed.n_in, factor);
}

static size_t ratio_of(const fp_tower_pass *v, size_t frame)
{
    return medium_ratio(v->layout.frames[frame].medium);
}

typedef struct placing {
    const fp_tower_pass *v;
    const float *patches;
    float *x, *scratch; /* [P, D] both */
    double before, positions, after;
} placing;

/* Row r of the layout: a class row, a patch or padding. */
static void place_item(void *context, size_t r)
{
    const placing *job = context;
    const plan_tiles *tiles = &job->v->tower->tiles;
    const fp_tiles *w = &job->v->packed->tiles;
    const fp_patch *patch = &job->v->layout.patch[r];
    const size_t d = job->v->tower->hidden, n = plan_tiles_rows(tiles),
                 ratio = ratio_of(job->v, patch->frame), tile = (size_t)patch->y, i = (size_t)patch->x;
    float *x = job->x + r * d, *row = job->scratch + r * d;
    if (i >= n) {
        memset(x, 0, d * sizeof *x);
        return;
    }
    if (i == 0) memcpy(x, w->class_row, d * sizeof *x);
    else {
        memcpy(x, job->patches + ((patch->frame * tiles->n + tile) * (n - 1) + i - 1) * d, d * sizeof *x);
        add_of_tile(x, &w->before, ratio * tiles->n + tile, job->before, row);
    }
    add_of_tile(x, &w->positions, i, 1 - job->positions, row);
    add_of_tile(x, &w->tile_positions, (ratio * tiles->n + tile) * n + i, job->positions, row);
}

/* The norm of the rows that are not zeros. Rows of a tile follow each other, except for padding of others. */
static void norm_rows(fp_tower_pass *v, float *x)
{
    const size_t d = v->tower->hidden, n = plan_tiles_rows(&v->tower->tiles);
    for (size_t first = 0, count; first < v->layout.n_rows; first += count) {
        const bool is_zero = (size_t)v->layout.patch[first].x >= n;
        for (count = 1; first + count < v->layout.n_rows; count++)
            if (((size_t)v->layout.patch[first + count].x >= n) != is_zero) break;
        if (!is_zero) fp_norm_run(&v->pass, x + first * d, x + first * d, count, d, &v->packed->in_norm);
    }
}

enum { COST = 64 }; /* of an element, in multiplications */

assay_status fp_tiles_place(fp_tower_pass *v, float *patches, float *x)
{
    const fp_tiles *w = &v->packed->tiles;
    const size_t mark = v->pass.scratch->n, d = v->tower->hidden;
    placing job = {.v = v,
                   .patches = patches,
                   .x = x,
                   .scratch = fp_scratch_floats(v->pass.scratch, v->layout.n_rows, d),
                   .before = fp_gate_value(w->before_gate),
                   .positions = fp_gate_value(w->positions_gate)};
    if (!job.scratch) return ASSAY_ENOMEM;
    fp_pool_run(v->pass.model->pool, v->layout.n_rows, d * COST, place_item, &job);
    norm_rows(v, x);
    v->pass.scratch->n = mark;
    return ASSAY_OK;
}

static void second_item(void *context, size_t r)
{
    const placing *job = context;
    const fp_patch *patch = &job->v->layout.patch[r];
    const size_t d = job->v->tower->hidden;
    add_of_tile(job->x + r * d, &job->v->packed->tiles.after,
                ratio_of(job->v, patch->frame) * job->v->tower->tiles.n + (size_t)patch->y, job->after,
                job->scratch + r * d);
}

assay_status fp_tiles_second(fp_tower_pass *v, float *x)
{
    const size_t mark = v->pass.scratch->n, d = v->tower->hidden;
    placing job = {.v = v,
                   .x = x,
                   .scratch = fp_scratch_floats(v->pass.scratch, v->layout.n_rows, d),
                   .after = fp_gate_value(v->packed->tiles.after_gate)};
    if (!job.scratch) return ASSAY_ENOMEM;
    fp_norm_run(&v->pass, x, x, v->layout.n_rows, d, &v->packed->tiles.middle);
    fp_pool_run(v->pass.model->pool, v->layout.n_rows, d * COST, second_item, &job);
    v->pass.scratch->n = mark;
    return ASSAY_OK;
}

void fp_tiles_collect(fp_tower_pass *v, size_t i, const float *x)
{
    const plan_tiles *tiles = &v->tower->tiles;
    const size_t n = v->layout.n_rows * v->tower->hidden;
    for (size_t k = 0; k < tiles->n_collected; k++)
        if (tiles->collected[k] == i) memcpy(v->collected + k * n, x, n * sizeof *x);
}

void fp_tiles_join(const fp_tower_pass *v, const float *x, size_t r, float *out)
{
    const size_t d = v->tower->hidden, n = v->tower->tiles.n_collected, n_all = v->layout.n_rows * d;
    memcpy(out, x + r * d, d * sizeof *out);
    for (size_t k = 0; k < n; k++)
        for (size_t c = 0; c < d; c++) out[d + c * n + k] = v->collected[k * n_all + r * d + c];
}
