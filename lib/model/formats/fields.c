/* SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/fields.h"

#include <stdio.h>

#include "base/dtype.h"
#include "model/formats/codes.h"

void field_set(format_matrix *m, assay_field *to, const assay_tensor *t, const assay_layout *layout)
{
    to->layout = layouts_keep(m->layouts, layout);
    if (!to->layout) m->is_short = true;
    to->bytes = t ? t->data : NULL;
    to->n_bytes = t ? dtype_elements(t) * dtype_size(t->dtype) : 0;
}

static const double *keep_table(format_matrix *m, const double *table, size_t n)
{
    const double *kept = layouts_keep_table(m->layouts, table, n);
    if (!kept) m->is_short = true;
    return kept;
}

/* The number of a type of tensors, and its table if it has one. */
static assay_layout layout_of(format_matrix *m, assay_dtype dtype)
{
    double table[256];
    assay_layout layout = {
        .number = dtype, .n_planes = 1, .times = 1, .planes = {{.width = (uint32_t)dtype_size(dtype) * 8}}};
    if (dtype != ASSAY_F8_E4M3 && dtype != ASSAY_F8_E8M0 && dtype != ASSAY_U8) return layout;
    if (dtype == ASSAY_F8_E4M3) codes_e4m3(table);
    else codes_e8m0(table);
    layout.number = ASSAY_U8;
    layout.table = keep_table(m, table, 256);
    return layout;
}

void field_set_grid(format_matrix *m, assay_field *to, const assay_tensor *t, size_t block_rows,
                    size_t block_cols)
{
    assay_layout layout = layout_of(m, t->dtype);
    assay_plane *plane = &layout.planes[0];
    const size_t width = plane->width, n = field_blocks(m->cols, block_cols);
    if (block_rows) plane->digits[plane->n_digits++] = (assay_digit)FIELD_ROWS(block_rows, n * width);
    if (block_cols) plane->digits[plane->n_digits++] = (assay_digit)FIELD_COLUMNS(block_cols, width);
    field_set(m, to, t, &layout);
}

void field_set_turned(format_matrix *m, assay_field *to, const assay_tensor *t, size_t columns)
{
    assay_layout layout = layout_of(m, t->dtype);
    assay_plane *plane = &layout.planes[0];
    const size_t width = plane->width;
    plane->digits[plane->n_digits++] = (assay_digit)FIELD_ROW(width);
    plane->digits[plane->n_digits++] = (assay_digit)FIELD_COLUMNS(columns, m->rows * width);
    field_set(m, to, t, &layout);
}

void field_scale(format_matrix *m, assay_field *field, double factor)
{
    if (!field->layout) return;
    assay_layout layout = *field->layout;
    layout.times *= factor;
    field->layout = layouts_keep(m->layouts, &layout);
    if (!field->layout) m->is_short = true;
}

void field_describe_bytes(format_matrix *m)
{
    field_set_grid(m, &m->stored.codes, m->part[0], 1, 1);
    field_set_grid(m, &m->stored.scale, m->part[1], m->module->block_rows, m->module->block_cols);
}

void field_describe_e2m1(format_matrix *m, size_t group)
{
    const assay_layout codes = {.number = ASSAY_U8,
                                .n_planes = 1,
                                .table = keep_table(m, CODES_E2M1, 16),
                                .times = 1,
                                .planes = {{4, 2, 0, {FIELD_ROW(m->cols * 4), FIELD_COLUMN(4)}}}};
    field_set(m, &m->stored.codes, m->part[0], &codes);
    field_set_grid(m, &m->stored.scale, m->part[1], 1, group);
}

void field_expect_multiple(size_t cols, size_t n, char reason[FORMAT_REASON_MAX])
{
    if (cols % n != 0)
        (void)snprintf(reason, FORMAT_REASON_MAX, "found rows of %zu elements, expected a multiple of %zu",
                       cols, n);
}

bool field_check_groups(const assay_tensor *t, size_t n, const char *name, char reason[FORMAT_REASON_MAX])
{
    for (size_t k = 0; t && k < t->shape[0]; k++) {
        const int64_t group = dtype_integer(t, k);
        if (group >= 0 && (size_t)group < n) continue;
        (void)snprintf(reason, FORMAT_REASON_MAX, "%s[%zu]: found %lld, expected a group below %zu", name, k,
                       (long long)group, n);
        return false;
    }
    return true;
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
