/* Sums in double over exact weights: the reference for the other variants.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/dtype.h"
#include "fastpath/kernels/matmul/matmul.h"
#include "fastpath/kernels/matmul/panels.h"
#include "fastpath/kernels/vec/rows.h"

enum { PART = FP_GROUP_MIN, ROWS = 64 }; /* PART: inputs at a time; divides every group size */

typedef void widen_fn(double *out, const assay_matrix *w, size_t o, size_t from, size_t n);

/* Converts inputs from … from + n - 1 of row r of x; PART inputs of codes share a scale. */
static void widen_x(double *out, const assay_product *p, assay_dtype dtype, size_t r, size_t from, size_t n)
{
    const char *at = (const char *)p->x + (r * p->ld_x + from) * dtype_size(dtype);
    if (dtype != ASSAY_I8) {
        dtype_to_f64(out, at, dtype, n);
        return;
    }
    const double scale = (double)p->x_scale[r * (p->w->n_in / p->w->group) + from / p->w->group];
    for (size_t i = 0; i < n; i++) out[i] = scale * ((const int8_t *)at)[i];
}

/* Converts inputs from … from + n - 1 of the first n_out outputs of a panel. tile: [PART, FP_PANEL]. */
static void widen_panel(double tile[][FP_PANEL], const assay_matrix *w, widen_fn *widen, size_t panel,
                        size_t n_out, size_t from, size_t n)
{
    double weight[PART];
    for (size_t o = 0; o < n_out; o++) {
        widen(weight, w, panel * FP_PANEL + o, from, n);
        for (size_t i = 0; i < n; i++) tile[i][o] = weight[i];
    }
}

/* Computes the outputs of a panel for rows first … first + n_rows - 1, at most ROWS. */
static void multiply_panel(const assay_product *p, assay_dtype dtype, widen_fn *widen, size_t panel,
                           size_t first, size_t n_rows)
{
    const size_t n_in = p->w->n_in, left = p->w->n_out - panel * FP_PANEL,
                 n_out = left < FP_PANEL ? left : FP_PANEL;
    double sum[ROWS][FP_PANEL], tile[PART][FP_PANEL] = {{0}}, x[PART];
    memset(sum, 0, n_rows * sizeof *sum);
    for (size_t from = 0; from < n_in; from += PART) {
        const size_t n = n_in - from < PART ? n_in - from : PART;
        widen_panel(tile, p->w, widen, panel, n_out, from, n);
        for (size_t r = 0; r < n_rows; r++) {
            widen_x(x, p, dtype, first + r, from, n);
            fp_rows_add(sum[r], x, tile[0], FP_PANEL, n, fp_rows_width(n_out));
        }
    }
    for (size_t r = 0; r < n_rows; r++)
        for (size_t o = 0; o < n_out; o++)
            p->y[(first + r) * p->ld_y + panel * FP_PANEL + o] = (float)sum[r][o];
}

static void matmul(const assay_product *p, assay_dtype dtype, widen_fn *widen)
{
    for (size_t k = p->first_panel; k < p->first_panel + p->n_panels; k++)
        for (size_t r = 0; r < p->n_rows; r += ROWS)
            multiply_panel(p, dtype, widen, k, r, p->n_rows - r < ROWS ? p->n_rows - r : ROWS);
}

void fp_matmul_f32_f32__scalar(const assay_product *p)
{
    matmul(p, ASSAY_F32, fp_numbers_widen);
}

void fp_matmul_f32_f16__scalar(const assay_product *p)
{
    matmul(p, ASSAY_F32, fp_numbers_widen);
}

void fp_matmul_f32_bf16__scalar(const assay_product *p)
{
    matmul(p, ASSAY_F32, fp_pairs_widen);
}

void fp_matmul_f32_affine__scalar(const assay_product *p)
{
    matmul(p, ASSAY_F32, fp_groups_widen);
}

void fp_matmul_bf16_bf16__scalar(const assay_product *p)
{
    matmul(p, ASSAY_BF16, fp_pairs_widen);
}

void fp_matmul_bf16_affine__scalar(const assay_product *p)
{
    matmul(p, ASSAY_BF16, fp_groups_widen);
}

void fp_matmul_i8_affine__scalar(const assay_product *p)
{
    matmul(p, ASSAY_I8, fp_groups_widen);
}
