/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/table.h"

#include <string.h>

#include "fastpath/pack_matrix.h"
#include "fastpath/tower/taps.h"

static void add_scaled(float *y, const float *x, size_t n, float factor)
{
    for (size_t i = 0; i < n; i++) y[i] += factor * x[i];
}

static void resample(const plan_table *t, const fp_matrix *table, const fp_frame *frame,
                     const fp_patch *patch, float *out, float *row)
{
    const size_t n = table->packed.n_in;
    const fp_taps down = fp_taps_find(t, (size_t)patch->y, frame->height),
                  across = fp_taps_find(t, (size_t)patch->x, frame->width);
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < down.n; i++)
        for (size_t j = 0; j < across.n; j++) {
            fp_matrix_unpack(table, down.at[i] * t->side + across.at[j], row);
            add_scaled(out, row, n, down.weight[i] * across.weight[j]);
        }
}

void fp_table_read(const plan_table *t, const fp_matrix *table, const fp_frame *frame, const fp_patch *patch,
                   float *out, float *row)
{
    if (t->kind != PLAN_TABLE_AXES) {
        resample(t, table, frame, patch, out, row);
        return;
    }
    fp_matrix_unpack(table, (size_t)patch->x, out);
    fp_matrix_unpack(table, t->side + (size_t)patch->y, row);
    add_scaled(out, row, table->packed.n_in, 1);
}
