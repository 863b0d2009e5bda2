/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/stored/repack.h"

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "fastpath/kernels/matmul/panels.h"
#include "fastpath/kernels/stored/form.h"
#include "model/numerics/stored.h"

/* Codes of a row from a column on, as they are packed: integers from 0 on, or indices of the table. */
static void read_codes(const assay_stored *s, size_t row, size_t col, size_t n, const assay_weight *w,
                       uint8_t *codes)
{
    const bool is_table = w->dtype == FP_TABLE;
    fp_integers is = {.factor = 1};
    assay_layout layout = *s->codes.layout;
    assay_field field = s->codes;
    if (!is_table) {
        is = fp_form_centred(&layout, w->bits);
    } else {
        layout.table = NULL;
        layout.times = 1;
        field.layout = &layout;
    }
    for (size_t k = 0; k < n; k += STORED_BLOCK) {
        double code[STORED_BLOCK];
        const size_t n_cols = n - k < STORED_BLOCK ? n - k : STORED_BLOCK;
        stored_field(s, &field, row, 1, col + k, n_cols, code, n_cols);
        for (size_t i = 0; i < n_cols; i++) codes[k + i] = (uint8_t)(code[i] * is.factor - is.lowest);
    }
}

/* n codes into a stream of bits. */
static void put_codes(uint32_t *words, size_t bits, const uint8_t *codes, size_t n)
{
    memset(words, 0, n * bits / 8);
    for (size_t i = 0; i < n; i++) {
        const size_t at = i * bits, shift = at % 32;
        words[at / 32] |= (uint32_t)codes[i] << shift;
        if (shift + bits > 32) words[at / 32 + 1] |= (uint32_t)codes[i] >> (32 - shift);
    }
}

/* A number of a field that is constant in the group, or `absent`. */
static double group_number(const assay_stored *s, const assay_field *f, size_t row, size_t col, double absent)
{
    double value = absent;
    if (f->layout) stored_field(s, f, row, 1, col, 1, &value, 1);
    return value;
}

/* Of the group of a column. With c the integer: ((c + lowest) / factor - zero) scale - min = scale' c + bias.
 */
static void set_group(const assay_stored *s, size_t row, size_t col, const assay_weight *w, void *scale,
                      void *bias)
{
    const double second = group_number(s, &s->scale2, row, col, 1);
    fp_integers is = {.factor = 1};
    double factor = group_number(s, &s->scale, row, col, 1);
    if (w->dtype != FP_TABLE) is = fp_form_centred(s->codes.layout, w->bits);
    factor = s->scale2_divides ? factor / second : factor * second + group_number(s, &s->offset, row, col, 0);
    const double zero = group_number(s, &s->zero, row, col, 0);
    const double min = group_number(s, &s->min, row, col, 0) * group_number(s, &s->min2, row, col, 1);
    const double to_scale = factor / is.factor, to_bias = (is.lowest / is.factor - zero) * factor - min;
    dtype_from_f64(scale, &to_scale, w->scale_dtype, 1);
    if (w->bias_dtype != ASSAY_DTYPE_NONE) dtype_from_f64(bias, &to_bias, w->bias_dtype, 1);
}

void fp_repack_group(const assay_stored *s, size_t row, size_t col, const assay_weight *w, uint32_t *words,
                     void *scale, void *bias)
{
    uint8_t codes[AFFINE_GROUP_MAX];
    read_codes(s, row, col, w->group, w, codes);
    put_codes(words, w->bits, codes, w->group);
    set_group(s, row, col, w, scale, bias);
}

void fp_repack_table(const assay_stored *s, const assay_weight *w, float *table)
{
    const assay_layout *l = s->codes.layout;
    size_t n = 1;
    for (size_t p = 0; p < l->n_planes; p++) n <<= l->planes[p].width;
    memset(table, 0, sizeof *table << w->bits);
    for (size_t code = 0; code < n; code++) table[code] = (float)(l->table[code] * l->times);
}

/* The numbers of an array of scales or biases that belong to group g of row r. */
static char *number_at(const void *numbers, assay_dtype dtype, size_t index)
{
    return (char *)(uintptr_t)numbers + index * dtype_size(dtype);
}

/* Row r of w, whose arrays are memory of fp_repack_rows. codes, sorted: scratch, [n_in]. */
static void repack_row(const assay_stored *s, const int32_t *order, size_t row, size_t r,
                       const assay_weight *w, uint8_t *codes, uint8_t *sorted)
{
    const size_t n_groups = s->n_in / w->group;
    uint32_t *words = (uint32_t *)(uintptr_t)w->rows + r * w->stride;
    read_codes(s, row, 0, s->n_in, w, codes);
    for (size_t i = 0; order && i < s->n_in; i++) sorted[i] = codes[order[i]];
    for (size_t g = 0; g < n_groups; g++) {
        const size_t at = g * w->group;
        put_codes(words + at * w->bits / 32, w->bits, (order ? sorted : codes) + at, w->group);
        set_group(s, row, order ? (size_t)order[at] : at, w,
                  number_at(w->scales, w->scale_dtype, r * n_groups + g),
                  number_at(w->biases, w->bias_dtype, r * n_groups + g));
    }
}

bool fp_repack_rows(const assay_stored *s, const int32_t *order, size_t first, size_t n, assay_weight *w,
                    void **memory)
{
    const size_t n_words = (s->n_in * w->bits + 31) / 32, n_groups = s->n_in / w->group;
    const size_t n_bytes = n * (n_words + 2 * n_groups) * sizeof(uint32_t) + 2 * s->n_in;
    char *bytes = malloc(n_bytes);
    *memory = bytes;
    if (!bytes) return false;
    w->n_out = n;
    w->n_in = s->n_in;
    w->rows = bytes;
    w->stride = n_words;
    w->scales = bytes + n * n_words * sizeof(uint32_t);
    w->biases = bytes + n * (n_words + n_groups) * sizeof(uint32_t);
    uint8_t *codes = (uint8_t *)bytes + n_bytes - 2 * s->n_in;
    for (size_t r = 0; r < n; r++) repack_row(s, order, first + r, r, w, codes, codes + s->n_in);
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
