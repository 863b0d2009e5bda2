/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/stored/repack.h"

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "fastpath/kernels/matmul/panels.h"
#include "fastpath/kernels/stored/form.h"
#include "model/numerics/stored.h"

enum { ROWS = 32 }; /* that are decoded at once, so that the places of their columns are found once */

/* Codes of n rows and n_cols columns, as they are packed: integers from 0 on, or indices of the table. codes:
 * [n, ld]. */
static void read_codes(const assay_stored *s, size_t row, size_t n, size_t col, size_t n_cols,
                       const assay_weight *w, uint8_t *codes, size_t ld)
{
    fp_integers is = {.factor = 1};
    assay_layout layout = *s->codes.layout;
    assay_field field = s->codes;
    double code[ROWS * STORED_BLOCK];
    if (!fp_has_table(w->dtype)) {
        is = fp_form_centred(&layout, w->bits);
    } else {
        layout.table = NULL;
        layout.times = 1;
        field.layout = &layout;
    }
    for (size_t k = 0; k < n_cols; k += STORED_BLOCK) {
        const size_t n_here = n_cols - k < STORED_BLOCK ? n_cols - k : STORED_BLOCK;
        stored_field(s, &field, row, n, col + k, n_here, code, STORED_BLOCK);
        for (size_t r = 0; r < n; r++)
            for (size_t i = 0; i < n_here; i++)
                codes[r * ld + k + i] = (uint8_t)(code[r * STORED_BLOCK + i] * is.factor - is.lowest);
    }
}

/* n codes, of a multiple of 32 bits in all, into a stream of bits. */
static void put_codes(uint32_t *words, size_t bits, const uint8_t *codes, size_t n)
{
    uint64_t waiting = 0;
    size_t n_waiting = 0;
    for (size_t i = 0; i < n; i++) {
        waiting |= (uint64_t)codes[i] << n_waiting;
        n_waiting += bits;
        if (n_waiting < 32) continue;
        *words++ = (uint32_t)waiting;
        waiting >>= 32;
        n_waiting -= 32;
    }
}

/* The numbers of a field that is constant in the group, one for each row, or `absent`. */
static void group_numbers(const assay_stored *s, const assay_field *f, size_t row, size_t n, size_t col,
                          double absent, double *out)
{
    stored_field_or(s, f, absent, row, n, col, 1, out, 1);
}

/* Number `index` of an array. */
static char *number_at(const void *numbers, assay_dtype dtype, size_t index)
{
    return (char *)(uintptr_t)numbers + index * dtype_size(dtype);
}

/* What becomes of the groups of a column, for n rows. With c the integer:
 * ((c + lowest) / factor - zero) scale - min = scale' c + bias. */
typedef struct group_values {
    double scale[ROWS], bias[ROWS], scale2[ROWS], bias2[ROWS]; /* the last two of supers */
} group_values;

static void find_groups(const assay_stored *s, size_t row, size_t n, size_t col, const assay_weight *w,
                        group_values *out)
{
    double offset[ROWS], zero[ROWS], min[ROWS];
    fp_integers is = {.factor = 1};
    if (!fp_has_table(w->dtype)) is = fp_form_centred(s->codes.layout, w->bits);
    group_numbers(s, &s->scale, row, n, col, 1, out->scale);
    group_numbers(s, &s->scale2, row, n, col, 1, out->scale2);
    group_numbers(s, &s->offset, row, n, col, 0, offset);
    group_numbers(s, &s->zero, row, n, col, 0, zero);
    group_numbers(s, &s->min, row, n, col, 0, min);
    group_numbers(s, &s->min2, row, n, col, 1, out->bias2);
    for (size_t r = 0; r < n; r++) {
        if (fp_has_supers(w->dtype)) {
            out->scale2[r] /= is.factor;
            out->bias[r] = -min[r];
            continue;
        }
        const double factor =
            s->scale2_divides ? out->scale[r] / out->scale2[r] : out->scale[r] * out->scale2[r] + offset[r];
        out->scale[r] = factor / is.factor;
        out->bias[r] = (is.lowest / is.factor - zero[r]) * factor - min[r] * out->bias2[r];
    }
}

