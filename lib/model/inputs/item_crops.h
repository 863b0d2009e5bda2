/* The crops of an image (plan_crops).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_ITEM_CROPS_H
#define MODEL_INPUTS_ITEM_CROPS_H

#include "model/inputs/item_content.h"

/* Reads the rows and columns of crops, [1, 2] or [2], and checks that they are the frames of out->grid after
 * the first, of the size of the tower's table. Sets layout. Fails with ASSAY_EINVAL or ASSAY_EUNSUPPORTED,
 * naming the tensor. grid: the name of the tensor of the grid. */
assay_status item_crops_read(const plan_tower *tower, const char *grid, const assay_tensor *layout,
                             item_content *out, assay_error *err);

#endif
