/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/item_size.h"

#include <stdio.h>
#include <string.h>

#include "model/inputs/item_shape.h"

assay_status item_size_read(const plan_tower *tower, const assay_tensor *pixels, item_content *out,
                            assay_error *err)
{
    char expected[80];
    const size_t channels = tower->patches.channels;
    const assay_tensor *t = pixels;
    for (size_t d = 0; d < 3; d++) out->grid[d] = 1;
    if (!t) return ASSAY_OK;
    const size_t first = t->rank == 4; /* of the dimensions of an image */
    (void)snprintf(expected, sizeof expected, "[1, %zu, height, width] or [%zu, height, width]", channels,
                   channels);
    if ((t->rank != 3 && t->rank != 4) || (first && t->shape[0] != 1) || t->shape[first] != channels ||
        t->shape[first + 1] < 1 || t->shape[first + 1] > INT32_MAX || t->shape[first + 2] < 1 ||
        t->shape[first + 2] > INT32_MAX)
        return item_shape_fail(t, expected, err);
    memcpy(out->grid + 1, t->shape + first + 1, 2 * sizeof *out->grid);
    return ASSAY_OK;
}