/* Numbers `stride` numbers apart. */
static void set_groups(const group_values *from, size_t n, const assay_weight *w, void *scales, void *biases,
                       size_t stride)
{
    for (size_t r = 0; r < n; r++) {
        dtype_from_f64(number_at(scales, w->scale_dtype, r * stride), &from->scale[r], w->scale_dtype, 1);
        if (w->bias_dtype != ASSAY_DTYPE_NONE)
            dtype_from_f64(number_at(biases, w->bias_dtype, r * stride), &from->bias[r], w->bias_dtype, 1);
    }
}

void fp_repack_supers(const assay_stored *s, size_t row, size_t n, size_t col, const assay_weight *w,
                      float *supers)
{
    group_values values;
    const size_t n_kinds = w->bias_dtype == ASSAY_DTYPE_NONE ? 1 : 2;
    memset(supers, 0, n_kinds * FP_PANEL * sizeof *supers);
    find_groups(s, row, n, col, w, &values);
    for (size_t r = 0; r < n; r++) supers[r] = (float)values.scale2[r];
    for (size_t r = 0; n_kinds > 1 && r < n; r++) supers[FP_PANEL + r] = (float)values.bias2[r];
}

void fp_repack_group(const assay_stored *s, size_t row, size_t n, size_t col, const assay_weight *w,
                     uint32_t *words, void *scales, void *biases)
{
    uint8_t codes[ROWS * AFFINE_GROUP_MAX];
    group_values values;
    read_codes(s, row, n, col, w->group, w, codes, AFFINE_GROUP_MAX);
    for (size_t r = 0; r < n; r++)
        put_codes(words + r * (w->group * w->bits / 32), w->bits, codes + r * AFFINE_GROUP_MAX, w->group);
    find_groups(s, row, n, col, w, &values);
    set_groups(&values, n, w, scales, biases, 1);
}

void fp_repack_table(const assay_stored *s, const assay_weight *w, float *table)
{
    const assay_layout *l = s->codes.layout;
    size_t n = 1;
    for (size_t p = 0; p < l->n_planes; p++) n <<= l->planes[p].width;
    memset(table, 0, sizeof *table << w->bits);
    for (size_t code = 0; code < n; code++) table[code] = (float)(l->table[code] * l->times);
}

/* Rows first … first + n - 1 of w, whose arrays are memory of fp_repack_rows; at most ROWS. codes: scratch,
 * [n + 1, n_in]. */
static void repack_rows(const assay_stored *s, const int32_t *order, size_t row, size_t first, size_t n,
                        const assay_weight *w, uint8_t *codes)
{
    const size_t n_groups = s->n_in / w->group, n_words = w->group * w->bits / 32;
    uint32_t *words = (uint32_t *)(uintptr_t)w->rows + first * w->stride;
    uint8_t *sorted = codes + n * s->n_in;
    read_codes(s, row, n, 0, s->n_in, w, codes, s->n_in);
    for (size_t r = 0; r < n; r++, codes += s->n_in, words += w->stride) {
        for (size_t i = 0; order && i < s->n_in; i++) sorted[i] = codes[order[i]];
        for (size_t g = 0; g < n_groups; g++)
            put_codes(words + g * n_words, w->bits, (order ? sorted : codes) + g * w->group, w->group);
    }
    for (size_t g = 0; g < n_groups; g++) {
        group_values values;
        find_groups(s, row, n, order ? (size_t)order[g * w->group] : g * w->group, w, &values);
        set_groups(&values, n, w, number_at(w->scales, w->scale_dtype, first * n_groups + g),
                   number_at(w->biases, w->bias_dtype, first * n_groups + g), n_groups);
    }
}

bool fp_repack_rows(const assay_stored *s, const int32_t *order, size_t first, size_t n, assay_weight *w,
                    void **memory)
{
    const size_t n_words = (s->n_in * w->bits + 31) / 32, n_groups = s->n_in / w->group;
    const size_t n_bytes = n * (n_words + 2 * n_groups) * sizeof(uint32_t);
    char *bytes = malloc(n_bytes + (ROWS + 1) * s->n_in);
    *memory = bytes;
    if (!bytes) return false;
    w->n_out = n;
    w->n_in = s->n_in;
    w->rows = bytes;
    w->stride = n_words;
    w->scales = bytes + n * n_words * sizeof(uint32_t);
    w->biases = bytes + n * (n_words + n_groups) * sizeof(uint32_t);
    for (size_t r = 0; r < n; r += ROWS)
        repack_rows(s, order, first + r, r, n - r < ROWS ? n - r : ROWS, w, (uint8_t *)bytes + n_bytes);
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
