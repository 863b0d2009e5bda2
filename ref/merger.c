/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/merger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ref/arithmetic/weight.h"
#include "ref/mlp.h"

/* The first element of the row of a patch. */
static const ref_real *patch_row(const ref_real *x, const ref_patches *patches, plan_patch_order order,
                                 size_t merge, size_t width, const ref_patch *patch)
{
    const size_t index = ref_patches_index(order, merge, patches->grids[patch->medium], patch->frame,
                                           patch->row, patch->column);
    return x + (patches->first[patch->medium] + index) * width;
}

/* The numbers of a vector [n], or n times `absent`. NULL if out of memory. */
static ref_real *read_vector(const plan_weight *vector, size_t n, double absent)
{
    ref_real *out = ref_alloc(1, n);
    for (size_t i = 0; out && i < n; i++) out[i] = (ref_real)absent;
    if (out && vector->data) ref_weight_rows(vector, 0, 1, out);
    return out;
}

assay_status ref_pool(ref_real *y, const ref_patches *to, const ref_real *x, const ref_patches *from,
                      plan_patch_order order, size_t merge, size_t width, const plan_pooling *pooling)
{
    const size_t side = pooling->side;
    ref_real *bias = read_vector(&pooling->bias, width, 0), *scale = read_vector(&pooling->scale, width, 1);
    double *sum = calloc(width, sizeof *sum);
    const assay_status rc = bias && scale && sum ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t p = 0; rc == ASSAY_OK && p < to->n; p++) {
        const ref_patch *out = &to->patch[p];
        memset(sum, 0, width * sizeof *sum);
        for (size_t j = 0; j < side; j++)
            for (size_t i = 0; i < side; i++) {
                const ref_patch in = {out->medium, out->frame, out->row * side + j, out->column * side + i};
                const ref_real *row = patch_row(x, from, order, merge, width, &in);
                for (size_t d = 0; d < width; d++) sum[d] += (double)row[d];
            }
        for (size_t d = 0; d < width; d++) {
            const double mean = sum[d] / (double)(side * side);
            y[p * width + d] = (ref_real)((mean * pooling->factor - (double)bias[d]) * (double)scale[d]);
        }
    }
    free(bias);
    free(scale);
    free(sum);
    return rc;
}

/* out: [P / m², m², width], the rows of each block. */
static void concatenate_blocks(ref_real *out, const ref_real *x, const ref_patches *patches,
                               plan_patch_order order, size_t merge, size_t width)
{
    for (size_t medium = 0; medium < patches->n_media; medium++) {
        const size_t *grid = patches->grids[medium];
        for (size_t t = 0; t < grid[0]; t++)
            for (size_t y = 0; y < grid[1]; y += merge)
                for (size_t column = 0; column < grid[2]; column += merge)
                    for (size_t j = 0; j < merge; j++)
                        for (size_t i = 0; i < merge; i++) {
                            const ref_patch patch = {medium, t, y + j, column + i};
                            memcpy(out, patch_row(x, patches, order, merge, width, &patch),
                                   width * sizeof *out);
                            out += width;
                        }
    }
}

/* Of each row [m², width]: the m² values of each channel, one channel after the other. */
static void order_by_channel(ref_real *out, const ref_real *x, size_t n_rows, size_t n_members, size_t width)
{
    for (size_t r = 0; r < n_rows; r++, x += n_members * width, out += n_members * width)
        for (size_t k = 0; k < n_members; k++)
            for (size_t d = 0; d < width; d++) out[d * n_members + k] = x[k * width + d];
}

/* Rows on their way through a merger. */
typedef struct merging {
    const ref_patches *patches;
    plan_patch_order order;
    size_t merge;
    ref_real *x; /* [n, width], owned */
    size_t n, width;
    size_t row_end; /* 1: each row of merged patches ends with an added row */
} merging;

