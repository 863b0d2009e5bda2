/* SPDX-License-Identifier: Apache-2.0 */
#include "model/numerics/stored.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/dtype.h"

/* A field and the columns of a block: bit[p][j] is what column j adds to the offset of plane p. Where a digit
 * depends on the element, the row is included. */
typedef struct block_field {
    const assay_field *field;
    const void *group_of;
    size_t n_in;
    size_t bit[ASSAY_LAYOUT_PLANES][STORED_BLOCK];
    bool repeats[STORED_BLOCK]; /* column j has the bits of column j - 1 */
    bool by_element;
} block_field;

assay_field *stored_field_at(const assay_stored *s, size_t i)
{
    const assay_field *const fields[STORED_FIELDS] = {
        [STORED_CODES] = &s->codes,   [STORED_ZERO] = &s->zero,     [STORED_SCALE] = &s->scale,
        [STORED_SCALE2] = &s->scale2, [STORED_OFFSET] = &s->offset, [STORED_MIN] = &s->min,
        [STORED_MIN2] = &s->min2};
    return (assay_field *)(uintptr_t)fields[i];
}

static size_t digit_bits(const assay_digit *d, size_t x)
{
    size_t value = (x * d->mul + d->add) / d->div;
    if (d->mod) value %= d->mod;
    return value * d->stride;
}

static size_t plane_bits(const assay_plane *plane, assay_index index, size_t x)
{
    size_t bits = 0;
    for (size_t i = 0; i < plane->n_digits; i++)
        if (plane->digits[i].index == index) bits += digit_bits(&plane->digits[i], x);
    return bits;
}

/* Adds a digit at x, x + 1, … to bits. It is counted on, since a division takes longer than all else here. */
static void add_digit(const assay_digit *d, size_t x, size_t n, size_t *bits)
{
    const size_t begin = x * d->mul + d->add, step = d->mul / d->div, more = d->mul % d->div;
    size_t value = begin / d->div, rest = begin % d->div;
    if (d->mod) value %= d->mod;
    for (size_t j = 0; j < n; j++) {
        bits[j] += value * d->stride;
        value += step;
        rest += more;
        if (rest >= d->div) {
            rest -= d->div;
            value++;
        }
        if (d->mod && value >= d->mod) value %= d->mod;
    }
}

/* Adds the digits of a plane that depend on `index` at x, x + 1, … to bits. */
static void add_digits(const assay_plane *plane, assay_index index, size_t x, size_t n, size_t *bits)
{
    for (size_t i = 0; i < plane->n_digits; i++)
        if (plane->digits[i].index == index) add_digit(&plane->digits[i], x, n, bits);
}

/* Adds both digits of the columns' groups to the bits of plane p. */
static void add_groups(block_field *b, size_t p, size_t row, size_t first, size_t n)
{
    const assay_plane *plane = &b->field->layout->planes[p];
    for (size_t j = 0; j < n; j++) {
        int32_t group;
        memcpy(&group, (const char *)b->group_of + (first + j) * sizeof group, sizeof group);
        b->bit[p][j] += plane_bits(plane, ASSAY_INDEX_COLUMN, (size_t)group);
        if (b->by_element)
            b->bit[p][j] += plane_bits(plane, ASSAY_INDEX_ELEMENT, row * b->n_in + (size_t)group);
    }
}

/* Fills in the columns; row: of a field with digits of the element. */
static void locate_columns(block_field *b, size_t row, size_t first, size_t n)
{
    const assay_layout *l = b->field->layout;
    for (size_t j = 0; j < n; j++) b->repeats[j] = j > 0;
    for (size_t p = 0; p < l->n_planes; p++) {
        size_t *bits = b->bit[p];
        memset(bits, 0, n * sizeof *bits);
        if (b->group_of) {
            add_groups(b, p, row, first, n);
        } else {
            add_digits(&l->planes[p], ASSAY_INDEX_COLUMN, first, n, bits);
            add_digits(&l->planes[p], ASSAY_INDEX_ELEMENT, row * b->n_in + first, n, bits);
        }
        for (size_t j = 1; j < n; j++) b->repeats[j] = b->repeats[j] && bits[j] == bits[j - 1];
    }
}

static bool depends_on_element(const assay_layout *l)
{
    for (size_t p = 0; p < l->n_planes; p++)
        for (size_t i = 0; i < l->planes[p].n_digits; i++)
            if (l->planes[p].digits[i].index == ASSAY_INDEX_ELEMENT) return true;
    return false;
}

static void begin_block(block_field *b, const assay_stored *s, const assay_field *field, size_t first,
                        size_t n)
{
    const bool grouped =
        field == &s->zero || field == &s->scale || field == &s->scale2 || field == &s->offset;
    b->field = field;
    b->group_of = grouped ? s->group_of : NULL;
    b->n_in = s->n_in;
    b->by_element = depends_on_element(field->layout);
    if (!b->by_element) locate_columns(b, 0, first, n);
}

/* At most 8 bits. */
static unsigned read_code(const unsigned char *bytes, size_t bit, unsigned width)
{
    const unsigned shift = bit % 8;
    unsigned word = bytes[bit / 8];
    if (shift + width > 8) word |= (unsigned)bytes[bit / 8 + 1] << 8;
    return word >> shift & ((1U << width) - 1);
}

