/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/cut/size.h"

#include <stdint.h>

#include "base/dtype.h"
#include "base/text.h"
#include "conformance/case/spans.h"
#include "model/plan/audio.h"

/* Whether each tensor of floating-point numbers with more than one axis has n rows, and there is one. */
static bool has_patches(const assay_item *item, size_t n)
{
    bool has = false;
    for (size_t k = 0; k < item->n_tensors; k++) {
        const assay_tensor *t = &item->tensors[k];
        if (t->rank < 2 || !dtype_is_float(t->dtype)) continue;
        if (t->shape[0] != n) return false;
        has = true;
    }
    return has;
}

const assay_tensor *conf_size_places(const assay_item *item)
{
    for (size_t k = 0; k < item->n_tensors; k++)
        if (string_ends_with(item->tensors[k].name, "_position_ids")) return &item->tensors[k];
    return NULL;
}

/* Whether the patches at these places are those of the size row by row, then padding, and every other tensor
 * has a row for each place. */
static bool has_places(const assay_item *item, const assay_tensor *places, const conf_size *size)
{
    const size_t n = dtype_elements(places) / 2, n_columns = size->n[2];
    if (dtype_elements(places) % 2 || size->n[1] * n_columns > n) return false;
    for (size_t i = 0; i < n; i++) {
        const bool is_padding = i >= size->n[1] * n_columns;
        const int64_t column = is_padding ? -1 : (int64_t)(i % n_columns);
        const int64_t row = is_padding ? -1 : (int64_t)(i / n_columns);
        if (dtype_integer(places, 2 * i) != column || dtype_integer(places, 2 * i + 1) != row) return false;
    }
    for (size_t k = 0; k < item->n_tensors; k++) {
        const assay_tensor *t = &item->tensors[k];
        if (t == places) continue;
        if (t->rank < 2 || t->shape[t->rank - 2] != n || dtype_elements(t) != n * t->shape[t->rank - 1])
            return false;
    }
    return true;
}

conf_size conf_size_of(const assay_item *item, const conf_placeholders *p)
{
    const conf_size none = {{0}};
    int64_t grid[CONF_SIZE_AXES];
    if (item->kind == ASSAY_ITEM_AUDIO) {
        const size_t n = p->chunk ? conf_spans_frames(item) : 0;
        return n ? (conf_size){{n, 1, 1}} : none;
    }
    if (p->n_each || p->has_crops || !p->side || !conf_spans_grid(item, grid)) return none;
    for (size_t i = 0; i < CONF_SIZE_AXES; i++)
        if (grid[i] < 1 || grid[i] > UINT16_MAX || (i && (size_t)grid[i] % p->side)) return none;
    const conf_size size = {{(size_t)grid[0], (size_t)grid[1], (size_t)grid[2]}};
    const assay_tensor *places = conf_size_places(item);
    if (places) return has_places(item, places, &size) ? size : none;
    return has_patches(item, size.n[0] * size.n[1] * size.n[2]) ? size : none;
}

size_t conf_size_step(const assay_item *item, const conf_placeholders *p, size_t axis)
{
    return item->kind == ASSAY_ITEM_AUDIO || axis == 0 ? 1 : p->side;
}

bool conf_size_keeps(const assay_item *item, const conf_placeholders *p, const conf_size *whole,
                     const conf_size *to, size_t i)
{
    if (item->kind == ASSAY_ITEM_AUDIO)
        return i < plan_audio_rows(&(plan_audio){.chunk = p->chunk}, to->n[0]);
    const size_t n_before = p->leads ? p->ends : p->ends / 2;
    const size_t n_columns = whole->n[2] / p->side, n_rows = whole->n[1] / p->side;
    const size_t width = n_columns + p->row_end;
    if (i < n_before || i - n_before >= whole->n[0] * n_rows * width) return true;
    const size_t row = (i - n_before) / width, column = (i - n_before) % width;
    return row / n_rows < to->n[0] && row % n_rows < to->n[1] / p->side &&
           (column < to->n[2] / p->side || column >= n_columns);
}

bool conf_size_keeps_patch(const conf_size *whole, const conf_size *to, size_t side, size_t i)
{
    const size_t block = i / (side * side), n_columns = whole->n[2] / side, n_rows = whole->n[1] / side;
    return block / (n_rows * n_columns) < to->n[0] && block / n_columns % n_rows < to->n[1] / side &&
           block % n_columns < to->n[2] / side;
}

bool conf_size_keeps_place(const assay_tensor *places, const conf_size *to, size_t i)
{
    const int64_t column = dtype_integer(places, 2 * i), row = dtype_integer(places, 2 * i + 1);
    return column >= 0 && row >= 0 && (uint64_t)column < to->n[2] && (uint64_t)row < to->n[1];
}

bool conf_size_is(const conf_size *a, const conf_size *b)
{
    return a->n[0] == b->n[0] && a->n[1] == b->n[1] && a->n[2] == b->n[2];
}
