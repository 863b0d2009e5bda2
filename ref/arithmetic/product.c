/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/arithmetic/product.h"

#include <cblas.h>
#include <stdlib.h>

#include "base/huge.h"
#include "ref/arithmetic/blas.h"
#include "ref/arithmetic/panels.h"
#include "ref/arithmetic/weight.h"

/* Blocks of converted weights. BLAS packs all of x again for each block, and small products cost it more: a
 * block has several rows for each row of x, and is at least as large as a second-level cache. */
#define BLOCK_BYTES     ((size_t)1 << 21)
#define ROWS_FOR_A_ROW  16 /* of x, until there are ROWS_ENOUGH */
#define ROWS_ENOUGH     1024
#define LEAST_FOR_A_ROW 4 /* of x, however many that are */

/* From here on OpenBLAS needs no more time than tiles do. */
#define MANY_TOKENS 256

/* A matrix of double: the numbers themselves, or a copy of them. */
typedef struct wide {
    double *at;
    size_t ld;
    bool is_copy;
} wide;

static void close_wide(wide *w)
{
    if (w->is_copy) free(w->at);
}

#ifdef REF_DOUBLE

static bool open_wide(wide *w, const ref_real *x, size_t ld, size_t rows, size_t cols)
{
    (void)rows;
    (void)cols;
    *w = (wide){.at = (double *)x, .ld = ld};
    return true;
}

static bool open_result(wide *w, ref_real *y, size_t ld, size_t rows, size_t cols)
{
    return open_wide(w, y, ld, rows, cols);
}

static void close_result(wide *w, ref_real *y, size_t ld, size_t rows, size_t cols)
{
    (void)w;
    (void)y;
    (void)ld;
    (void)rows;
    (void)cols;
}

#else

static bool open_result(wide *w, ref_real *y, size_t ld, size_t rows, size_t cols)
{
    (void)y;
    (void)ld;
    *w = (wide){.at = malloc((rows * cols + 1) * sizeof *w->at), .ld = cols, .is_copy = true};
    return w->at;
}

static bool open_wide(wide *w, const ref_real *x, size_t ld, size_t rows, size_t cols)
{
    if (!open_result(w, NULL, 0, rows, cols)) return false;
    for (size_t i = 0; i < rows; i++) dtype_to_f64(w->at + i * cols, x + i * ld, REF_DTYPE, cols);
    return true;
}

/* Rounds the result. */
static void close_result(wide *w, ref_real *y, size_t ld, size_t rows, size_t cols)
{
    for (size_t i = 0; w->at && i < rows; i++) dtype_to_f32(y + i * ld, w->at + i * cols, ASSAY_F64, cols);
    close_wide(w);
}

#endif

/* The loader limits every dimension to less than 2^31, so that it fits BLAS's int. */
static void multiply(const wide *y, const wide *a, const wide *b, bool b_holds_columns, size_t m, size_t n,
                     size_t k, double alpha)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, b_holds_columns ? CblasNoTrans : CblasTrans, (blasint)m,
                (blasint)n, (blasint)k, alpha, a->at, (blasint)a->ld, b->at, (blasint)b->ld, 0, y->at,
                (blasint)y->ld);
}

assay_status ref_product(ref_real *y, size_t ld_y, const ref_real *a, size_t ld_a, const ref_real *b,
                         size_t ld_b, bool b_holds_columns, size_t m, size_t n, size_t k, double alpha)
{
    wide wide_a = {0}, wide_b = {0}, wide_y = {0};
    bool ok = open_wide(&wide_a, a, ld_a, m, k) && open_result(&wide_y, y, ld_y, m, n) &&
              (b_holds_columns ? open_wide(&wide_b, b, ld_b, k, n) : open_wide(&wide_b, b, ld_b, n, k)) &&
              ref_blas_enter();
    if (ok) {
        multiply(&wide_y, &wide_a, &wide_b, b_holds_columns, m, n, k, alpha);
        ref_blas_leave();
        close_result(&wide_y, y, ld_y, m, n);
    } else {
        close_wide(&wide_y);
    }
    close_wide(&wide_a);
    close_wide(&wide_b);
    return ok ? ASSAY_OK : ASSAY_ENOMEM;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Rows of a block of a matrix [n, k]; at least 1. */
static size_t count_rows(size_t n, size_t k, size_t n_tokens)
{
    const size_t several = ROWS_FOR_A_ROW * n_tokens;
    size_t rows = larger(BLOCK_BYTES / sizeof(double) / (k ? k : 1), 1);
    rows = larger(rows, several < ROWS_ENOUGH ? several : ROWS_ENOUGH);
    rows = larger(rows, LEAST_FOR_A_ROW * n_tokens);
    return rows < n ? rows : n;
}

/* The product by OpenBLAS: any number of tokens, on any processor. */
static assay_status multiply_blocks(ref_real *y, const ref_real *x, size_t n_tokens,
                                    const plan_weight *weight)
{
    const size_t n = weight->rows, k = weight->cols;
    const size_t n_block = count_rows(n, k, n_tokens);
    ref_real *rows = huge_alloc((n_block * k + 1) * sizeof *rows); /* BLAS reads it column by column */
    wide wide_x = {0};
    bool ok = rows && open_wide(&wide_x, x, k, n_tokens, k) && ref_blas_enter();
    const bool entered = ok;
    for (size_t first = 0; ok && first < n; first += n_block) {
        const size_t n_rows = n - first < n_block ? n - first : n_block;
        wide wide_y = {0}, wide_w = {0};
        ref_weight_rows(weight, first, n_rows, rows);
        ok = open_wide(&wide_w, rows, k, n_rows, k) && open_result(&wide_y, y + first, n, n_tokens, n_rows);
        if (ok) multiply(&wide_y, &wide_x, &wide_w, false, n_tokens, n_rows, k, 1);
        if (ok) close_result(&wide_y, y + first, n, n_tokens, n_rows);
        close_wide(&wide_w);
    }
    if (entered) ref_blas_leave();
    close_wide(&wide_x);
    free(rows);
    return ok ? ASSAY_OK : ASSAY_ENOMEM;
}

assay_status ref_matrix(ref_real *y, const ref_real *x, size_t n_tokens, const plan_weight *weight)
{
    const ref_tile *tile = ref_tile_at(0);
    if (tile && n_tokens >= tile->n_tokens / 2 && n_tokens < MANY_TOKENS)
        return ref_panels(y, x, n_tokens, weight, tile);
    return multiply_blocks(y, x, n_tokens, weight);
}
