/* The tensors of an image of tiles (model/plan/tiles.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_ITEM_TILES_H
#define MODEL_INPUTS_ITEM_TILES_H

#include "model/inputs/item_content.h"

/* pixels: pixel_values, or NULL; ratio: aspect_ratio_ids; mask: aspect_ratio_mask, or NULL. Their shapes:
 * item.h. */
typedef struct item_tiles {
    const assay_tensor *pixels, *ratio, *mask;
} item_tiles;

/* Reads the number of the ratio, and sets ratio and grid. Fails with ASSAY_EINVAL or ASSAY_EUNSUPPORTED,
 * naming the tensor; *out is unchanged then. */
assay_status item_tiles_ratio(const plan_tower *tower, const item_tiles *given, item_content *out,
                              assay_error *err);

/* Checks the mask against the ratio, and sets pixels and dtype if there are pixels. Fails in the same way. */
assay_status item_tiles_pixels(const plan_tower *tower, const item_tiles *given, item_content *out,
                               assay_error *err);

/* Copies pixels [T, C, g·S, g·S] patch by patch: [T·g², W], in the order of medium_pixels. */
void item_tiles_copy(const item_content *content, unsigned char *out);

#endif
