/* The patches of the images and videos of one sample, and their order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_PATCHES_H
#define REF_PATCHES_H

#include <assay/status.h>

#include "model/plan/tower.h"

/* A patch: the medium that it belongs to, its frame, and its row and column in the frame. */
typedef struct ref_patch {
    size_t medium, frame, row, column;
} ref_patch;

/* The patches of some media, one medium after the other.
 * grids: [n_media], [t, h, w] each, owned.
 * first: [n_media + 1], the index of a medium's first patch, owned; first[n_media] is n.
 * patch: [n], owned. */
typedef struct ref_patches {
    size_t n_media, n;
    size_t (*grids)[3];
    size_t *first;
    ref_patch *patch;
} ref_patches;

/* The index, among the patches of a medium with this grid, of the patch at a frame, row and column. side: m,
 * which divides h and w; without meaning for raster order. */
size_t ref_patches_index(plan_patch_order order, size_t side, const size_t grid[3], size_t frame, size_t row,
                         size_t column);

/* Fills *out with the patches of media with these grids. Fails with ASSAY_ENOMEM, *out empty. The caller
 * frees *out with ref_patches_free. */
assay_status ref_patches_make(plan_patch_order order, size_t side, const size_t (*grids)[3], size_t n_media,
                              ref_patches *out);
void ref_patches_free(ref_patches *patches);

/* The number of segments in which the patches of a medium attend to each other: its frames; or, if window is
 * not 0, squares of window × window patches of each frame, from its first row and column on. */
size_t ref_patches_segments(const size_t grid[3], size_t window);

/* The segment of its medium that a patch belongs to. */
size_t ref_patches_segment(const ref_patch *patch, const size_t grid[3], size_t window);

#endif
