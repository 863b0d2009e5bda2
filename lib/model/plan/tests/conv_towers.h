/* A small convolutional tower with every kind of block, and its results in timm (1.0.31, float64).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_TESTS_CONV_TOWERS_H
#define MODEL_PLAN_TESTS_CONV_TOWERS_H

#include "model/plan/plan.h"

enum { CONV_CHANNELS = 3, CONV_HIDDEN = 8, CONV_HEIGHT = 22, CONV_WIDTH = 13 };

/* Element i of tensor `seed`: ((7·i + 13·seed) mod 17 - 8) / 16. */
double conv_number(size_t seed, size_t i);

/* 3 channels; stem of 8; an edge residual; an inverted residual with both depthwise convolutions; attention
 * whose keys have a stride of 2; an inverted residual with one; fusion of the second and the last of them
 * into side × side rows of 8. Free it with conv_tower_free. No out_norm, no merger. */
void conv_tower_make(plan_tower *tower, size_t side, array_list *arrays);
void conv_tower_free(plan_tower *tower);

/* The image [3, height, width] that the results are for: twice the numbers of tensor 1. */
void conv_image(double *pixels, size_t height, size_t width);

/* [side², 8]: CONV_HEIGHT × CONV_WIDTH pixels with side 2 (means) and side 4 (two taps an axis), and 17 × 16
 * pixels with side 2 (two taps an axis). */
extern const double conv_averaged[32], conv_interpolated[128], conv_other[32];

#endif
