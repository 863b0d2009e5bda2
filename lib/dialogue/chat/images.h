/* Images as the items of a step: decoded, and preprocessed as the checkpoint's processor does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_CHAT_IMAGES_H
#define DIALOGUE_CHAT_IMAGES_H

#include <assay/engine.h>

#include <stdbool.h>

#include "dialogue/chat/media_file.h"
#include "image/settings.h"

/* items: [n], one for each image, of kind ASSAY_ITEM_IMAGE. A processor with grids gives
 *     pixel_values F32 [patches, numbers of a patch]; with IMAGE_ROWS_SQUARES [patches, channels, patch,
 * patch] image_grid_thw I32 [1, 3]; patches is the product of the three crop_layouts I32 [1, 2], if the image
 * has crops and one with positions pixel_values F32 [1, patches, numbers of a patch] image_position_ids I32
 * [1, patches, 2]. n_tokens: [n], placeholder tokens of each image. With crops they include the first token
 * of the prompt, which is a placeholder (plan_tower.n_leading). height, width: [n], pixels of each image
 * after resizing. */
typedef struct serve_images {
    const assay_item *items;
    const size_t *n_tokens, *height, *width;
    size_t n;
} serve_images;

/* Reads files[0..n) with the processor's config. The caller frees *out with serve_images_free. Fails with
 * ASSAY_EIO if a file cannot be read; with ASSAY_EINVAL if the arrays need more bytes than the limits allow;
 * with ASSAY_ESTOPPED if goes_on returns false; with ASSAY_EUNSUPPORTED for crops of a size for which the
 * published processor writes no tokens; and as image_decode and image_patches_make do. The message begins
 * with the name of the file. */
assay_status serve_images_open(const image_config *config, const serve_media_file *files, size_t n,
                               const serve_media_limits *limits, serve_images **out, assay_error *err);

/* The bytes of the arrays of all items. */
size_t serve_images_bytes(const serve_images *images);

void serve_images_free(serve_images *images);

#endif
