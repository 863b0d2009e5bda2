/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/arithmetic/weight.h"

#include "model/numerics/stored.h"

/* Plain numbers, row by row or column by column. */
static void read_numbers(const stored_numbers *w, size_t cols, size_t first, size_t n, ref_real *out,
                         size_t ld)
{
    const size_t bytes = dtype_size(w->dtype);
    for (size_t i = 0; i < n; i++) {
        const char *row = (const char *)w->data + (first + i) * w->row_stride * bytes;
        if (w->col_stride == 1) ref_convert(out + i * ld, row, w->dtype, cols);
        else
            for (size_t k = 0; k < cols; k++)
                ref_convert(out + i * ld + k, row + k * w->col_stride * bytes, w->dtype, 1);
    }
}

/* Numbers of any format: computed in double, rounded once. */
static void read_coded(const assay_stored *w, size_t first, size_t n, ref_real *out, size_t ld)
{
    enum { ROWS = 32 }; /* for which columns are found once */
    double wide[ROWS][STORED_BLOCK];
    for (size_t i = 0; i < n; i += ROWS)
        for (size_t k = 0; k < w->n_in; k += STORED_BLOCK) {
            const size_t n_cols = w->n_in - k < STORED_BLOCK ? w->n_in - k : STORED_BLOCK;
            const size_t n_rows = n - i < ROWS ? n - i : ROWS;
            stored_block(w, first + i, n_rows, k, n_cols, wide[0], STORED_BLOCK);
            for (size_t r = 0; r < n_rows; r++)
                for (size_t c = 0; c < n_cols; c++) out[(i + r) * ld + k + c] = (ref_real)wide[r][c];
        }
}

void ref_weight_rows_apart(const plan_weight *w, size_t first, size_t n, ref_real *out, size_t ld)
{
    stored_numbers numbers;
    if (w->values) ref_convert(out, array_data(w->values), ASSAY_F64, w->cols);
    else if (stored_as_numbers(&w->stored, &numbers)) read_numbers(&numbers, w->cols, first, n, out, ld);
    else read_coded(&w->stored, first, n, out, ld);
}

void ref_weight_rows(const plan_weight *w, size_t first, size_t n, ref_real *out)
{
    ref_weight_rows_apart(w, first, n, out, w->cols);
}
