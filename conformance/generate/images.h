/* Image files as the items of a step: decoded, and preprocessed as the checkpoint's processor does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_GENERATE_IMAGES_H
#define CONFORMANCE_GENERATE_IMAGES_H

#include <assay/engine.h>

#include "image/settings.h"

/* items:    [n], one for each image, of kind ASSAY_ITEM_IMAGE: either pixel_values F32 [t * h * w, width]
 *           and image_grid_thw I32 [1, 3], or pixel_values F32 [1, patches, width] and image_position_ids
 *           I32 [1, patches, 2].
 * n_tokens: [n], placeholder tokens of each image.
 * height, width: [n], pixels of each image after resizing. */
typedef struct conf_images {
    const assay_item *items;
    const size_t *n_tokens, *height, *width;
    size_t n;
} conf_images;

/* Reads paths[0..n) with the processor's config. The caller frees *out with conf_images_free. Fails with
 * ASSAY_EIO for a file that cannot be read, and as image_decode and image_patches_make do, with the path
 * before the message. */
assay_status conf_images_open(const image_config *config, const char *const *paths, size_t n,
                              conf_images **out, assay_error *err);
void conf_images_free(conf_images *images);

#endif
