/* The size of an image of a convolutional tower.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_ITEM_SIZE_H
#define MODEL_INPUTS_ITEM_SIZE_H

#include "model/inputs/item_content.h"

/* Sets the grid, which is that of the pixels: they are the patches. pixels: [1, C, h, w] or [C, h, w]; NULL:
 * the size is unknown, but not the number of its tokens. Fails with ASSAY_EINVAL, naming the tensor. */
assay_status item_size_read(const plan_tower *tower, const assay_tensor *pixels, item_content *out,
                            assay_error *err);

#endif
