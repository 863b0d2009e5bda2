/* From pixels to the arrays that a model takes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_PATCHES_H
#define IMAGE_PATCHES_H

#include "image/crops.h"
#include "image/pixels.h"
#include "image/resize_rule.h"
#include "image/settings.h"

/* The input of a model for one still image. */
typedef struct image_input {
    image_size size;          /* grid_t, grid_h, grid_w: the row of image_grid_thw */
    image_layout crops;       /* the frames of the grid after the first, which is the whole image; 0: none */
    size_t n_rows, row_width; /* with IMAGE_ROWS_TILES: max_image_tiles, 3 * tile_size^2 */
    float *pixel_values;      /* [n_rows, row_width]; owned */
    int64_t *positions; /* [n_rows, 2] (column, row), -1 in rows of padding: image_position_ids; owned; NULL
                         * unless the rows are in raster order */
} image_input;

/* Resizes, rescales, normalises and divides an image, in this order, each as far as the config says so.
 * Values are bit-identical to those of transformers 5.23 with its PIL backend: value * rescale_factor in
 * double, rounded to float; then (value - mean) / std in float. Row order and elements: image_rows in
 * image/settings.h; all temporal_patch_size frames of a patch are equal. Raster rows are padded with zeros to
 * max_soft_tokens * merge_size^2. With IMAGE_RULE_CROPS the rows are those of the whole image, then those of
 * its crops, row by row; those of mlx-vlm. Fails with ASSAY_EUNSUPPORTED if a crop is empty, with
 * ASSAY_EINVAL for the config of a video, as image_size_resolve and image_resample do, or with ASSAY_ENOMEM.
 * *out is untouched on failure; free it with image_input_free.
 */
assay_status image_patches_make(const image_config *config, const image_pixels *image, image_input *out,
                                assay_error *err);

void image_input_free(image_input *input);

#endif
