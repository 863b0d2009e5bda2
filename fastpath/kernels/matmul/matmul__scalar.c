/* Sums in double over exact weights: the reference for the other variants.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/dtype.h"
#include "fastpath/kernels/matmul/matmul.h"
#include "fastpath/kernels/matmul/panels.h"

enum { PART = 32, ROWS = 16 }; /* PART: inputs at a time; divides every group size */

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

/* Computes output o of rows first … first + n_rows - 1, at most ROWS. */
static void add_output(const assay_product *p, assay_dtype dtype, widen_fn *widen, size_t o, size_t first,
                       size_t n_rows)
{
    double sum[ROWS] = {0}, weight[PART], x[PART];
    for (size_t from = 0; from < p->w->n_in; from += PART) {
        const size_t n = p->w->n_in - from < PART ? p->w->n_in - from : PART;
        widen(weight, p->w, o, from, n);
        for (size_t r = 0; r < n_rows; r++) {
            widen_x(x, p, dtype, first + r, from, n);
            for (size_t i = 0; i < n; i++) sum[r] += x[i] * weight[i];
        }
    }
    for (size_t r = 0; r < n_rows; r++) p->y[(first + r) * p->ld_y + o] = (float)sum[r];
}

static void matmul(const assay_product *p, assay_dtype dtype, widen_fn *widen)
{
    const size_t first = p->first_panel * FP_PANEL, end = first + p->n_panels * FP_PANEL;
    for (size_t o = first; o < end && o < p->w->n_out; o++)
        for (size_t r = 0; r < p->n_rows; r += ROWS)
            add_output(p, dtype, widen, o, r, p->n_rows - r < ROWS ? p->n_rows - r : ROWS);
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
