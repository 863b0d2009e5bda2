/* The size to which a processor resizes an image, its grid of patches, and its number of tokens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_RESIZE_RULE_H
#define IMAGE_RESIZE_RULE_H

#include <assay/status.h>

#include "image/settings.h"

typedef struct image_size {
    int64_t height, width;          /* pixels, resized */
    int64_t grid_t, grid_h, grid_w; /* patches; of IMAGE_RULE_TILES 1, rows and columns of tiles */
    int64_t n_tokens;               /* placeholder tokens; of an image with crops those of one of them */
} image_size;

/* Follows smart_resize (Qwen2-VL, PaddleOCR-VL, Qwen3-VL's videos) and get_aspect_ratio_preserving_size
 * (Gemma 4) of transformers 5.23, with Python's arithmetic: quotients are doubles, round() rounds half to
 * even.
 * height, width: of the image, at least 1, height * width <= IMAGE_PIXELS_MAX.
 * n_frames:      of a video, at least 1, at most 2^20; 0: a still image, which has one.
 * Fails with ASSAY_EINVAL if a size is out of range, or if n_frames does not agree with config->is_video, and
 * with ASSAY_EUNSUPPORTED if the published processor refuses the size. *out is untouched on failure. */
assay_status image_size_resolve(const image_config *config, int64_t height, int64_t width, int64_t n_frames,
                                image_size *out, assay_error *err);

/* Replaces the sides of an image by those to which it is resized first, before it is resized to the size of
 * image_size_resolve: with all rules but IMAGE_RULE_FIT_TWICE they stay. Fails with ASSAY_EUNSUPPORTED, the
 * sides untouched, if one would be 0. */
assay_status image_size_first(const image_config *config, int64_t *height, int64_t *width, assay_error *err);

#endif
