/* SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/fields.h"

#include "base/dtype.h"

void field_set(format_matrix *m, assay_field *to, const assay_tensor *t, const assay_layout *layout)
{
    to->layout = layouts_keep(m->layouts, layout);
    if (!to->layout) m->is_short = true;
    to->bytes = t ? t->data : NULL;
    to->n_bytes = t ? dtype_elements(t) * dtype_size(t->dtype) : 0;
}

static const double *keep_table(format_matrix *m, const double *table, size_t bits)
{
    const double *kept = table ? layouts_keep_table(m->layouts, table, (size_t)1 << bits) : NULL;
    if (table && !kept) m->is_short = true;
    return kept;
}

void field_set_codes(format_matrix *m, assay_field *to, const assay_tensor *t, size_t bits, size_t row_bits,
                     const double *table)
{
    const assay_layout layout = {
        .number = ASSAY_U8,
        .n_planes = 1,
        .table = keep_table(m, table, bits),
        .times = 1,
        .planes = {{(uint32_t)bits, 2, 0, {FIELD_ROW(row_bits), FIELD_COLUMN(bits)}}},
    };
    field_set(m, to, t, &layout);
}

void field_set_grid(format_matrix *m, assay_field *to, const assay_tensor *t, size_t block_rows,
                    size_t block_cols, const double *table)
{
    const size_t width = dtype_size(t->dtype) * 8, n = field_blocks(m->cols, block_cols);
    assay_layout layout = {
        .number = table ? ASSAY_U8 : t->dtype,
        .n_planes = 1,
        .table = keep_table(m, table, 8),
        .times = 1,
        .planes = {{.width = (uint32_t)width}},
    };
    assay_plane *plane = &layout.planes[0];
    if (block_rows) plane->digits[plane->n_digits++] = (assay_digit)FIELD_ROWS(block_rows, n * width);
    if (block_cols) plane->digits[plane->n_digits++] = (assay_digit)FIELD_COLUMNS(block_cols, width);
    field_set(m, to, t, &layout);
}

size_t field_planes(size_t bits)
{
    return 32 % bits == 0 ? 1 : bits;
}

void field_set_stream(assay_plane *plane, size_t p, size_t bits, assay_index index, size_t stride)
{
    plane->width = (uint32_t)(bits / field_planes(bits));
    plane->digits[plane->n_digits++] = (assay_digit){index, (uint32_t)bits, p, 32, 0, stride};
    plane->digits[plane->n_digits++] = (assay_digit){index, (uint32_t)bits, p, 1, 32, 1};
}

void field_set_constant(format_matrix *m, assay_field *to, double value)
{
    field_set(m, to, NULL, &(assay_layout){.number = ASSAY_U8, .minus = -value, .times = 1});
}
