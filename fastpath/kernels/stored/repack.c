/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/stored/repack.h"

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
    double lowest, highest, factor;
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
    integers is = {.lowest = table[0], .highest = table[0], .factor = 1};
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(table[i]) <= 127) || 2 * table[i] != floor(2 * table[i])) return (integers){0};
        if (table[i] != floor(table[i])) is.factor = 2;
        is.lowest = fmin(is.lowest, table[i]);
        is.highest = fmax(is.highest, table[i]);
    }
    is.bits = bits_for((is.highest - is.lowest) * is.factor);
    is.lowest *= is.factor;
    is.highest *= is.factor;
    return is;
}

static integers code_integers(const assay_layout *l)
{
    size_t bits = 0;
    if ((l->number != ASSAY_U8 && l->number != ASSAY_I8) || l->times != 1) return (integers){0};
    for (size_t p = 0; p < l->n_planes; p++) bits += l->planes[p].width;
    if (bits == 0 || bits > 8) return (integers){0};
    if (l->table) return l->minus == 0 ? table_integers(l->table, (size_t)1 << bits) : (integers){0};
    const double lowest = (l->number == ASSAY_I8 ? -128 : 0) - l->minus;
    return (integers){lowest, lowest + (double)((1U << bits) - 1), 1, bits};
}

/* Has code 2^(bits - 1), which the kernels subtract, stand for 0 if the range allows it: otherwise they add
 * up codes and a bias that cancel. */
static void centre(integers *is, size_t bits)
{
    const double half = (double)(1U << (bits - 1));
    if (is->lowest < 0 && is->lowest >= -half && is->highest <= half - 1) is->lowest = -half;
}

/* The significant bits of a number, at most 25. */
static int significant_bits(double x)
{
    int exponent, bits = 25;
    double fraction = ldexp(fabs(frexp(x, &exponent)), 24);
    if (x == 0 || !isfinite(x)) return 0;
    if (fraction > floor(fraction)) return bits;
    for (bits = 24; fmod(fraction, 2) == 0; fraction /= 2) bits--;
    return bits;
}

/* The significant bits that the numbers of a field may have; INEXACT: more than float32 has. An absent field
 * is a constant. */
enum { INEXACT = 53 };
static int count_bits(const assay_field *f)
{
    static const int OF_FLOAT[] = {[ASSAY_F16] = 11, [ASSAY_BF16] = 8, [ASSAY_F32] = 24};
    const assay_layout *l = f->layout;
    int bits = 0, most = 0;
    if (!l) return 0;
    if (significant_bits(l->times) > 1 || l->n_planes == 0 || (l->table && l->minus != 0)) return INEXACT;
    if (l->number == ASSAY_F16 || l->number == ASSAY_BF16 || l->number == ASSAY_F32)
        return l->minus != 0 ? INEXACT : OF_FLOAT[l->number];
    for (size_t p = 0; p < l->n_planes; p++) bits += (int)l->planes[p].width;
    if (!l->table) return bits + (l->minus != 0 || l->number == ASSAY_I8);
    for (size_t code = 0; code < (size_t)1 << bits; code++) {
        const int found = significant_bits(l->table[code]);
        if (found > most) most = found;
    }
    return most;
}

/* Whether the field holds integers of at most 8 bits. */
static bool is_whole(const assay_field *f)
{
    const integers is = code_integers(f->layout);
    return is.bits && is.factor <= 1;
}

bool fp_repack_is_exact(const assay_stored *s)
{
    const integers is = code_integers(s->codes.layout);
    const double lowest = is.lowest / is.factor;
    const int factor = count_bits(&s->scale) + count_bits(&s->scale2),
              min = count_bits(&s->min) + count_bits(&s->min2);
    int zero = significant_bits(lowest);
    if (s->zero.layout && (!is_whole(&s->zero) || is.factor > 1)) return false;
    if (s->zero.layout) zero = 9;
    if (s->offset.layout || s->scale2_divides || factor > 24 || min > 24 || zero + factor > 24) return false;
    return !s->min.layout || (!s->zero.layout && lowest == 0);
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

void fp_repack_group(const assay_stored *s, size_t row, size_t col, const assay_weight *w, uint32_t *words,
                     float *scale, float *bias)
{
    integers is = code_integers(s->codes.layout);
    centre(&is, w->bits);
    memset(words, 0, w->group * w->bits / 8);
    for (size_t k = 0; k < w->group; k += STORED_BLOCK) {
        double code[STORED_BLOCK];
        const size_t n_cols = w->group - k < STORED_BLOCK ? w->group - k : STORED_BLOCK;
        stored_field(s, &s->codes, row, 1, col + k, n_cols, code, n_cols);
        for (size_t i = 0; i < n_cols; i++)
            put_code(words, k + i, w->bits, (uint32_t)(code[i] * is.factor - is.lowest));
    }
    set_group(s, row, col, &is, scale, bias);
}

bool fp_repack_affine(const assay_stored *s, size_t first, size_t n, assay_weight *w, void **memory)
{
    const size_t n_words = (s->n_in * w->bits + 31) / 32, n_groups = s->n_in / w->group;
    uint32_t *words = malloc(n * (n_words + 2 * n_groups) * sizeof *words);
    *memory = words;
    if (!words) return false;
    float *scales = (float *)(void *)(words + n * n_words), *biases = scales + n * n_groups;
    for (size_t r = 0; r < n; r++)
        for (size_t g = 0; g < n_groups; g++)
            fp_repack_group(s, first + r, g * w->group, w,
                            words + r * n_words + g * (w->group * w->bits / 32), &scales[r * n_groups + g],
                            &biases[r * n_groups + g]);
    w->n_out = n;
    w->n_in = s->n_in;
    w->rows = words;
    w->stride = n_words;
    w->scales = scales;
    w->biases = biases;
    return true;
}

void fp_repack_numbers(const assay_stored *s, size_t row, size_t col, size_t n, float *out)
{
    double wide[STORED_BLOCK];
    stored_block(s, row, 1, col, n, wide, n);
    for (size_t i = 0; i < n; i++) out[i] = (float)wide[i];
}

void fp_repack_f32(const assay_stored *s, size_t first, size_t n, float *out)
{
    for (size_t k = 0; k < s->n_in; k += STORED_BLOCK)
        for (size_t r = 0; r < n; r++) {
            const size_t n_cols = s->n_in - k < STORED_BLOCK ? s->n_in - k : STORED_BLOCK;
            fp_repack_numbers(s, first + r, k, n_cols, out + r * s->n_in + k);
        }
}
