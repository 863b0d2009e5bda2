/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/arithmetic/weight.h"

/* Reads n consecutive stored numbers. */
static void read_run(const plan_weight *w, size_t offset, size_t n, ref_real *out)
{
    ref_convert(out, (const char *)w->data + offset * dtype_size(w->dtype), w->dtype, n);
}

/* Reads one row of MLX's affine groups: computed in double, rounded once. */
static void read_affine(const plan_weight *w, size_t row, ref_real *out)
{
    double wide[AFFINE_GROUP_MAX];
    const size_t group = w->affine.group;
    for (size_t g = 0; g < w->cols / group; g++) {
        affine_widen(wide, &w->affine, w->data, w->cols, row, g);
        for (size_t i = 0; i < group; i++) out[g * group + i] = (ref_real)wide[i];
    }
}

void ref_weight_rows(const plan_weight *w, size_t first, size_t n, ref_real *out)
{
    if (w->values) {
        ref_convert(out, array_data(w->values), ASSAY_F64, w->cols);
        return;
    }
    if (w->affine.bits) {
        for (size_t i = 0; i < n; i++) read_affine(w, first + i, out + i * w->cols);
        return;
    }
    if (!w->transposed) {
        size_t stride = w->stride ? w->stride : w->cols;
        for (size_t i = 0; i < n; i++) read_run(w, (first + i) * stride, w->cols, out + i * w->cols);
        return;
    }
    size_t stride = w->stride ? w->stride : w->rows;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < w->cols; j++) read_run(w, j * stride + first + i, 1, out + i * w->cols + j);
}
