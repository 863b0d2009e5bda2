/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/repack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/kernels/matmul/panels.h"
#include "model/numerics/stored.h"

/* Whether the numbers of a field are the same in all columns of a group. */
static bool is_constant(const assay_field *f, size_t group)
{
    const assay_layout *l = f->layout;
    for (size_t p = 0; l && p < l->n_planes; p++)
        for (size_t i = 0; i < l->planes[p].n_digits; i++) {
            const assay_digit *d = &l->planes[p].digits[i];
            if (d->index == ASSAY_INDEX_ROW || d->stride == 0) continue;
            if (d->index == ASSAY_INDEX_ELEMENT || d->mul != 1 || d->add != 0 || d->div % group != 0)
                return false;
        }
    return true;
}

/* The largest width of groups, at least `least`; 0: none. */
static size_t find_group(const assay_stored *s, size_t least)
{
    const assay_field *const fields[] = {&s->zero, &s->scale, &s->scale2, &s->offset, &s->min, &s->min2};
    for (size_t group = AFFINE_GROUP_MAX; group >= least; group /= 2) {
        bool fits = s->n_in % group == 0;
        for (size_t i = 0; fits && i < sizeof fields / sizeof *fields; i++)
            fits = is_constant(fields[i], group);
        if (fits) return group;
    }
    return 0;
}

/* A field of codes as integers: number of a code = (integer + lowest) / factor. */
typedef struct integers {
    double lowest, factor;
    size_t bits; /* of the integers, from 0 on; 0: the codes are none */
} integers;

static size_t bits_for(double largest)
{
    size_t bits = 1;
    while (bits < 9 && largest > (double)((1U << bits) - 1)) bits++;
    return bits < 9 ? bits : 0;
}

/* Twice the numbers of a table, or the numbers themselves. */
static integers table_integers(const double *table, size_t n)
{
    integers is = {.lowest = table[0], .factor = 1};
    double highest = table[0];
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(table[i]) <= 127) || 2 * table[i] != floor(2 * table[i])) return (integers){0};
        if (table[i] != floor(table[i])) is.factor = 2;
        is.lowest = fmin(is.lowest, table[i]);
        highest = fmax(highest, table[i]);
    }
    is.bits = bits_for((highest - is.lowest) * is.factor);
    is.lowest *= is.factor;
    return is;
}

static integers code_integers(const assay_layout *l)
{
    size_t bits = 0;
    if ((l->number != ASSAY_U8 && l->number != ASSAY_I8) || l->times != 1) return (integers){0};
    for (size_t p = 0; p < l->n_planes; p++) bits += l->planes[p].width;
    if (bits == 0 || bits > 8) return (integers){0};
    if (l->table) return l->minus == 0 ? table_integers(l->table, (size_t)1 << bits) : (integers){0};
    return (integers){(l->number == ASSAY_I8 ? -128 : 0) - l->minus, 1, bits};
}

bool fp_repack_as_affine(const assay_stored *s, bool has_short, assay_weight *out)
{
    const integers is = code_integers(s->codes.layout);
    const size_t group = s->group_of || !is.bits ? 0 : find_group(s, has_short ? FP_GROUP_MIN : 32);
    size_t bits = is.bits;
    if (!group) return false;
    while (!affine_knows_bits(bits) || (group < 32 && bits % 2 != 0)) bits++;
    out->dtype = ASSAY_U32;
    out->bits = bits;
    out->group = group;
    out->scale_dtype = out->bias_dtype = ASSAY_F32;
    return true;
}

/* One code into the stream of a row, whose words are 0 so far. */
static void put_code(uint32_t *words, size_t index, size_t bits, uint32_t code)
{
    const size_t at = index * bits, shift = at % 32;
    words[at / 32] |= code << shift;
    if (shift + bits > 32) words[at / 32 + 1] |= code >> (32 - shift);
}

/* A number of a field that is constant in the group, or `absent`. */
static double group_number(const assay_stored *s, const assay_field *f, size_t row, size_t col, double absent)
{
    double value = absent;
    if (f->layout) stored_field(s, f, row, 1, col, 1, &value, 1);
    return value;
}

/* With c the integer: ((c + lowest) / factor - zero) scale - min = scale' c + bias. */
static void set_group(const assay_stored *s, size_t row, size_t col, const integers *is, float *scale,
                      float *bias)
{
    const double second = group_number(s, &s->scale2, row, col, 1);
    double factor = group_number(s, &s->scale, row, col, 1);
    factor = s->scale2_divides ? factor / second : factor * second + group_number(s, &s->offset, row, col, 0);
    const double zero = group_number(s, &s->zero, row, col, 0);
    const double min = group_number(s, &s->min, row, col, 0) * group_number(s, &s->min2, row, col, 1);
    *scale = (float)(factor / is->factor);
    *bias = (float)((is->lowest / is->factor - zero) * factor - min);
}

bool fp_repack_affine(const assay_stored *s, size_t first, size_t n, assay_weight *w, void **memory)
{
    const integers is = code_integers(s->codes.layout);
    const size_t n_words = (s->n_in * w->bits + 31) / 32, n_groups = s->n_in / w->group;
    uint32_t *words = calloc(n * (n_words + 2 * n_groups), sizeof *words);
    *memory = words;
    if (!words) return false;
    float *scales = (float *)(void *)(words + n * n_words), *biases = scales + n * n_groups;
    for (size_t r = 0; r < n; r++)
        for (size_t k = 0; k < s->n_in; k += STORED_BLOCK) {
            double code[STORED_BLOCK];
            const size_t n_cols = s->n_in - k < STORED_BLOCK ? s->n_in - k : STORED_BLOCK;
            stored_field(s, &s->codes, first + r, 1, k, n_cols, code, n_cols);
            for (size_t i = 0; i < n_cols; i++)
                put_code(words + r * n_words, k + i, w->bits, (uint32_t)(code[i] * is.factor - is.lowest));
        }
    for (size_t r = 0; r < n; r++)
        for (size_t g = 0; g < n_groups; g++)
            set_group(s, first + r, g * w->group, &is, &scales[r * n_groups + g], &biases[r * n_groups + g]);
    w->n_out = n;
    w->n_in = s->n_in;
    w->rows = words;
    w->stride = n_words;
    w->scales = scales;
    w->biases = biases;
    return true;
}

void fp_repack_f32(const assay_stored *s, size_t first, size_t n, float *out)
{
    double wide[STORED_BLOCK];
    for (size_t k = 0; k < s->n_in; k += STORED_BLOCK)
        for (size_t r = 0; r < n; r++) {
            const size_t n_cols = s->n_in - k < STORED_BLOCK ? s->n_in - k : STORED_BLOCK;
            stored_block(s, first + r, 1, k, n_cols, wide, n_cols);
            for (size_t i = 0; i < n_cols; i++) out[r * s->n_in + k + i] = (float)wide[i];
        }
}
