/* A prompt with two images for the checkpoint qwen3_vl/base.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_TESTS_PICTURES_H
#define REF_TESTS_PICTURES_H

#include <assay/engine.h>

/* The placeholder token of images; rows of pixels: channels × frames × patch². */
enum { PICTURES_TOKEN = 93, PICTURES_WIDTH = 3 * 2 * 4 * 4, PICTURES_N = 2, PICTURES_TOKENS = 15 };

/* Two of text, 6 of the first image (grid 1 × 4 × 6), two of text, 3 of the second (1 × 6 × 2), two of text.
 */
extern const int32_t PICTURES_PROMPT[PICTURES_TOKENS];
enum { PICTURES_FIRST = 2, PICTURES_FIRST_END = 8, PICTURES_SECOND = 10, PICTURES_SECOND_END = 13 };

/* The positions of the prompt, [3, PICTURES_TOKENS]: after an image of R × C merged patches, max(R, C) later.
 */
extern const int32_t PICTURES_POSITIONS[3 * PICTURES_TOKENS];

/* [PICTURES_N], with pixels between -1 and 1. Static memory. */
const assay_item *pictures_items(void);
/* The same images without pixels. */
const assay_item *pictures_grids(void);

#endif