/* The numbers at the columns that do not repeat; of codes, before minus and times. */
static void read_codes(const block_field *b, const size_t *start, size_t n, double *out)
{
    const assay_layout *l = b->field->layout;
    unsigned char code[STORED_BLOCK] = {0};
    for (size_t p = 0, shift = 0; p < l->n_planes; shift += l->planes[p++].width)
        for (size_t j = 0; j < n; j++)
            if (!b->repeats[j])
                code[j] |=
                    (unsigned char)(read_code(b->field->bytes, start[p] + b->bit[p][j], l->planes[p].width)
                                    << shift);
    for (size_t j = 0; j < n; j++)
        out[j] = l->table                ? l->table[code[j]]
                 : l->number == ASSAY_I8 ? (double)(int8_t)code[j]
                                         : (double)code[j];
}

static void read_floats(const block_field *b, const size_t *start, size_t n, double *out)
{
    const assay_layout *l = b->field->layout;
    const char *bytes = b->field->bytes;
    for (size_t j = 0; j < n; j++) {
        if (!l->n_planes) out[j] = 0;
        else if (!b->repeats[j])
            dtype_to_f64(&out[j], bytes + (start[0] + b->bit[0][j]) / 8, (assay_dtype)l->number, 1);
    }
}

static void read_row(block_field *b, size_t row, size_t first, size_t n, double *out)
{
    const assay_layout *l = b->field->layout;
    size_t start[ASSAY_LAYOUT_PLANES];
    if (b->by_element) locate_columns(b, row, first, n);
    for (size_t p = 0; p < l->n_planes; p++)
        start[p] = l->planes[p].base + plane_bits(&l->planes[p], ASSAY_INDEX_ROW, row);
    if (l->number == ASSAY_U8 || l->number == ASSAY_I8) read_codes(b, start, n, out);
    else read_floats(b, start, n, out);
    for (size_t j = 0; j < n; j++) out[j] = b->repeats[j] ? out[j - 1] : (out[j] - l->minus) * l->times;
}

static size_t stored_row(const assay_stored *s, size_t o)
{
    size_t row = s->first_row;
    if (s->n_row_digits == 0) return row + o;
    for (size_t i = 0; i < s->n_row_digits; i++) row += digit_bits(&s->row_digits[i], o);
    return row;
}

void stored_field(const assay_stored *s, const assay_field *field, size_t first_row, size_t n_rows,
                  size_t first_col, size_t n_cols, double *out, size_t ld)
{
    block_field b;
    assert(field->layout && n_cols <= STORED_BLOCK);
    begin_block(&b, s, field, first_col, n_cols);
    for (size_t i = 0; i < n_rows; i++)
        read_row(&b, stored_row(s, first_row + i), first_col, n_cols, out + i * ld);
}

void stored_locate(const assay_stored *s, const assay_field *field, size_t row, size_t k,
                   size_t bits[ASSAY_LAYOUT_PLANES])
{
    block_field b;
    begin_block(&b, s, field, k, 1);
    if (b.by_element) locate_columns(&b, row, k, 1);
    for (size_t p = 0; p < field->layout->n_planes; p++)
        bits[p] = field->layout->planes[p].base +
                  plane_bits(&field->layout->planes[p], ASSAY_INDEX_ROW, row) + b.bit[p][0];
}

/* Decodes a field's part of a row into values and returns them; NULL if the field is absent. */
static const double *read_part(block_field *b, size_t row, size_t first, size_t n, double *values)
{
    if (!b->field) return NULL;
    read_row(b, row, first, n, values);
    return values;
}

static void combine_row(block_field b[STORED_FIELDS], const assay_stored *s, size_t row, size_t first,
                        size_t n, double *out)
{
    double values[STORED_FIELDS][STORED_BLOCK];
    const double *part[STORED_FIELDS];
    for (size_t i = 0; i < STORED_FIELDS; i++)
        part[i] = read_part(&b[i], row, first, n, i == STORED_CODES ? out : &values[i][0]);
    const double *zero = part[STORED_ZERO], *scale = part[STORED_SCALE], *scale2 = part[STORED_SCALE2],
                 *offset = part[STORED_OFFSET], *min = part[STORED_MIN], *min2 = part[STORED_MIN2];
    for (size_t j = 0; j < n; j++) {
        double w = zero ? out[j] - zero[j] : out[j];
        if (s->scale2_divides) w = w * (scale ? scale[j] : 1) / scale2[j];
        else if (scale) w *= (scale2 ? scale[j] * scale2[j] : scale[j]) + (offset ? offset[j] : 0);
        out[j] = min ? w - (min2 ? min[j] * min2[j] : min[j]) : w;
    }
}

void stored_block(const assay_stored *s, size_t first_row, size_t n_rows, size_t first_col, size_t n_cols,
                  double *out, size_t ld)
{
    block_field b[STORED_FIELDS];
    assert(s->codes.layout && n_cols <= STORED_BLOCK);
    for (size_t i = 0; i < STORED_FIELDS; i++) {
        const assay_field *field = stored_field_at(s, i);
        b[i].field = NULL;
        if (field->layout) begin_block(&b[i], s, field, first_col, n_cols);
    }
    for (size_t i = 0; i < n_rows; i++)
        combine_row(b, s, stored_row(s, first_row + i), first_col, n_cols, out + i * ld);
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
