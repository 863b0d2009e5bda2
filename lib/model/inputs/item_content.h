/* What an item of a step says, checked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_ITEM_CONTENT_H
#define MODEL_INPUTS_ITEM_CONTENT_H

#include <assay/engine.h>

#include <stdbool.h>

#include "model/plan/tower.h"

/* What an item says of its image, video or audio clip.
 * tower:    that of the plan which evaluates it.
 * pixels:   [n_patches, W], borrowed from the item, of a floating type; NULL if the item has none. With tiles
 *           [T, C, g·S, g·S], the tiles as images. Of an audio clip its spectrogram [bins, pitch], of which
 * each bin has n_frames values; the grid is [1, 1, n_patches]. ratio:    of tiles, from 1 on; 0 without
 * tiles. layout:   rows and columns of the crops of an image; 0 without crops. n_tokens: placeholder tokens,
 * the leading ones included. n_rows: of features. interval: positions from one frame to the next. Published
 * code multiplies it with the number of a frame in float32, or in double where its seconds are double, and
 * drops the fraction. */
typedef struct item_content {
    const plan_tower *tower;
    size_t grid[3], layout[2];
    size_t n_frames, pitch;
    size_t n_patches, n_tokens, n_rows, ratio;
    const void *pixels;
    assay_dtype dtype;
    double interval;
    bool interval_is_double;
} item_content;

#endif
