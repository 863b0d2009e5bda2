/* SPDX-License-Identifier: Apache-2.0 */
#include "model/numerics/stored.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/dtype.h"

assay_field *stored_field_at(const assay_stored *s, size_t i)
{
    const assay_field *const fields[STORED_FIELDS] = {
        [STORED_CODES] = &s->codes,   [STORED_ZERO] = &s->zero,     [STORED_SCALE] = &s->scale,
        [STORED_SCALE2] = &s->scale2, [STORED_OFFSET] = &s->offset, [STORED_MIN] = &s->min,
        [STORED_MIN2] = &s->min2};
    return (assay_field *)(uintptr_t)fields[i];
}

static size_t stored_row(const assay_stored *s, size_t o)
{
    size_t row = s->first_row;
    if (s->n_row_digits == 0) return row + o;
    for (size_t i = 0; i < s->n_row_digits; i++) row += field_digit(&s->row_digits[i], o);
    return row;
}

void stored_field(const assay_stored *s, const assay_field *field, size_t first_row, size_t n_rows,
                  size_t first_col, size_t n_cols, double *out, size_t ld)
{
    block_field b;
    assert(field->layout);
    field_begin(&b, s, field, first_col, n_cols);
    for (size_t i = 0; i < n_rows; i++) field_read(&b, stored_row(s, first_row + i), out + i * ld);
}

void stored_field_or(const assay_stored *s, const assay_field *field, double absent, size_t first_row,
                     size_t n_rows, size_t first_col, size_t n_cols, double *out, size_t ld)
{
    if (field->layout) {
        stored_field(s, field, first_row, n_rows, first_col, n_cols, out, ld);
        return;
    }
    for (size_t i = 0; i < n_rows; i++)
        for (size_t j = 0; j < n_cols; j++) out[i * ld + j] = absent;
}

void stored_locate(const assay_stored *s, const assay_field *field, size_t row, size_t k,
                   size_t bits[ASSAY_LAYOUT_PLANES])
{
    block_field b;
    field_find(&b, s, field, k, 1);
    field_locate(&b, row, bits);
}

/* Some columns of a matrix. The fields beside the codes are read once for each run of columns that have the
 * same numbers. */
typedef struct block {
    block_field field[STORED_FIELDS];
    size_t n_runs;
    unsigned short begin[STORED_BLOCK + 1]; /* the first column of each run, and n_cols */
} block;

static void begin_block(block *b, const assay_stored *s, size_t first, size_t n)
{
    bool repeats[STORED_BLOCK];
    memset(repeats, true, sizeof repeats);
    repeats[0] = false;
    for (size_t i = 0; i < STORED_FIELDS; i++) {
        field_begin(&b->field[i], s, stored_field_at(s, i), first, n);
        if (i != STORED_CODES) field_mark(&b->field[i], repeats);
    }
    b->n_runs = 0;
    for (size_t j = 0; j < n; j++)
        if (!repeats[j]) b->begin[b->n_runs++] = (unsigned short)j;
    b->begin[b->n_runs] = (unsigned short)n;
    for (size_t i = 0; i < STORED_FIELDS; i++)
        if (i != STORED_CODES) field_keep(&b->field[i], b->begin, b->n_runs);
}

/* The numbers of a field for each run; of an absent one what stands for it. */
static void read_runs(block *b, size_t field, size_t row, double *out)
{
    const bool is_factor = field == STORED_SCALE || field == STORED_SCALE2 || field == STORED_MIN2;
    if (b->field[field].field) field_read(&b->field[field], row, out);
    else
        for (size_t r = 0; r < b->n_runs; r++) out[r] = is_factor ? 1 : 0;
}

/* What the numbers of a run have in common: w = (code - zero) * scale / divisor - min. */
typedef struct run {
    double zero, scale, divisor, min;
} run;

static void combine_codes(const double *value, const unsigned char *code, size_t n, const run *of,
                          double *out)
{
    for (size_t j = 0; j < n; j++) out[j] = (value[code[j]] - of->zero) * of->scale - of->min;
}

static void combine_numbers(size_t n, const run *of, double *out)
{
    for (size_t j = 0; j < n; j++) out[j] = (out[j] - of->zero) * of->scale / of->divisor - of->min;
}

