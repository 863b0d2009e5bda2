/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/vision/table.h"

#include <math.h>
#include <string.h>

enum { TAPS_MAX = 4 };

/* Places along one side of the table, and their weights. */
typedef struct taps {
    size_t n, at[TAPS_MAX];
    float weight[TAPS_MAX];
} taps;

/* Keys' cubic convolution with a = -0.75, as a function of the distance. */
static double cubic(double d)
{
    const double a = -0.75;
    return d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

/* The taps of patch i of n. */
static taps find_taps(const plan_table *t, size_t i, size_t n)
{
    const double side = (double)t->side;
    const double source = t->aligns_corners ? (double)i * (side - 1) / (double)(n > 1 ? n - 1 : 1)
                                            : ((double)i + 0.5) * side / (double)n - 0.5;
    const double base = floor(source);
    taps k = {.n = t->kind == PLAN_TABLE_BICUBIC ? 4 : 2};
    for (size_t j = 0; j < k.n; j++) {
        const double at = base + (double)j - (k.n == 4 ? 1 : 0), distance = fabs(source - at);
        k.at[j] = (size_t)(at < 0 ? 0 : at > side - 1 ? side - 1 : at);
        k.weight[j] = (float)(k.n == 4 ? cubic(distance) : 1 - distance);
    }
    return k;
}

static void unpack(const fp_matrix *table, size_t index, float *row)
{
    table->kernel->unpack(row, &table->packed, index);
}

static void add_scaled(float *y, const float *x, size_t n, float factor)
{
    for (size_t i = 0; i < n; i++) y[i] += factor * x[i];
}

static void resample(const plan_table *t, const fp_matrix *table, const fp_frame *frame,
                     const fp_patch *patch, float *out, float *row)
{
    const size_t n = table->packed.n_in;
    const taps down = find_taps(t, (size_t)patch->y, frame->height),
               across = find_taps(t, (size_t)patch->x, frame->width);
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < down.n; i++)
        for (size_t j = 0; j < across.n; j++) {
            unpack(table, down.at[i] * t->side + across.at[j], row);
            add_scaled(out, row, n, down.weight[i] * across.weight[j]);
        }
}

void fp_table_read(const fp_model *m, const fp_frame *frame, const fp_patch *patch, float *out, float *row)
{
    const plan_table *t = &m->plan->tower.table;
    const fp_matrix *table = &m->tower.table;
    if (t->kind != PLAN_TABLE_AXES) {
        resample(t, table, frame, patch, out, row);
        return;
    }
    unpack(table, (size_t)patch->x, out);
    unpack(table, t->side + (size_t)patch->y, row);
    add_scaled(out, row, table->packed.n_in, 1);
}
