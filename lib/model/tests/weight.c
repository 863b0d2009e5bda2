/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tests/weight.h"

#include "base/dtype.h"
#include "base/tests/support.h"

static layout_list *kept(void)
{
    static layout_list *all;
    if (!all) all = layouts_open();
    ck_assert_ptr_nonnull(all);
    return all;
}

plan_weight weight_of_strided(const void *data, assay_dtype dtype, size_t rows, size_t cols,
                              size_t row_stride, size_t col_stride)
{
    plan_weight w = {
        .name = "w", .data = data, .rows = rows, .cols = cols, .n_bytes = rows * cols * dtype_size(dtype)};
    const stored_numbers numbers = {data, dtype, row_stride, col_stride};
    ck_assert(stored_of_numbers(kept(), &numbers, rows, cols, &w.stored));
    return w;
}

plan_weight weight_of(const void *data, assay_dtype dtype, size_t rows, size_t cols)
{
    return weight_of_strided(data, dtype, rows, cols, cols, 1);
}

plan_weight weight_of_affine(const affine *groups, const void *codes, size_t rows, size_t cols)
{
    plan_weight w = {.name = "w", .data = codes, .rows = rows, .cols = cols};
    ck_assert(stored_of_affine(kept(), groups, codes, rows, cols, &w.stored));
    w.n_bytes = w.stored.codes.n_bytes + w.stored.scale.n_bytes + w.stored.min.n_bytes;
    return w;
}

stored_numbers weight_numbers(const plan_weight *w)
{
    stored_numbers numbers = {0};
    ck_assert_msg(w->data && stored_as_numbers(&w->stored, &numbers), "%s has no plain numbers", w->name);
    return numbers;
}

affine weight_affine(const plan_weight *w)
{
    affine groups = {0};
    const void *codes;
    ck_assert_ptr_nonnull(w->data);
    if (!stored_as_affine(&w->stored, &groups, &codes)) return (affine){0};
    return groups;
}
