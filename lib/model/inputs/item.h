/* The tensors of an item of a step: found by their published names, and checked.
 *
 * Notation: as in model/plan/tower.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_ITEM_H
#define MODEL_INPUTS_ITEM_H

#include <assay/engine.h>

#include "model/inputs/item_content.h"
#include "model/plan/plan.h"

/* Tensors, with n of the published class's tower:
 *   image  pixel_values [P, W] or [P, C * F, S, S], image_grid_thw [1, 3] or [3];
 *          where tower.takes_places pixel_values [n, W] or [1, n, W] and image_position_ids [n, 2] or
 *          [1, n, 2], n >= P: the patches row by row, then any number of places (-1, -1), whose rows of
 *          pixels are not read;
 *          of a tower of kind PLAN_TOWER_TILES pixel_values [T, C, g·S, g·S], aspect_ratio_ids [1] or [], and
 *          aspect_ratio_mask [T], which may be absent: 1 for each tile that the image has; dimensions of 1
 *          may precede these;
 *          of a tower of kind PLAN_TOWER_CROPS also crop_layouts [1, 2] or [2], its rows and columns: the
 * first frame of the grid is the whole image, followed by its crops; (0, 0): it has none; of a convolutional
 * tower pixel_values [1, C, h, w] or [C, h, w] alone: the grid is [1, h, w] video  pixel_values_videos,
 * video_grid_thw; second_per_grid_ts [1] or [] where tower.tokens_per_second is not 0 (absent: one second);
 * video_second_per_grid [1] or [] with tower.spans_time audio clip  input_features [1, B, n] or [B, n], a
 * logarithmic mel spectrogram; feature_attention_mask [1, n] or [n], ones for the frames of the audio clip,
 * at least one, then zeros for padding, which is not read
 *
 * Grids and masks are I32 or I64, seconds F32 or F64, pixels F64, F32, F16 or BF16.
 *
 * needs_pixels: false: the pixels may be absent.
 *
 * Fails as media_list_add does for a single item, naming sample, item and tensor; *out is undefined then. */
assay_status item_read(const plan *p, const assay_step *step, size_t index, bool needs_pixels,
                       item_content *out, assay_error *err);

#endif
