/* SPDX-License-Identifier: Apache-2.0 */
#include "model/numerics/field.h"

#include <assert.h>
#include <string.h>

#include "base/dtype.h"

size_t field_digit(const assay_digit *d, size_t x)
{
    size_t value = (x * d->mul + d->add) / d->div;
    if (d->mod) value %= d->mod;
    return value * d->stride;
}

static size_t plane_bits(const assay_plane *plane, assay_index index, size_t x)
{
    size_t bits = 0;
    for (size_t i = 0; i < plane->n_digits; i++)
        if (plane->digits[i].index == index) bits += field_digit(&plane->digits[i], x);
    return bits;
}

/* Whether a digit of an element is that of its column and a multiple of its row: a row has whole periods. */
static bool has_whole_rows(const assay_digit *d, size_t n_in)
{
    return n_in * d->mul % (d->div * (d->mod ? d->mod : 1)) == 0;
}

/* What the row adds to the offset of a plane. */
static size_t row_bits(const assay_plane *plane, size_t n_in, size_t row)
{
    size_t bits = plane_bits(plane, ASSAY_INDEX_ROW, row);
    for (size_t i = 0; i < plane->n_digits; i++) {
        const assay_digit *d = &plane->digits[i];
        if (d->index == ASSAY_INDEX_ELEMENT && !d->mod && has_whole_rows(d, n_in))
            bits += row * (n_in * d->mul / d->div) * d->stride;
    }
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

/* Adds the digits of a plane at columns first, first + 1, …; the row counts for elements in rows without
 * whole periods. */
static void add_digits(const block_field *b, const assay_plane *plane, size_t row, size_t *bits)
{
    for (size_t i = 0; i < plane->n_digits; i++) {
        const assay_digit *d = &plane->digits[i];
        if (d->index == ASSAY_INDEX_COLUMN) add_digit(d, b->first, b->n, bits);
        else if (d->index == ASSAY_INDEX_ELEMENT)
            add_digit(d, (has_whole_rows(d, b->n_in) ? 0 : row * b->n_in) + b->first, b->n, bits);
    }
}

/* Adds both digits of the columns' groups. */
static void add_groups(const block_field *b, const assay_plane *plane, size_t row, size_t *bits)
{
    for (size_t j = 0; j < b->n; j++) {
        int32_t group;
        memcpy(&group, (const char *)b->group_of + (b->first + j) * sizeof group, sizeof group);
        bits[j] += plane_bits(plane, ASSAY_INDEX_COLUMN, (size_t)group);
        for (size_t i = 0; i < plane->n_digits; i++)
            if (plane->digits[i].index == ASSAY_INDEX_ELEMENT)
                bits[j] += field_digit(&plane->digits[i],
                                       (has_whole_rows(&plane->digits[i], b->n_in) ? 0 : row * b->n_in) +
                                           (size_t)group);
    }
}

/* The distance of n = 8 offsets, if they have the same and codes of `width` bits there can be read from one
 * word; 0: they have not. */
static unsigned char find_step(const size_t *bits, size_t n, unsigned width)
{
    const size_t step = n == 8 ? bits[1] - bits[0] : 0;
    if (step == 0 || step > 8 || (step < 8 && 7 + 7 * step + width > 64)) return 0;
    for (size_t j = 2; j < n; j++)
        if (bits[j] - bits[j - 1] != step) return 0;
    return (unsigned char)step;
}

/* Fills in the columns; row: of a field that is by_row. */
static void locate_columns(block_field *b, size_t row)
{
    const assay_layout *l = b->field->layout;
    for (size_t p = 0; p < l->n_planes; p++) {
        const assay_plane *plane = &l->planes[p];
        size_t *bits = b->bit[p];
        memset(bits, 0, b->n * sizeof *bits);
        if (b->group_of) add_groups(b, plane, row, bits);
        else add_digits(b, plane, row, bits);
        for (size_t j = 0; j < b->n; j += 8)
            b->step[p][j / 8] = find_step(bits + j, b->n - j < 8 ? b->n - j : 8, plane->width);
    }
}

static bool depends_on_row(const assay_layout *l, size_t n_in)
{
    for (size_t p = 0; p < l->n_planes; p++)
        for (size_t i = 0; i < l->planes[p].n_digits; i++)
            if (l->planes[p].digits[i].index == ASSAY_INDEX_ELEMENT &&
                !has_whole_rows(&l->planes[p].digits[i], n_in))
                return true;
    return false;
}

static bool has_codes(const assay_layout *l)
{
    return l->number == ASSAY_U8 || l->number == ASSAY_I8;
}

static void set_values(const assay_layout *l, double value[256])
{
    size_t bits = 0;
    for (size_t p = 0; p < l->n_planes; p++) bits += l->planes[p].width;
    for (size_t code = 0; code < (size_t)1 << bits; code++) {
        const double plain = l->number == ASSAY_I8 ? (double)(int8_t)code : (double)code;
        value[code] = ((l->table ? l->table[code] : plain) - l->minus) * l->times;
    }
}

void field_find(block_field *b, const assay_stored *s, const assay_field *field, size_t first, size_t n)
{
    const bool grouped =
        field == &s->zero || field == &s->scale || field == &s->scale2 || field == &s->offset;
    assert(n <= STORED_BLOCK);
    b->field = field->layout ? field : NULL;
    if (!b->field) return;
    b->group_of = grouped ? s->group_of : NULL;
    b->n_in = s->n_in;
    b->first = first;
    b->n = n;
    b->by_row = depends_on_row(field->layout, s->n_in);
    if (!b->by_row) locate_columns(b, 0);
}

void field_begin(block_field *b, const assay_stored *s, const assay_field *field, size_t first, size_t n)
{
    field_find(b, s, field, first, n);
    if (b->field && has_codes(field->layout)) set_values(field->layout, b->value);
}

void field_mark(const block_field *b, bool *repeats)
{
    if (!b->field) return;
    for (size_t p = 0; p < b->field->layout->n_planes; p++)
        for (size_t j = 1; j < b->n; j++)
            repeats[j] = repeats[j] && !b->by_row && b->bit[p][j] == b->bit[p][j - 1];
}

void field_keep(block_field *b, const unsigned short *at, size_t n)
{
    if (!b->field) return;
    assert(!b->by_row || n == b->n);
    for (size_t p = 0; !b->by_row && p < b->field->layout->n_planes; p++)
        for (size_t j = 0; j < n; j++) {
            b->bit[p][j] = b->bit[p][at[j]];
            b->step[p][j / 8] = 0;
        }
    b->n = n;
}

/* At most 8 bits. */
static unsigned read_code(const unsigned char *bytes, size_t bit, unsigned width)
{
    const unsigned shift = bit % 8;
    unsigned word = bytes[bit / 8];
    if (shift + width > 8) word |= (unsigned)bytes[bit / 8 + 1] << 8;
    return word >> shift & ((1U << width) - 1);
}

/* Adds 8 codes in consecutive bytes, none in two, to code. */
static void read_bytes(const unsigned char *bytes, unsigned down, unsigned width, unsigned up,
                       unsigned char *code)
{
    uint64_t word, found;
    memcpy(&word, bytes, sizeof word);
    memcpy(&found, code, sizeof found);
    found |= (word >> down & 0x0101010101010101U * ((1U << width) - 1)) << up;
    memcpy(code, &found, sizeof found);
}

/* Adds 8 codes at equal distances in 8 bytes to code. */
static void read_word(const unsigned char *bytes, unsigned down, unsigned step, unsigned width, unsigned up,
                      unsigned char *code)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < 8; i++) word |= (uint64_t)bytes[i] << 8 * i;
    word >>= down;
    for (unsigned j = 0; j < 8; j++, word >>= step)
        code[j] |= (unsigned char)((word & ((1U << width) - 1)) << up);
}

