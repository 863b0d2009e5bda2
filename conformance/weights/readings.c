/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/weights/readings.h"

#include "conformance/weights/groups.h"

/* A change of what conf_reading_at has filled in; false: the format has no such reading. */
typedef bool change_fn(conf_reading *r, int by);

typedef struct change {
    const char *fault;
    change_fn *change;
    int by;
} change;

static bool add_to_codes(conf_reading *r, int by)
{
    if (r->codes.table || r->codes.number == ASSAY_F32 || !r->is.scale.layout) return false;
    r->codes.minus += by;
    return true;
}

static bool shift_zeros(conf_reading *r, int by)
{
    return r->is.zero.layout && add_to_codes(r, by);
}

static bool shift_codes(conf_reading *r, int by)
{
    return !r->is.zero.layout && !r->is.min.layout && add_to_codes(r, by);
}

/* Moves the columns or rows at which a field is read. Offsets below 0 wrap, and are added to a larger one. */
static void move_field(assay_layout *l, assay_index index, size_t by)
{
    for (size_t p = 0; p < l->n_planes; p++)
        for (size_t i = 0; i < l->planes[p].n_digits; i++)
            if (l->planes[p].digits[i].index == index)
                l->planes[p].digits[i].add += l->planes[p].digits[i].mul * by;
}

/* Leaves out the groups that have no neighbour. */
static void narrow(size_t *first, size_t *end, size_t width, int by)
{
    if (by > 0) *end = *end > width ? *end - width : 0;
    else *first += width;
}

static bool move_columns(conf_reading *r, const assay_field *field, assay_layout *l, size_t width, int by)
{
    if (!field->layout || width == 0 || r->is.group_of) return false;
    move_field(l, ASSAY_INDEX_COLUMN, by > 0 ? width : (size_t)0 - width);
    move_field(l, ASSAY_INDEX_ELEMENT, by > 0 ? width : (size_t)0 - width);
    return true;
}

static bool move_scales(conf_reading *r, int by)
{
    const size_t width = conf_groups_width(&r->is, &r->is.scale);
    narrow(&r->first_column, &r->end_column, width, by);
    return move_columns(r, &r->is.scale, &r->scale, width, by);
}

static bool move_scales_and_minimums(conf_reading *r, int by)
{
    const size_t width = conf_groups_width(&r->is, &r->is.scale);
    const bool has_zero = move_columns(r, &r->is.zero, &r->zero, width, by),
               has_min = move_columns(r, &r->is.min, &r->min, width, by);
    return (has_zero || has_min) && move_scales(r, by);
}

static bool move_minimums(conf_reading *r, int by)
{
    const size_t width = conf_groups_width(&r->is, &r->is.scale);
    narrow(&r->first_column, &r->end_column, width, by);
    const bool has_zero = move_columns(r, &r->is.zero, &r->zero, width, by);
    return move_columns(r, &r->is.min, &r->min, width, by) || has_zero;
}

static bool move_second_scales(conf_reading *r, int by)
{
    const size_t width = conf_groups_width(&r->is, &r->is.scale2);
    narrow(&r->first_column, &r->end_column, width, by);
    (void)move_columns(r, &r->is.min2, &r->min2, width, by);
    return move_columns(r, &r->is.scale2, &r->scale2, width, by);
}

/* The rows that share a scale: 0 if all do. */
static size_t rows_of_scale(const assay_layout *l)
{
    for (size_t i = 0; l->n_planes && i < l->planes[0].n_digits; i++)
        if (l->planes[0].digits[i].index == ASSAY_INDEX_ROW)
            return l->planes[0].digits[i].div / l->planes[0].digits[i].mul;
    return 0;
}

static bool move_row_scales(conf_reading *r, int by)
{
    const size_t height = r->is.scale.layout ? rows_of_scale(&r->scale) : 0;
    if (height == 0 || r->is.n_row_digits) return false;
    narrow(&r->first_row, &r->end_row, height, by);
    move_field(&r->scale, ASSAY_INDEX_ROW, by > 0 ? height : (size_t)0 - height);
    return true;
}

/* A grid of n by n scales, its rows read as columns. */
static bool transpose_scales(conf_reading *r, int by)
{
    assay_plane *plane = &r->scale.planes[0];
    (void)by;
    if (!r->is.scale.layout || r->scale.n_planes != 1 || plane->n_digits != 2) return false;
    assay_digit *a = &plane->digits[0], *b = &plane->digits[1];
    if (a->index != ASSAY_INDEX_ROW || b->index != ASSAY_INDEX_COLUMN || a->mod || b->mod) return false;
    const size_t rows = (r->is.n_out + a->div - 1) / a->div, cols = (r->is.n_in + b->div - 1) / b->div;
    if (rows != cols || rows < 2) return false;
    const size_t stride = a->stride;
    a->stride = b->stride;
    b->stride = stride;
    return true;
}