/* out: [n / m², m² · width] */
static assay_status concatenate(const merging *k, bool channels_first, ref_real *out)
{
    ref_real *rows = channels_first ? ref_alloc(k->n, k->width) : out;
    if (!rows) return ASSAY_ENOMEM;
    concatenate_blocks(rows, k->x, k->patches, k->order, k->merge, k->width);
    if (!channels_first) return ASSAY_OK;
    const size_t n_members = k->merge * k->merge;
    order_by_channel(out, rows, k->n / n_members, n_members, k->width);
    free(rows);
    return ASSAY_OK;
}

static void repeat_rows(const merging *k, ref_real *out)
{
    for (size_t i = 0; i < 2 * k->n; i++)
        memcpy(out + i * k->width, k->x + i / 2 * k->width, k->width * sizeof *out);
}

/* Copies n rows from *in to *out, and advances both. */
static void copy_rows(ref_real **out, const ref_real **in, size_t n, size_t width)
{
    memcpy(*out, *in, n * width * sizeof **out);
    *out += n * width;
    *in += n * width;
}

/* The rows of all images, those of each row of merged patches with `row_end` after them; or those of each
 * image with `begin` before and `end` after them. Of each vector [width]; NULL: none. */
static void add_rows(const merging *k, const ref_real *row_end, const ref_real *begin, const ref_real *end,
                     ref_real *out)
{
    const ref_real *x = k->x;
    for (size_t m = 0; m < k->patches->n_media; m++) {
        const size_t *grid = k->patches->grids[m], n_rows = grid[0] * grid[1] / k->merge;
        if (begin) copy_rows(&out, &(const ref_real *){begin}, 1, k->width);
        for (size_t y = 0; y < n_rows; y++) {
            copy_rows(&out, &x, grid[2] / k->merge + k->row_end, k->width);
            if (row_end) copy_rows(&out, &(const ref_real *){row_end}, 1, k->width);
        }
        if (end) copy_rows(&out, &(const ref_real *){end}, 1, k->width);
    }
}

static assay_status add_vectors(const merging *k, const plan_merger_step *step, ref_real *out)
{
    const bool ends = step->kind == PLAN_MERGER_ENDS;
    ref_real *first = read_vector(ends ? &step->begin : &step->row_end, k->width, 0),
             *last = ends ? read_vector(&step->end, k->width, 0) : NULL;
    const assay_status rc = first && (last || !ends) ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) add_rows(k, ends ? NULL : first, ends ? first : NULL, last, out);
    free(first);
    free(last);
    return rc;
}

/* out: the rows after the step. */
static assay_status run_step(const merging *k, const plan_merger_step *step, ref_real *out)
{
    switch (step->kind) {
    case PLAN_MERGER_NORM: return ref_norm(out, k->x, k->n, k->width, &step->norm);
    case PLAN_MERGER_CONCATENATE: return concatenate(k, step->channels_first, out);
    case PLAN_MERGER_LINEAR: return ref_linear(out, k->x, k->n, &step->linear);
    case PLAN_MERGER_MLP: return ref_mlp(out, k->x, k->n, &step->mlp);
    case PLAN_MERGER_REPEAT: repeat_rows(k, out); break;
    case PLAN_MERGER_ROW_ENDS:
    case PLAN_MERGER_ENDS: return add_vectors(k, step, out);
    case PLAN_MERGER_ACTIVATION:
        memcpy(out, k->x, k->n * k->width * sizeof *out);
        ref_activate(out, k->n * k->width, step->activation);
        break;
    }
    return ASSAY_OK;
}

/* The number of rows after a step. */
static size_t rows_after(const merging *k, const plan_merger_step *step)
{
    size_t n = k->n;
    if (step->kind == PLAN_MERGER_CONCATENATE) return n / (k->merge * k->merge);
    if (step->kind == PLAN_MERGER_ENDS) return n + 2 * k->patches->n_media;
    for (size_t m = 0; step->kind == PLAN_MERGER_ROW_ENDS && m < k->patches->n_media; m++)
        n += k->patches->grids[m][0] * k->patches->grids[m][1] / k->merge;
    return n;
}