/* Adds the codes of plane p, whose first bit is `start` for an offset of 0, to code, `up` bits up. */
static void read_plane(const block_field *b, size_t p, size_t start, unsigned up, unsigned char *code)
{
    const unsigned char *bytes = b->field->bytes;
    const unsigned width = b->field->layout->planes[p].width;
    for (size_t j = 0; j < b->n; j += 8) {
        const size_t end = b->n - j < 8 ? b->n : j + 8, bit = start + b->bit[p][j];
        const unsigned down = bit % 8, step = bit / 8 + 8 <= b->field->n_bytes ? b->step[p][j / 8] : 0;
        if (step == 8 && down + width <= 8) read_bytes(bytes + bit / 8, down, width, up, code + j);
        else if (step && step < 8) read_word(bytes + bit / 8, down, step, width, up, code + j);
        else
            for (size_t i = j; i < end; i++)
                code[i] |= (unsigned char)(read_code(bytes, start + b->bit[p][i], width) << up);
    }
}

/* The first bit of each plane for an offset of 0. */
static void begin_row(block_field *b, size_t row, size_t start[ASSAY_LAYOUT_PLANES])
{
    const assay_layout *l = b->field->layout;
    if (b->by_row) locate_columns(b, row);
    for (size_t p = 0; p < l->n_planes; p++)
        start[p] = l->planes[p].base + row_bits(&l->planes[p], b->n_in, row);
}

bool field_codes(block_field *b, size_t row, unsigned char *out)
{
    size_t start[ASSAY_LAYOUT_PLANES];
    unsigned up = 0;
    if (!b->field || !has_codes(b->field->layout)) return false;
    begin_row(b, row, start);
    memset(out, 0, b->n);
    for (size_t p = 0; p < b->field->layout->n_planes; up += b->field->layout->planes[p++].width)
        read_plane(b, p, start[p], up, out);
    return true;
}

void field_locate(block_field *b, size_t row, size_t bits[ASSAY_LAYOUT_PLANES])
{
    begin_row(b, row, bits);
    for (size_t p = 0; p < b->field->layout->n_planes; p++) bits[p] += b->bit[p][0];
}

/* Of plain numbers, or of the constant 0. */
static void read_floats(block_field *b, size_t row, double *out)
{
    const assay_layout *l = b->field->layout;
    const char *bytes = b->field->bytes;
    size_t start[ASSAY_LAYOUT_PLANES];
    begin_row(b, row, start);
    for (size_t j = 0; j < b->n; j++) {
        if (l->n_planes)
            dtype_to_f64(&out[j], bytes + (start[0] + b->bit[0][j]) / 8, (assay_dtype)l->number, 1);
        else out[j] = 0;
        out[j] = (out[j] - l->minus) * l->times;
    }
}

void field_read(block_field *b, size_t row, double *out)
{
    unsigned char code[STORED_BLOCK];
    if (field_codes(b, row, code))
        for (size_t j = 0; j < b->n; j++) out[j] = b->value[code[j]];
    else read_floats(b, row, out);
}