/* Codes of four bits: each is read from the other half of its byte. */
static bool swap_halves(conf_reading *r, int by)
{
    assay_plane *plane = &r->codes.planes[0];
    (void)by;
    if (r->codes.n_planes == 0 || plane->width != 4) return false;
    for (size_t i = 0; i < plane->n_digits; i++) {
        assay_digit *d = &plane->digits[i];
        if (d->mul > 1 && d->div == 1 && d->add == 0 && d->mod % d->mul == 0) { /* bits, not numbers */
            d->mod /= d->mul;
            d->stride *= d->mul;
            d->mul = 1;
        }
        if (d->stride != 4 || d->mul != 1 || (d->mod && d->mod % 2 != 0)) continue;
        if (d->mod == 2) {
            d->add += d->div;
            return true;
        }
        if (plane->n_digits == ASSAY_PLANE_DIGITS) return false;
        assay_digit low = *d;
        low.add += d->div;
        low.mod = 2;
        d->div *= 2;
        d->mod /= 2;
        d->stride = 8;
        plane->digits[plane->n_digits++] = low;
        return true;
    }
    return false;
}

static bool move_high_bits(conf_reading *r, int by)
{
    assay_plane *high = &r->codes.planes[1];
    bool is_moved = false;
    if (r->codes.n_planes != 2 || r->codes.planes[0].width == high->width || r->codes.table) return false;
    for (size_t i = 0; i < high->n_digits; i++) {
        if (high->digits[i].index != ASSAY_INDEX_COLUMN || !high->digits[i].mod) continue;
        high->digits[i].add += by > 0 ? (size_t)by : high->digits[i].div * high->digits[i].mod - (size_t)-by;
        is_moved = true;
    }
    return is_moved;
}

static bool divide_by_second_scale(conf_reading *r, int by)
{
    (void)by;
    r->is.scale2_divides = !r->is.scale2_divides;
    return r->is.scale2.layout && conf_groups_width(&r->is, &r->is.scale2) == 0;
}

static const change CHANGES[] = {
    {"zero points are one too large", shift_zeros, -1},
    {"zero points are one too small", shift_zeros, 1},
    {"codes are one too small", shift_codes, -1},
    {"codes are one too large", shift_codes, 1},
    {"the halves of bytes are swapped", swap_halves, 0},
    {"blocks have the scale of the block before them", move_scales, 1},
    {"blocks have the scale of the block after them", move_scales, -1},
    {"blocks have the scale and the minimum of the block before them", move_scales_and_minimums, 1},
    {"blocks have the scale and the minimum of the block after them", move_scales_and_minimums, -1},
    {"blocks have the minimum of the block before them", move_minimums, 1},
    {"blocks have the minimum of the block after them", move_minimums, -1},
    {"super-blocks have the scale of the super-block before them", move_second_scales, 1},
    {"super-blocks have the scale of the super-block after them", move_second_scales, -1},
    {"rows have the scales of the rows before them", move_row_scales, 1},
    {"rows have the scales of the rows after them", move_row_scales, -1},
    {"the grid of scales is transposed", transpose_scales, 0},
    {"high bits of codes are those of the column before", move_high_bits, 1},
    {"high bits of codes are those of the column after", move_high_bits, -1},
    {"high bits of codes are shifted by 16 columns", move_high_bits, 16},
    {"high bits of codes are shifted by 32 columns", move_high_bits, 32},
    {"high bits of codes are shifted by 32 columns", move_high_bits, -32},
    {"the global scale is multiplied with where it divides, or the reverse", divide_by_second_scale, 0},
};

/* A copy of a field's layout, to be changed. */
static void open_field(assay_field *field, assay_layout *copy)
{
    if (!field->layout) return;
    *copy = *field->layout;
    field->layout = copy;
}

bool conf_reading_at(const assay_stored *s, size_t i, conf_reading *out)
{
    if (i >= sizeof CHANGES / sizeof *CHANGES) return false;
    *out = (conf_reading){.is = *s, .end_row = s->n_out, .end_column = s->n_in};
    open_field(&out->is.codes, &out->codes);
    open_field(&out->is.scale, &out->scale);
    open_field(&out->is.scale2, &out->scale2);
    open_field(&out->is.zero, &out->zero);
    open_field(&out->is.min, &out->min);
    open_field(&out->is.min2, &out->min2);
    const bool is_read = CHANGES[i].change(out, CHANGES[i].by);
    if (is_read && out->first_row < out->end_row && out->first_column < out->end_column)
        out->fault = CHANGES[i].fault;
    return true;
}
