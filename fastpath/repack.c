/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/repack.h"

#include <stdlib.h>
#include <string.h>

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

/* The largest width of groups; 0: none. */
static size_t find_group(const assay_stored *s)
{
    const assay_field *const fields[] = {&s->zero, &s->scale, &s->scale2, &s->offset, &s->min, &s->min2};
    for (size_t group = AFFINE_GROUP_MAX; group >= 32; group /= 2) {
        bool fits = s->n_in % group == 0;
        for (size_t i = 0; fits && i < sizeof fields / sizeof *fields; i++)
            fits = is_constant(fields[i], group);
        if (fits) return group;
    }
    return 0;
}

bool fp_repack_as_affine(const assay_stored *s, assay_weight *out)
{
    const assay_layout *l = s->codes.layout;
    size_t bits = 0;
    const size_t group = s->group_of ? 0 : find_group(s);
    if (!group || (l->number != ASSAY_U8 && l->number != ASSAY_I8) || l->table || l->times != 1) return false;
    for (size_t p = 0; p < l->n_planes; p++) bits += l->planes[p].width;
    if (bits == 0 || bits > 8) return false;
    while (!affine_knows_bits(bits)) bits++;
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

/* With c the unsigned code: (c - lowest - zero) scale - min = scale c + bias. */
static void set_group(const assay_stored *s, size_t row, size_t col, double lowest, float *scale, float *bias)
{
    const double second = group_number(s, &s->scale2, row, col, 1);
    double factor = group_number(s, &s->scale, row, col, 1);
    factor = s->scale2_divides ? factor / second : factor * second + group_number(s, &s->offset, row, col, 0);
    const double zero = lowest + group_number(s, &s->zero, row, col, 0);
    const double min = group_number(s, &s->min, row, col, 0) * group_number(s, &s->min2, row, col, 1);
    *scale = (float)factor;
    *bias = (float)(-zero * factor - min);
}

bool fp_repack_affine(const assay_stored *s, size_t first, size_t n, assay_weight *w, void **memory)
{
    const assay_layout *l = s->codes.layout;
    const double lowest =
        l->number == ASSAY_I8 ? 128 + l->minus : l->minus; /* subtracted from the unsigned code */
    const size_t n_words = affine_words(s->n_in, w->bits), n_groups = s->n_in / w->group;
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
                put_code(words + r * n_words, k + i, w->bits, (uint32_t)(code[i] + lowest));
        }
    for (size_t r = 0; r < n; r++)
        for (size_t g = 0; g < n_groups; g++)
            set_group(s, first + r, g * w->group, lowest, &scales[r * n_groups + g],
                      &biases[r * n_groups + g]);
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
