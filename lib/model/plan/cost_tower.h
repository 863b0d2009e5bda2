/* The minimum cost of a tower: multiply-adds, and bytes of weights. What is not counted is as in cost.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_COST_TOWER_H
#define MODEL_PLAN_COST_TOWER_H

#include "model/plan/plan.h"

/* Counts that do not refer to the plan, which may be freed; all 0 without a tower.
 *
 * weight_bytes:      of all weights, as the checkpoint stores them, read once for each image; the whole
 *                    table of positions is counted.
 * patch, merged:     multiply-adds of products with weights, of one patch and of one row of features (of a
 *                    convolutional tower, of all rows of an image).
 * n_query, n_window: sums of n_heads * head_dim over the layers that attend within a frame, and over those
 *                    that attend within a window.
 * tiles:             the tiles of an image, which attend to each other as one frame; 0: none.
 * pixel, pair:       of a convolutional tower: multiply-adds for each pixel of the image, and for each pair
 *                    of them, as if the strides divided its sides.
 * block, window:     sides, in patches, of the square that gives a row of features, and of a window. */
typedef struct plan_cost_tower {
    uint64_t weight_bytes, patch, merged;
    size_t n_query, n_window, block, window, tiles;
    double pixel, pair;
} plan_cost_tower;

plan_cost_tower plan_cost_tower_read(const plan_tower *tower);

/* Multiply-adds of an image or video with this grid of patches: products with weights, and scores and sums
 * over all keys of each segment. */
double plan_cost_tower_multiplies(const plan_cost_tower *cost, const size_t grid[3]);

#endif