static void decode_row(block *b, bool divides, size_t row, double *out)
{
    double part[STORED_FIELDS][STORED_BLOCK];
    unsigned char code[STORED_BLOCK];
    block_field *codes = &b->field[STORED_CODES];
    const bool coded = !divides && field_codes(codes, row, code);
    if (!coded) field_read(codes, row, out);
    for (size_t i = 0; i < STORED_FIELDS; i++)
        if (i != STORED_CODES) read_runs(b, i, row, part[i]);
    for (size_t r = 0; r < b->n_runs; r++) {
        const double scale2 = part[STORED_SCALE2][r];
        const run of = {part[STORED_ZERO][r],
                        part[STORED_SCALE][r] * (divides ? 1 : scale2) + part[STORED_OFFSET][r],
                        divides ? scale2 : 1, part[STORED_MIN][r] * part[STORED_MIN2][r]};
        const size_t begin = b->begin[r], n = b->begin[r + 1] - begin;
        if (coded) combine_codes(codes->value, code + begin, n, &of, out + begin);
        else combine_numbers(n, &of, out + begin);
    }
}

void stored_block(const assay_stored *s, size_t first_row, size_t n_rows, size_t first_col, size_t n_cols,
                  double *out, size_t ld)
{
    block b;
    assert(s->codes.layout);
    begin_block(&b, s, first_col, n_cols);
    for (size_t i = 0; i < n_rows; i++)
        decode_row(&b, s->scale2_divides, stored_row(s, first_row + i), out + i * ld);
}

/* Whether the plane's offset is base + row * *row_stride + column / div * *col_stride. */
static bool is_regular(const assay_plane *plane, size_t div, size_t *row_stride, size_t *col_stride)
{
    *row_stride = *col_stride = 0;
    for (size_t i = 0; i < plane->n_digits; i++) {
        const assay_digit *d = &plane->digits[i];
        size_t *stride = d->index == ASSAY_INDEX_ROW ? row_stride : col_stride;
        const size_t expected = d->index == ASSAY_INDEX_ROW ? 1 : div;
        if (d->index == ASSAY_INDEX_ELEMENT || *stride || d->mul != 1 || d->add || d->mod ||
            d->div != expected)
            return false;
        *stride = d->stride;
    }
    return true;
}

/* Whether the field holds floats, each times `times`, in such an order; strides are numbers. */
static bool is_float_array(const assay_field *f, double times, size_t div, stored_numbers *out)
{
    const assay_layout *l = f->layout;
    if (!l || !dtype_is_float((assay_dtype)l->number) || l->n_planes != 1 || l->minus != 0 ||
        l->times != times)
        return false;
    if (!is_regular(&l->planes[0], div, &out->row_stride, &out->col_stride)) return false;
    out->dtype = (assay_dtype)l->number;
    out->data = (const char *)f->bytes + l->planes[0].base / 8;
    out->row_stride /= l->planes[0].width;
    out->col_stride /= l->planes[0].width;
    return true;
}

/* Whether the rows are at equal distances in the stored array: *step of its rows. */
static bool has_row_step(const assay_stored *s, size_t *step)
{
    const assay_digit *d = &s->row_digits[0];
    *step = s->n_row_digits ? d->stride : 1;
    return s->n_row_digits == 0 || (s->n_row_digits == 1 && d->mul == 1 && !d->add && d->div == 1 && !d->mod);
}

bool stored_as_numbers(const assay_stored *s, stored_numbers *out)
{
    size_t step;
    if (!has_row_step(s, &step) || s->zero.layout || s->scale.layout || s->min.layout) return false;
    if (!is_float_array(&s->codes, 1, 1, out)) return false;
    out->data = (const char *)out->data + s->first_row * out->row_stride * dtype_size(out->dtype);
    out->row_stride *= step;
    return true;
}

/* The columns that share a number of the field: the div of its digit of the column; 0: no such digit. */
static size_t group_columns(const assay_field *f)
{
    if (!f->layout || f->layout->n_planes != 1) return 0;
    const assay_plane *plane = &f->layout->planes[0];
    for (size_t i = 0; i < plane->n_digits; i++)
        if (plane->digits[i].index == ASSAY_INDEX_COLUMN) return plane->digits[i].div;
    return 0;
}

