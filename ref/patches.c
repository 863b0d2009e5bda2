/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/patches.h"

#include <stdlib.h>
#include <string.h>

size_t ref_patches_index(plan_patch_order order, size_t side, const size_t grid[3], size_t frame, size_t row,
                         size_t column)
{
    const size_t h = grid[1], w = grid[2], before = frame * h * w; /* patches of earlier frames */
    if (order == PLAN_PATCHES_RASTER) return before + row * w + column;
    const size_t block = row / side * (w / side) + column / side;
    return before + block * side * side + row % side * side + column % side;
}

/* Fills in the patches of one medium. */
static void place_patches(plan_patch_order order, size_t side, size_t medium, const size_t grid[3],
                          ref_patch *patch)
{
    for (size_t t = 0; t < grid[0]; t++)
        for (size_t y = 0; y < grid[1]; y++)
            for (size_t x = 0; x < grid[2]; x++)
                patch[ref_patches_index(order, side, grid, t, y, x)] = (ref_patch){medium, t, y, x};
}

assay_status ref_patches_make(plan_patch_order order, size_t side, const size_t (*grids)[3], size_t n_media,
                              ref_patches *out)
{
    ref_patches made = {.n_media = n_media};
    for (size_t m = 0; m < n_media; m++) made.n += grids[m][0] * grids[m][1] * grids[m][2];
    made.grids = calloc(n_media + 1, sizeof *made.grids);
    made.first = calloc(n_media + 1, sizeof *made.first);
    made.patch = calloc(made.n + 1, sizeof *made.patch);
    *out = (ref_patches){0};
    if (!made.grids || !made.first || !made.patch) {
        ref_patches_free(&made);
        return ASSAY_ENOMEM;
    }
    for (size_t m = 0; m < n_media; m++) {
        memcpy(made.grids[m], grids[m], sizeof grids[m]);
        made.first[m + 1] = made.first[m] + grids[m][0] * grids[m][1] * grids[m][2];
        place_patches(order, side, m, grids[m], made.patch + made.first[m]);
    }
    *out = made;
    return ASSAY_OK;
}

void ref_patches_free(ref_patches *patches)
{
    free(patches->grids);
    free(patches->first);
    free(patches->patch);
    *patches = (ref_patches){0};
}

static size_t divide_up(size_t n, size_t by)
{
    return n / by + (n % by != 0);
}

size_t ref_patches_segments(const size_t grid[3], size_t window)
{
    if (window == 0) return grid[0];
    return grid[0] * divide_up(grid[1], window) * divide_up(grid[2], window);
}

size_t ref_patches_segment(const ref_patch *patch, const size_t grid[3], size_t window)
{
    if (window == 0) return patch->frame;
    const size_t rows = divide_up(grid[1], window), columns = divide_up(grid[2], window);
    return (patch->frame * rows + patch->row / window) * columns + patch->column / window;
}
