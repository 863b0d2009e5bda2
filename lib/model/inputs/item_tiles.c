/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/item_tiles.h"

#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "model/inputs/item_shape.h"

/* Whether the shape is that of `rank` dimensions, with any number of ones before them. */
static bool has_shape(const assay_tensor *t, const size_t *shape, size_t rank)
{
    if (t->rank < rank) return false;
    for (size_t d = 0; d < t->rank; d++)
        if (t->shape[d] != (d < t->rank - rank ? 1 : shape[d - (t->rank - rank)])) return false;
    return true;
}

static assay_status expect_shape(const assay_tensor *t, const size_t *shape, size_t rank, assay_error *err)
{
    char expected[ASSAY_TENSOR_RANK_MAX * 22 + 3] = "[";
    size_t n = 1;
    if (has_shape(t, shape, rank)) return ASSAY_OK;
    if (rank == 0) return item_shape_fail(t, "[1] or []", err);
    for (size_t d = 0; d < rank; d++)
        n += (size_t)snprintf(expected + n, sizeof expected - n, "%s%zu", d ? ", " : "", shape[d]);
    (void)snprintf(expected + n, sizeof expected - n, "]");
    return item_shape_fail(t, expected, err);
}

assay_status item_tiles_ratio(const plan_tower *tower, const item_tiles *given, item_content *out,
                              assay_error *err)
{
    const plan_tiles *tiles = &tower->tiles;
    const assay_tensor *t = given->ratio;
    assay_status rc = item_expect_integers(t, err);
    if (rc == ASSAY_OK) rc = expect_shape(t, NULL, 0, err);
    if (rc != ASSAY_OK) return rc;
    const int64_t id = dtype_integer(t, 0);
    if (id < 1 || (uint64_t)id > tiles->n_ratios)
        return assay_fail(err, ASSAY_EINVAL, "tensor '%s': found %lld, expected 1 to %zu", t->name,
                          (long long)id, tiles->n_ratios);
    out->ratio = (size_t)id;
    out->grid[0] = tiles->n;
    out->grid[1] = out->grid[2] = tiles->side;
    return ASSAY_OK;
}

/* The mask says which tiles there are, as the ratio does. */
static assay_status check_mask(const plan_tiles *tiles, const assay_tensor *t, size_t ratio, assay_error *err)
{
    const size_t n = plan_tiles_of(tiles, ratio);
    assay_status rc = item_expect_integers(t, err);
    if (rc == ASSAY_OK) rc = expect_shape(t, &tiles->n, 1, err);
    for (size_t i = 0; rc == ASSAY_OK && i < tiles->n; i++) {
        const int64_t is_there = dtype_integer(t, i);
        if (is_there != (i < n))
            rc = assay_fail(err, ASSAY_EUNSUPPORTED,
                            "tensor '%s': [%zu]: found %lld, expected %d: ratio %zu has %zu tiles", t->name,
                            i, (long long)is_there, i < n, ratio, n);
    }
    return rc;
}

assay_status item_tiles_pixels(const plan_tower *tower, const item_tiles *given, item_content *out,
                               assay_error *err)
{
    const size_t side = tower->tiles.side * tower->patches.size;
    const size_t shape[] = {tower->tiles.n, tower->patches.channels, side, side};
    const assay_tensor *t = given->pixels;
    assay_status rc = given->mask ? check_mask(&tower->tiles, given->mask, out->ratio, err) : ASSAY_OK;
    if (rc != ASSAY_OK || !t) return rc;
    if (!dtype_is_float(t->dtype))
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "tensor '%s': found type %s, expected F64, F32, F16 or BF16", t->name,
                          dtype_name(t->dtype));
    rc = expect_shape(t, shape, 4, err);
    if (rc != ASSAY_OK) return rc;
    out->pixels = t->data;
    out->dtype = t->dtype;
    return ASSAY_OK;
}

void item_tiles_copy(const item_content *content, unsigned char *out)
{
    const plan_patches *p = &content->tower->patches;
    const size_t g = content->tower->tiles.side, row = p->size * dtype_size(content->dtype);
    const unsigned char *from = content->pixels;
    for (size_t tile = 0; tile < content->tower->tiles.n; tile++)
        for (size_t y = 0; y < g; y++)
            for (size_t x = 0; x < g; x++)
                for (size_t c = 0; c < p->channels; c++)
                    for (size_t i = 0; i < p->size; i++, out += row) {
                        const size_t line = ((tile * p->channels + c) * g + y) * p->size + i;
                        memcpy(out, from + (line * g + x) * row, row);
                    }
}