bool stored_as_affine(const assay_stored *s, affine *out, const void **codes)
{
    const assay_layout *l = s->codes.layout;
    stored_numbers scale, min;
    size_t row_bits, col_bits;
    const size_t group = group_columns(&s->scale);
    if (s->n_row_digits || s->zero.layout || s->scale2.layout || s->offset.layout || s->min2.layout ||
        s->group_of)
        return false;
    if (l->number != ASSAY_U8 || l->table || l->minus != 0 || l->times != 1 || l->n_planes != 1) return false;
    const assay_plane *plane = &l->planes[0];
    if (!affine_knows_bits(plane->width) || !affine_knows_group(group) || s->n_in % group != 0) return false;
    if (!is_regular(plane, 1, &row_bits, &col_bits) || plane->base != 0 || col_bits != plane->width ||
        row_bits != affine_words(s->n_in, plane->width) * 32)
        return false;
    if (!is_float_array(&s->scale, 1, group, &scale) || !is_float_array(&s->min, -1, group, &min))
        return false;
    const size_t n = s->n_in / group;
    if (scale.row_stride != n || min.row_stride != n || scale.col_stride != 1 || min.col_stride != 1)
        return false;
    const size_t skipped = s->first_row * n;
    *out = (affine){.bits = plane->width,
                    .group = group,
                    .scales = (const char *)scale.data + skipped * dtype_size(scale.dtype),
                    .biases = (const char *)min.data + skipped * dtype_size(min.dtype),
                    .scale_dtype = scale.dtype,
                    .bias_dtype = min.dtype};
    *codes = (const char *)s->codes.bytes + s->first_row * row_bits / 8;
    return true;
}

/* An array of floats, each times `times`: one for `group` columns. Strides are numbers. */
static bool set_array(layout_list *all, const stored_numbers *from, size_t group, double times, size_t n,
                      assay_field *out)
{
    const size_t bytes = dtype_size(from->dtype);
    const assay_layout layout = {
        .number = from->dtype,
        .n_planes = 1,
        .times = times,
        .planes = {{.width = (uint32_t)bytes * 8,
                    .n_digits = 2,
                    .digits = {{ASSAY_INDEX_ROW, 1, 0, 1, 0, from->row_stride * bytes * 8},
                               {ASSAY_INDEX_COLUMN, 1, 0, group, 0, from->col_stride * bytes * 8}}}}};
    *out = (assay_field){layouts_keep(all, &layout), from->data, n * bytes};
    return out->layout;
}

bool stored_of_numbers(layout_list *all, const stored_numbers *numbers, size_t rows, size_t cols,
                       assay_stored *out)
{
    *out = (assay_stored){.format = dtype_name(numbers->dtype), .n_out = rows, .n_in = cols};
    return set_array(all, numbers, 1, 1, rows * cols, &out->codes);
}

bool stored_of_affine(layout_list *all, const affine *groups, const void *codes, size_t rows, size_t cols,
                      assay_stored *out)
{
    const size_t n = cols / groups->group, n_words = affine_words(cols, groups->bits);
    const stored_numbers scale = {groups->scales, groups->scale_dtype, n, 1},
                         min = {groups->biases, groups->bias_dtype, n, 1};
    const assay_layout layout = {.number = ASSAY_U8,
                                 .n_planes = 1,
                                 .times = 1,
                                 .planes = {{.width = (uint32_t)groups->bits,
                                             .n_digits = 2,
                                             .digits = {{ASSAY_INDEX_ROW, 1, 0, 1, 0, n_words * 32},
                                                        {ASSAY_INDEX_COLUMN, 1, 0, 1, 0, groups->bits}}}}};
    *out = (assay_stored){.format = "MLX affine",
                          .n_out = rows,
                          .n_in = cols,
                          .codes = {layouts_keep(all, &layout), codes, rows * n_words * sizeof(uint32_t)}};
    return out->codes.layout && set_array(all, &scale, groups->group, 1, rows * n, &out->scale) &&
           set_array(all, &min, groups->group, -1, rows * n, &out->min);
}
