/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/layout.h"

#include <assert.h>

#include <assay/kernel.h>

static size_t pages_of(size_t n_rows)
{
    return (n_rows + ASSAY_PAGE - 1) / ASSAY_PAGE;
}

static void add_segment(fp_segments *s, size_t first_row, size_t n_rows)
{
    s->list[s->n++] = (fp_segment){first_row, n_rows, s->n_pages, n_rows};
    s->n_pages += pages_of(n_rows);
}

/* Side of a block of patches that make one token. */
static size_t token_side(const plan_tower *t)
{
    assert(t->merge == 1 || t->pooling.side == 1);
    return plan_tower_block(t);
}

/* A rectangle of patches of a frame. */
typedef struct area {
    size_t top, left, bottom, right;
} area;

typedef struct filling {
    fp_layout *l;
    const plan_tower *tower;
    size_t frame, row, first_token, first_feature;
    plan_merger_extra extra;
} filling;

static void add_patch(filling *job, size_t y, size_t x)
{
    const fp_frame *f = &job->l->frames[job->frame];
    const size_t m = job->tower->merge, side = token_side(job->tower);
    const size_t input = job->tower->patches.order == PLAN_PATCHES_BLOCKS
                             ? (y / m * (f->width / m) + x / m) * m * m + y % m * m + x % m
                             : y * f->width + x;
    const size_t token = job->first_token + y / side * (f->width / side) + x / side;
    job->l->feature[token] =
        job->first_feature + y / side * (f->width / side + job->extra.row_end) + x / side;
    job->l->member[token * job->l->n_members + y % side * side + x % side] = job->row;
    job->l->patch[job->row] = (fp_patch){(int32_t)y, (int32_t)x, job->frame, f->first_row + input};
    job->l->is_reordered |= f->first_row + input != job->row;
    job->row++;
}

/* Adds the patches of an area in the order of the input: blocks row by row, and each row by row. A raster has
 * one block. */
static void add_area(filling *job, area a)
{
    const bool blocks = job->tower->patches.order == PLAN_PATCHES_BLOCKS;
    const size_t high = blocks ? job->tower->merge : a.bottom - a.top,
                 wide = blocks ? job->tower->merge : a.right - a.left;
    for (size_t by = a.top; by < a.bottom; by += high)
        for (size_t bx = a.left; bx < a.right; bx += wide)
            for (size_t y = by; y < by + high; y++)
                for (size_t x = bx; x < bx + wide; x++) add_patch(job, y, x);
}

/* The rows of the result for a frame. */
static size_t features_of(const plan_tower *t, const fp_frame *f)
{
    return plan_tower_tokens(t, (const size_t[]){1, f->height, f->width});
}

static void add_frame(filling *job)
{
    const fp_frame *f = &job->l->frames[job->frame];
    const size_t side = job->tower->window * job->tower->merge, first_row = job->row;
    job->first_feature += job->extra.begin;
    if (side == 0) add_area(job, (area){0, 0, f->height, f->width});
    for (size_t y = 0; side > 0 && y < f->height; y += side)
        for (size_t x = 0; x < f->width; x += side) {
            const area a = {y, x, y + side < f->height ? y + side : f->height,
                            x + side < f->width ? x + side : f->width};
            const size_t first = job->row;
            add_area(job, a);
            add_segment(&job->l->windows, first, job->row - first);
        }
    add_segment(&job->l->whole, first_row, job->row - first_row);
    job->first_token += (job->row - first_row) / job->l->n_members;
    if (job->tower->kind != PLAN_TOWER_CROPS || f->index == 0)
        job->l->n_features += features_of(job->tower, f);
    job->first_feature = job->l->n_features;
}

static size_t windows_of(const plan_tower *t, const fp_frame *f)
{
    const size_t side = t->window * t->merge;
    return side ? (f->height + side - 1) / side * ((f->width + side - 1) / side) : 0;
}

bool fp_layout_make(fp_layout *l, const plan_tower *tower, fp_scratch *scratch)
{
    size_t n_windows = 0;
    l->n_rows = 0;
    for (size_t i = 0; i < l->n_frames; i++) {
        fp_frame *f = &l->frames[i];
        const size_t *grid = medium_grid(f->medium);
        f->height = grid[1];
        f->width = grid[2];
        f->first_row = l->n_rows;
        l->n_rows += f->height * f->width;
        n_windows += windows_of(tower, f);
    }
    l->n_members = token_side(tower) * token_side(tower);
    l->n_tokens = l->n_rows / l->n_members;
    l->n_features = 0;
    l->is_reordered = false;
    l->whole = l->windows = (fp_segments){0};
    l->patch = fp_scratch_alloc(scratch, l->n_rows, 1, sizeof *l->patch);
    l->member = l->patch ? fp_scratch_alloc(scratch, l->n_rows, 1, sizeof *l->member) : NULL;
    l->feature = l->member ? fp_scratch_alloc(scratch, l->n_tokens, 1, sizeof *l->feature) : NULL;
    l->whole.list = l->feature ? fp_scratch_alloc(scratch, l->n_frames, 1, sizeof(fp_segment)) : NULL;
    l->windows.list = l->whole.list ? fp_scratch_alloc(scratch, n_windows, 1, sizeof(fp_segment)) : NULL;
    if (!l->windows.list) return false;
    filling job = {.l = l, .tower = tower, .extra = plan_merger_extra_rows(&tower->merger)};
    for (; job.frame < l->n_frames; job.frame++) add_frame(&job);
    assert(job.row == l->n_rows && job.first_token == l->n_tokens);
    return true;
}
