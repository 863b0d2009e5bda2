/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/item_crops.h"

#include "base/dtype.h"
#include "base/error.h"
#include "model/inputs/item_shape.h"

static assay_status read_layout(const assay_tensor *t, size_t layout[2], assay_error *err)
{
    const assay_status rc = item_expect_integers(t, err);
    if (rc != ASSAY_OK) return rc;
    if (!(t->rank == 2 && t->shape[0] == 1 && t->shape[1] == 2) && !(t->rank == 1 && t->shape[0] == 2))
        return item_shape_fail(t, "[1, 2] or [2]", err);
    for (size_t d = 0; d < 2; d++) {
        const int64_t side = dtype_integer(t, d);
        if (side < 0 || side > UINT16_MAX)
            return assay_fail(err, ASSAY_EINVAL, "tensor '%s': [%zu]: found %lld, expected 0 to %d", t->name,
                              d, (long long)side, UINT16_MAX);
        layout[d] = (size_t)side;
    }
    return ASSAY_OK;
}

assay_status item_crops_read(const plan_tower *tower, const char *grid, const assay_tensor *layout,
                             item_content *out, assay_error *err)
{
    static const char *const SIDES[] = {"frames", "rows", "columns"};
    const assay_status rc = read_layout(layout, out->layout, err);
    if (rc != ASSAY_OK) return rc;
    if (out->layout[0] * out->layout[1] != out->grid[0] - 1)
        return assay_fail(err, ASSAY_EINVAL,
                          "tensor '%s': found %zu x %zu crops, expected %zu, the frames after the first",
                          layout->name, out->layout[0], out->layout[1], out->grid[0] - 1);
    for (size_t d = 1; d < 3; d++)
        if (out->grid[d] != tower->table.side)
            return assay_fail(err, ASSAY_EINVAL, "tensor '%s': found %zu %s, expected %zu, those of a crop",
                              grid, out->grid[d], SIDES[d], tower->table.side);
    return ASSAY_OK;
}
