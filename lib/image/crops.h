/* The crops of an image that IMAGE_RULE_CROPS takes (mlx-vlm, models/moondream3/image_crops.py).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_CROPS_H
#define IMAGE_CROPS_H

#include "image/settings.h"

/* Rows and columns of crops. */
typedef struct image_layout {
    int64_t rows, columns; /* 0: there are none */
} image_layout;

/* A part of an image: rows top … bottom - 1, columns left … right - 1; empty if both are equal. */
typedef struct image_box {
    int64_t top, left, bottom, right;
} image_box;

/* The layout of at most max_crops - 1 crops that fits an image best: the smallest sum of how far their aspect
 * ratio and their size are from those of the image, on logarithmic scales, and of how many they are. height,
 * width: at least 1. */
image_layout image_crops_layout(const image_config *config, int64_t height, int64_t width);

/* What the crop in row r and column c takes of the image. */
image_box image_crops_box(const image_config *config, int64_t height, int64_t width, image_layout layout,
                          int64_t r, int64_t c);

#endif
