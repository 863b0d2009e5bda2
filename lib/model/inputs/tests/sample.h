/* Samples with media for tests: plans with nothing but a tower's input, items, tokens as letters.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_TESTS_SAMPLE_H
#define MODEL_INPUTS_TESTS_SAMPLE_H

#include "model/inputs/media_list.h"

enum { SAMPLE_IMAGE = 90, SAMPLE_VIDEO = 91, SAMPLE_MOST = 64 };

/* A tower that merges 2 × 2 patches, with rows of 3 pixels. */
extern const plan_tower sample_tower;

/* Tokens as letters: i an image's placeholder, v a video's, others text. Returns how many. */
size_t sample_tokens(const char *letters, int32_t tokens[SAMPLE_MOST]);

/* An image or video without pixels. Static memory of the caller. */
typedef struct sample_medium {
    int32_t grid[3];
    float seconds; /* 0: not stated */
    assay_tensor tensors[3];
} sample_medium;

/* The item of a medium, whose grid is set. */
assay_item sample_item(sample_medium *m, assay_item_kind kind);

#endif
