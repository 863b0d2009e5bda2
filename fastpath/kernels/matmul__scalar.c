/* Sums in double, so that this variant is the one that others are held against.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fastpath/kernels/matmul.h"
#include "model/dtype.h"

/* One panel times one row. */
static void panel_row(float *y, size_t n_out, const float *x, const fp_matrix *w, size_t panel)
{
    const char *weights = w->panels;
    size_t row_bytes = FP_PANEL * dtype_size(w->dtype);
    double sum[FP_PANEL] = {0};
    weights += panel * w->n_in * row_bytes;
    for (size_t i = 0; i < w->n_in; i++) {
        float wide[FP_PANEL];
        dtype_to_f32(wide, weights + i * row_bytes, w->dtype, FP_PANEL);
        for (size_t o = 0; o < FP_PANEL; o++) sum[o] += (double)x[i] * (double)wide[o];
    }
    for (size_t o = 0; o < n_out; o++) y[o] = (float)sum[o];
}

static void matmul(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, const fp_matrix *w,
                   size_t first_panel, size_t n_panels)
{
    for (size_t p = first_panel; p < first_panel + n_panels; p++) {
        size_t at = p * FP_PANEL, n_out = w->n_out - at < FP_PANEL ? w->n_out - at : FP_PANEL;
        for (size_t r = 0; r < n_rows; r++) panel_row(y + r * ld_y + at, n_out, x + r * ld_x, w, p);
    }
}

void fp_matmul_f32__scalar(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows,
                           const fp_matrix *w, size_t first_panel, size_t n_panels)
{
    matmul(y, ld_y, x, ld_x, n_rows, w, first_panel, n_panels);
}

void fp_matmul_f16__scalar(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows,
                           const fp_matrix *w, size_t first_panel, size_t n_panels)
{
    matmul(y, ld_y, x, ld_x, n_rows, w, first_panel, n_panels);
}

void fp_matmul_bf16__scalar(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows,
                            const fp_matrix *w, size_t first_panel, size_t n_panels)
{
    matmul(y, ld_y, x, ld_x, n_rows, w, first_panel, n_panels);
}
