/* Operations on rows, shared out among the workers: by outputs, by rows, never along a sum.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fastpath/forward.h"

typedef struct product {
    fp_matmul_fn *fn;
    float *y;
    const float *x;
    size_t n_rows, n_each; /* panels of one item */
    const fp_matrix *w;
} product;

static void product_item(void *context, size_t item)
{
    const product *k = context;
    size_t first = item * k->n_each, n = fp_matrix_panels(k->w) - first;
    k->fn(k->y, k->w->n_out, k->x, k->w->n_in, k->n_rows, k->w, first, n < k->n_each ? n : k->n_each);
}

void fp_product(const fp_pass *pass, float *y, const float *x, size_t n_rows, const fp_matrix *w)
{
    enum { ITEMS_PER_WORKER = 4 }; /* so that one slow worker does not hold up the others */
    const fp_pool *pool = pass->model->pool;
    size_t n_panels = fp_matrix_panels(w), work = n_rows * n_panels * FP_PANEL * w->n_in;
    size_t n_items = fp_pool_shares(pool, work) ? ITEMS_PER_WORKER * fp_pool_workers(pool) : 1;
    size_t n_each = (n_panels + n_items - 1) / n_items;
    product k = {fp_matmul_for(pass->model->kernels.matmul, w), y, x, n_rows, n_each, w};
    if (n_rows == 0) return;
    fp_pool_run(pass->model->pool, (n_panels + n_each - 1) / n_each, n_rows * n_each * FP_PANEL * w->n_in,
                product_item, &k);
}

void fp_linear_run(const fp_pass *pass, float *y, const float *x, size_t n_rows, const fp_linear *linear)
{
    size_t n = linear->weight.n_out;
    fp_product(pass, y, x, n_rows, &linear->weight);
    for (size_t r = 0; linear->bias && r < n_rows; r++) fp_add(y + r * n, linear->bias, n);
}

typedef struct rows {
    const fp_kernels *kernels;
    float *y;
    const float *x, *up;
    size_t ld_up, n_rows, width;
    const fp_norm *norm;
    plan_activation activation;
} rows;

enum { ROWS_PER_ITEM = 16 };

static size_t rows_of_item(const rows *k, size_t first)
{
    size_t left = k->n_rows - first;
    return left < ROWS_PER_ITEM ? left : ROWS_PER_ITEM;
}

static void share_rows(const fp_pass *pass, fp_pool_fn *fn, rows *k)
{
    enum { COST = 8 }; /* of an element, in multiplications */
    k->kernels = &pass->model->kernels;
    fp_pool_run(pass->model->pool, (k->n_rows + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM,
                ROWS_PER_ITEM * k->width * COST, fn, k);
}

static void norm_item(void *context, size_t item)
{
    const rows *k = context;
    size_t first = item * ROWS_PER_ITEM, at = first * k->width;
    k->kernels->norm(k->y + at, k->width, k->x + at, k->width, rows_of_item(k, first), k->width,
                     k->norm->weight, k->norm->epsilon);
}

void fp_norm_run(const fp_pass *pass, float *y, const float *x, size_t n_rows, size_t width,
                 const fp_norm *norm)
{
    if (norm->present)
        share_rows(pass, norm_item, &(rows){.y = y, .x = x, .n_rows = n_rows, .width = width, .norm = norm});
    else if (y != x) memcpy(y, x, n_rows * width * sizeof *y);
}

static void gate_item(void *context, size_t item)
{
    const rows *k = context;
    size_t first = item * ROWS_PER_ITEM, end = first + rows_of_item(k, first);
    for (size_t r = first; r < end; r++)
        k->kernels->gate(k->y + r * k->width, k->x + r * k->width, k->up + r * k->ld_up, k->width,
                         k->activation);
}

void fp_gate_run(const fp_pass *pass, float *y, const float *gate, const float *up, size_t ld_up,
                 size_t n_rows, size_t width, plan_activation activation)
{
    share_rows(pass, gate_item,
               &(rows){.y = y,
                       .x = gate,
                       .up = up,
                       .ld_up = ld_up,
                       .n_rows = n_rows,
                       .width = width,
                       .activation = activation});
}

void fp_add(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] += x[i];
}

void fp_scale(float *y, size_t n, double factor)
{
    for (size_t i = 0; i < n; i++) y[i] = (float)((double)y[i] * factor);
}

void fp_scale_columns(float *x, size_t n_rows, size_t width, const float *factors)
{
    for (size_t r = 0; r < n_rows; r++)
        for (size_t i = 0; i < width; i++) x[r * width + i] *= factors[i];
}