static assay_status advance(merging *k, const plan_merger_step *step)
{
    const size_t width = plan_merger_step_width(step, k->width, k->merge);
    const size_t n = rows_after(k, step);
    ref_real *out = ref_alloc(n, width);
    const assay_status rc = out ? run_step(k, step, out) : ASSAY_ENOMEM;
    free(k->x);
    k->x = out;
    k->n = n;
    k->width = width;
    k->row_end += step->kind == PLAN_MERGER_ROW_ENDS;
    return rc;
}

assay_status ref_merge(ref_real *y, const ref_real *x, const ref_patches *patches, plan_patch_order order,
                       size_t merge, size_t width, const plan_merger *merger)
{
    merging k = {patches, order, merge, ref_alloc(patches->n, width), patches->n, width, 0};
    assay_status rc = k.x ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) memcpy(k.x, x, k.n * width * sizeof *x);
    for (size_t i = 0; rc == ASSAY_OK && i < merger->n_steps; i++) rc = advance(&k, &merger->steps[i]);
    if (rc == ASSAY_OK) memcpy(y, k.x, k.n * k.width * sizeof *y);
    free(k.x);
    return rc;
}

/* The patches of n crops in a line, one after the other, without the margins between them. */
static size_t joined_length(size_t n, size_t side, size_t margin)
{
    return n * side - 2 * margin * (n - 1);
}

/* The crop of n, and its patch, that is the i-th of the joined line. */
static void find_patch(size_t i, size_t n, size_t side, size_t margin, size_t *crop, size_t *patch)
{
    *crop = 0;
    *patch = i;
    while (*crop + 1 < n && *patch >= side - margin) {
        *patch -= side - 2 * margin;
        ++*crop;
    }
}

/* The first index of the i-th part of a line of `length` in `side` parts; halves are rounded to even. */
static size_t border(size_t i, size_t length, size_t side)
{
    const double size = (double)length / (double)side;
    return (size_t)nearbyint((double)i * size);
}

static size_t end_after(size_t first, size_t i, size_t length, size_t side)
{
    const size_t end = border(i + 1, length, side);
    return end > first + 1 ? end : first + 1;
}

/* y [width] = the mean over rows i and columns j of the joined crops that element (row, column) takes. */
static void average(ref_real *y, const ref_real *crops, size_t row, size_t column, size_t side,
                    const size_t layout[2], size_t margin, size_t width)
{
    const size_t height = joined_length(layout[0], side, margin),
                 length = joined_length(layout[1], side, margin);
    const size_t top = border(row, height, side), bottom = end_after(top, row, height, side),
                 left = border(column, length, side), right = end_after(left, column, length, side);
    for (size_t d = 0; d < width; d++) {
        double sum = 0;
        for (size_t i = top; i < bottom; i++)
            for (size_t j = left; j < right; j++) {
                size_t crop_row, crop_column, r, c;
                find_patch(i, layout[0], side, margin, &crop_row, &r);
                find_patch(j, layout[1], side, margin, &crop_column, &c);
                const size_t crop = crop_row * layout[1] + crop_column;
                sum += (double)crops[((crop * side + r) * side + c) * width + d];
            }
        y[d] = (ref_real)(sum / (double)((bottom - top) * (right - left)));
    }
}

/* Moondream 3 (mlx-vlm, models/moondream3/vision.py: VisionModel._reconstruct_local_features). */
void ref_crops_join(ref_real *y, const ref_real *x, size_t side, const size_t layout[2], size_t margin,
                    size_t width)
{
    const bool has_crops = layout[0] * layout[1] > 0;
    for (size_t i = 0; i < side * side; i++, y += 2 * width) {
        memcpy(y, x + i * width, width * sizeof *y);
        if (!has_crops) memcpy(y + width, x + i * width, width * sizeof *y);
        else average(y + width, x + side * side * width, i / side, i % side, side, layout, margin, width);
    }
}
