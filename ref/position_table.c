/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/position_table.h"

#include "ref/arithmetic/weight.h"
#include <assert.h>
#include <stdlib.h>

/* Where place i of n lies on an axis of `side` entries. */
static double table_coordinate(const plan_table *table, size_t i, size_t n)
{
    const double side = (double)table->side;
    if (table->aligns_corners) return (double)i * (side - 1) / (double)(n > 1 ? n - 1 : 1);
    return ((double)i + 0.5) * side / (double)n - 0.5;
}

/* Keys (1981), with a = -0.75. */
static double cubic_weight(double distance)
{
    const double a = -0.75, d = distance;
    if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
    if (d < 2) return a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a;
    return 0;
}

static double linear_weight(double distance)
{
    return distance < 1 ? 1 - distance : 0;
}

ref_taps ref_table_taps(const plan_table *table, size_t i, size_t n)
{
    const bool cubic = table->kind == PLAN_TABLE_BICUBIC;
    const double at = table_coordinate(table, i, n), last = (double)table->side - 1;
    ref_taps taps = {.n = cubic ? 4 : 2};
    for (size_t k = 0; k < taps.n; k++) {
        const double entry = floor(at) + (double)k - (cubic ? 1 : 0);
        taps.index[k] = (size_t)fmin(fmax(entry, 0), last);
        taps.weight[k] = cubic ? cubic_weight(fabs(at - entry)) : linear_weight(fabs(at - entry));
    }
    return taps;
}

/* x += sum over taps of weight · table[row tap][column tap]. x: [D]. */
static void add_resampled(ref_real *x, const ref_real *rows, const plan_table *table, const ref_taps *along_y,
                          const ref_taps *along_x)
{
    const size_t width = table->weight.cols;
    for (size_t d = 0; d < width; d++) {
        double sum = (double)x[d];
        for (size_t j = 0; j < along_y->n; j++)
            for (size_t i = 0; i < along_x->n; i++)
                sum += along_y->weight[j] * along_x->weight[i] *
                       (double)rows[(along_y->index[j] * table->side + along_x->index[i]) * width + d];
        x[d] = (ref_real)sum;
    }
}

/* x += table[0][column] + table[1][row]. x: [D]. */
static void add_axes(ref_real *x, const ref_real *rows, const plan_table *table, const ref_patch *patch)
{
    const size_t width = table->weight.cols;
    assert(patch->column < table->side && patch->row < table->side);
    for (size_t d = 0; d < width; d++)
        x[d] = (ref_real)((double)x[d] + (double)rows[patch->column * width + d] +
                          (double)rows[(table->side + patch->row) * width + d]);
}

static void add_sinusoids(ref_real *x, const ref_patches *patches, size_t period, size_t hidden)
{
    const size_t half = hidden / 2;
    for (size_t p = 0; p < patches->n; p++)
        for (size_t k = 0; k < half; k++) {
            const double i = (double)(patches->patch[p].column % period),
                         angle = i * exp(-log(10000) / (double)(half - 1) * (double)k);
            ref_real *row = x + p * hidden;
            row[k] = (ref_real)((double)row[k] + sin(angle));
            row[half + k] = (ref_real)((double)row[half + k] + cos(angle));
        }
}

assay_status ref_table_add(ref_real *x, const ref_patches *patches, const plan_table *table, size_t hidden)
{
    if (table->kind == PLAN_TABLE_NONE) return ASSAY_OK;
    if (table->kind == PLAN_TABLE_SINUSOIDS) {
        add_sinusoids(x, patches, table->period, hidden);
        return ASSAY_OK;
    }
    const size_t width = table->weight.cols;
    ref_real *rows = ref_alloc(table->weight.rows, width);
    if (!rows) return ASSAY_ENOMEM;
    ref_weight_rows(&table->weight, 0, table->weight.rows, rows);
    for (size_t p = 0; p < patches->n; p++) {
        const ref_patch *patch = &patches->patch[p];
        const size_t *grid = patches->grids[patch->medium];
        if (table->kind == PLAN_TABLE_AXES) {
            add_axes(x + p * width, rows, table, patch);
        } else {
            const ref_taps along_y = ref_table_taps(table, patch->row, grid[1]),
                           along_x = ref_table_taps(table, patch->column, grid[2]);
            add_resampled(x + p * width, rows, table, &along_y, &along_x);
        }
    }
    free(rows);
    return ASSAY_OK;
}
