/* Prompts with images, for measurements.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_PICTURES_H
#define CONFORMANCE_BENCH_PICTURES_H

#include "conformance/options/options.h"
#include "model/plan/plan.h"

#define CONF_BENCH_PICTURE_TEXT 16 /* tokens of text after the images */

/* What a tower takes. patch: side of a patch in pixels; 0: no images that these prompts can have. block:
 * patches along a side of the square that one token stands for. width: numbers of a row of pixel_values.
 * crop: patches along a side of a crop, of images that are seen whole and in crops; 0: no crops. */
typedef struct conf_bench_tower {
    size_t patch, block, width, crop;
    size_t row_end, ends; /* more tokens for each row of blocks, and for an image */
    int32_t image_token, video_token, audio_token;
} conf_bench_tower;

/* Of models whose images are pixel_values and image_grid_thw, which crops may follow. */
conf_bench_tower conf_bench_tower_of(const plan *p);

/* The number of tokens of a prompt with these images: before each one token of text, after the last
 * CONF_BENCH_PICTURE_TEXT. An image with crops is first in a prompt; its size is that of its crops side by
 * side. Fails with ASSAY_EINVAL if the model takes no images or not so many, or if a side is no multiple of
 * that of a token or of a crop. */
assay_status conf_bench_pictures_tokens(const conf_pictures *p, const conf_bench_tower *tower, size_t *n,
                                        assay_error *err);

/* The items of such a prompt; every image has its own pixels, because an engine may keep the features of an
 * image that it has seen. */
typedef struct conf_bench_items {
    assay_item *items;     /* [n] */
    assay_tensor *tensors; /* [3 n] */
    int32_t grid[3], layout[2];
    float *pixels; /* [n, patches, width] */
    size_t n;
} conf_bench_items;

/* Draws pixels from -1 to 1. False if out of memory. *out must not move; conf_bench_items_free frees it. */
bool conf_bench_items_draw(const conf_pictures *p, const conf_bench_tower *tower, uint64_t *state,
                           conf_bench_items *out);
void conf_bench_items_free(conf_bench_items *items);

/* Puts placeholder tokens into a drawn prompt, and removes those that were drawn. tokens:
 * [conf_bench_pictures_tokens]. */
void conf_bench_pictures_place(const conf_pictures *p, const conf_bench_tower *tower, int32_t *tokens);

#endif
