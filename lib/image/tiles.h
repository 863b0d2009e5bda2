/* Images cut into tiles (Llama 3.2 Vision).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_TILES_H
#define IMAGE_TILES_H

#include "image/pixels.h"
#include "image/resize_rule.h"

/* The number, from 1 on, of rows × columns among all ways of cutting into at most `most` tiles, rows first.
 */
int64_t image_tiles_ratio(int64_t most, int64_t rows, int64_t columns);

/* Fills tiles: [grid_h · grid_w, 3, tile_size, tile_size], of the resized image. level: [3, 256], the value
 * of each level of each channel; below and right of the image the level is 0. */
void image_tiles_fill(const image_config *config, const image_size *size, const image_pixels *image,
                      const float *level, float *tiles);

#endif
