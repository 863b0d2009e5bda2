/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/matmul/panels.h"

#include <string.h>

#include "base/dtype.h"
#include "model/numerics/affine.h"

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* The number of outputs of panel `index`. */
static size_t panel_outputs(const assay_weight *w, size_t index)
{
    size_t left = w->n_out - index * FP_PANEL;
    return left < FP_PANEL ? left : FP_PANEL;
}

static const char *row_of(const assay_weight *w, size_t o)
{
    return (const char *)w->rows + o * w->stride * dtype_size(w->dtype);
}

size_t fp_numbers_bytes(const assay_weight *w)
{
    return round_up(w->n_in * FP_PANEL * dtype_size(w->dtype), ASSAY_ALIGNMENT);
}

/* Packs elements of `bytes` bytes with a stride of FP_PANEL elements. Rows are read a cache line at a
 * time, so that the lines of the panel stay in the L1 cache. */
static void pack_elements(char *panel, const assay_weight *w, size_t index, size_t n_elements, size_t bytes)
{
    const size_t line = ASSAY_ALIGNMENT / bytes, n_out = panel_outputs(w, index);
    if (n_out < FP_PANEL) memset(panel, 0, n_elements * FP_PANEL * bytes);
    for (size_t first = 0; first < n_elements; first += line) {
        size_t end = n_elements - first < line ? n_elements : first + line;
        for (size_t o = 0; o < n_out; o++) {
            const char *from = row_of(w, index * FP_PANEL + o);
            char *to = panel + o * bytes;
            if (bytes == sizeof(uint32_t))
                for (size_t i = first; i < end; i++) memcpy(to + i * FP_PANEL * 4, from + i * 4, 4);
            else
                for (size_t i = first; i < end; i++) memcpy(to + i * FP_PANEL * 2, from + i * 2, 2);
        }
    }
}

void fp_numbers_pack(void *panel, const assay_weight *w, size_t index)
{
    pack_elements(panel, w, index, w->n_in, dtype_size(w->dtype));
}

/* The panel of output o. */
static const char *panel_of(const assay_matrix *w, size_t o)
{
    return (const char *)w->panels + o / FP_PANEL * w->panel_bytes;
}

static double number_at(const char *at, assay_dtype dtype)
{
    float single;
    uint16_t half;
    if (dtype == ASSAY_F32) {
        memcpy(&single, at, sizeof single);
        return (double)single;
    }
    memcpy(&half, at, sizeof half);
    return (double)(dtype == ASSAY_F16 ? dtype_f16_to_f32(half) : dtype_bf16_to_f32(half));
}

void fp_numbers_widen(double *out, const assay_matrix *w, size_t o, size_t from, size_t n)
{
    const size_t bytes = dtype_size(w->dtype);
    for (size_t i = 0; i < n; i++)
        out[i] = number_at(panel_of(w, o) + ((from + i) * FP_PANEL + o % FP_PANEL) * bytes, w->dtype);
}

typedef void widen_fn(double *out, const assay_matrix *w, size_t o, size_t from, size_t n);

static void unpack_row(float *row, const assay_matrix *w, size_t o, widen_fn *widen, size_t part)
{
    double wide[AFFINE_GROUP_MAX];
    for (size_t from = 0; from < w->n_in; from += part) {
        const size_t n = w->n_in - from < part ? w->n_in - from : part;
        widen(wide, w, o, from, n);
        for (size_t i = 0; i < n; i++) row[from + i] = (float)wide[i];
    }
}

void fp_numbers_unpack(float *row, const assay_matrix *w, size_t o)
{
    unpack_row(row, w, o, fp_numbers_widen, AFFINE_GROUP_MAX);
}

size_t fp_pairs_bytes(const assay_weight *w)
{
    return (w->n_in + 1) / 2 * FP_PANEL * sizeof(uint32_t);
}

void fp_pairs_pack(void *panel, const assay_weight *w, size_t index)
{
    char *last = (char *)panel + w->n_in / 2 * FP_PANEL * sizeof(uint32_t);
    pack_elements(panel, w, index, w->n_in / 2, sizeof(uint32_t));
    if (w->n_in % 2 == 0) return;
    memset(last, 0, FP_PANEL * sizeof(uint32_t));
    for (size_t o = 0; o < panel_outputs(w, index); o++)
        memcpy(last + o * sizeof(uint32_t),
               row_of(w, index * FP_PANEL + o) + (w->n_in - 1) * sizeof(uint16_t), sizeof(uint16_t));
}

void fp_pairs_widen(double *out, const assay_matrix *w, size_t o, size_t from, size_t n)
{
    for (size_t i = from; i < from + n; i++) {
        const size_t pair = i / 2 * FP_PANEL + o % FP_PANEL;
        *out++ = number_at(panel_of(w, o) + (2 * pair + i % 2) * sizeof(uint16_t), ASSAY_BF16);
    }
}

void fp_pairs_unpack(float *row, const assay_matrix *w, size_t o)
{
    unpack_row(row, w, o, fp_pairs_widen, AFFINE_GROUP_MAX);
}

size_t fp_groups_bytes(const assay_weight *w)
{
    const assay_matrix m = {.dtype = w->dtype,
                            .bits = w->bits,
                            .group = w->group,
                            .scale_dtype = w->scale_dtype,
                            .bias_dtype = w->bias_dtype};
    return fp_table_bytes(w->dtype, w->bits) + w->n_in / w->group * fp_group_bytes(&m) +
           w->n_in / FP_SUPER * fp_super_bytes(&m);
}

static void pack_numbers(char *to, const void *from, assay_dtype dtype, size_t index)
{
    memcpy(to, (const char *)from + index * dtype_size(dtype), dtype_size(dtype));
}

/* Packs `width` bits of each code, from bit `shift` on, into a plane's words for one output. */
static void pack_plane(char *plane, size_t o, const uint8_t *codes, size_t group, size_t width, size_t shift)
{
    const size_t n_each = 32 / width;
    const uint32_t mask = (1U << width) - 1;
    for (size_t first = 0; first < group; first += n_each) {
        uint32_t word = 0;
        for (size_t i = 0; i < n_each; i++)
            word |= ((uint32_t)codes[first + i] >> shift & mask) << (i % 4 * 8 + i / 4 * width);
        memcpy(plane + (first / n_each * FP_PANEL + o) * sizeof word, &word, sizeof word);
    }
}

/* Exchanges the bits of mask with those `shift` above them. */
static uint32_t exchange_bits(uint32_t x, uint32_t mask, unsigned shift)
{
    const uint32_t differ = (x ^ x >> shift) & mask;
    return x ^ differ ^ differ << shift;
}

/* Reorders a word of whole codes to the order of a plane, by the steps of transposing a matrix of
 * codes. */
static uint32_t plane_word(uint32_t word, size_t width)
{
    if (width == 2) return exchange_bits(exchange_bits(word, 0x00CC00CCU, 6), 0x0000F0F0U, 12);
    if (width == 4) return exchange_bits(exchange_bits(word, 0x0000FF00U, 8), 0x00F000F0U, 4);
    return word;
}

/* Packs the group's codes of output o, of a width that divides a word. */
static void pack_words(char *plane, size_t o, const char *words, size_t group, size_t width)
{
    for (size_t k = 0; k < group * width / 32; k++) {
        uint32_t word;
        memcpy(&word, words + k * sizeof word, sizeof word);
        word = plane_word(word, width);
        memcpy(plane + (k * FP_PANEL + o) * sizeof word, &word, sizeof word);
    }
}

/* Packs the group's codes of output o, of any width, into two planes. */
static void pack_codes(char *planes, size_t o, const char *row, const assay_weight *w, size_t g)
{
    const size_t first = fp_first_plane(w->bits), rest = w->bits - first;
    uint8_t codes[AFFINE_GROUP_MAX];
    if (rest == 0) {
        pack_words(planes, o, row + g * w->group * w->bits / 8, w->group, w->bits);
        return;
    }
    affine_codes(codes, row, w->bits, g * w->group, w->group);
    pack_plane(planes, o, codes, w->group, first, 0);
    pack_plane(planes + fp_group_codes_bytes(first, w->group), o, codes, w->group, rest, first);
}

void fp_groups_pack(void *panel, const assay_weight *w, size_t index)
{
    const size_t n_groups = w->n_in / w->group, n_out = panel_outputs(w, index);
    const size_t scales = fp_group_numbers_bytes(w->scale_dtype),
                 biases = fp_group_numbers_bytes(w->bias_dtype);
    char *to = panel;
    if (n_out < FP_PANEL) memset(panel, 0, fp_groups_bytes(w));
    for (size_t g = 0; g < n_groups; g++) {
        for (size_t o = 0; o < n_out; o++) {
            const size_t row = index * FP_PANEL + o;
            pack_numbers(to + o * dtype_size(w->scale_dtype), w->scales, w->scale_dtype, row * n_groups + g);
            if (biases)
                pack_numbers(to + scales + o * dtype_size(w->bias_dtype), w->biases, w->bias_dtype,
                             row * n_groups + g);
            pack_codes(to + scales + biases, o, row_of(w, row), w, g);
        }
        to += scales + biases + fp_group_codes_bytes(w->bits, w->group);
    }
}

/* Bits of input i of an output's column of a plane. */
static uint32_t plane_bits(const char *plane, size_t o, size_t i, size_t width)
{
    const size_t n_each = 32 / width;
    uint32_t word;
    memcpy(&word, plane + (i / n_each * FP_PANEL + o) * sizeof word, sizeof word);
    i %= n_each;
    return word >> (i % 4 * 8 + i / 4 * width) & ((1U << width) - 1);
}

void fp_groups_widen(double *out, const assay_matrix *w, size_t o, size_t from, size_t n)
{
    const size_t scales = fp_group_numbers_bytes(w->scale_dtype),
                 biases = fp_group_numbers_bytes(w->bias_dtype);
    const size_t first = fp_first_plane(w->bits), rest = w->bits - first, at = o % FP_PANEL;
    const size_t table = fp_table_bytes(w->dtype, w->bits);
    const char *super = panel_of(w, o) + fp_super_offset(w, from / FP_SUPER),
               *block = panel_of(w, o) + fp_group_offset(w, from / w->group),
               *plane = block + scales + biases;
    double scale = affine_number(block, w->scale_dtype, at),
           bias = biases ? affine_number(block + scales, w->bias_dtype, at) : 0;
    if (fp_has_supers(w->dtype)) {
        scale *= affine_number(super, ASSAY_F32, at);
        if (biases) bias *= affine_number(super, ASSAY_F32, FP_PANEL + at);
    }
    const int32_t minus = biases ? 0 : 1 << (w->bits - 1);
    for (size_t i = from % w->group; i < from % w->group + n; i++) {
        uint32_t code = plane_bits(plane, at, i, first);
        if (rest) code |= plane_bits(plane + fp_group_codes_bytes(first, w->group), at, i, rest) << first;
        if (table) *out++ = scale * number_at(panel_of(w, o) + code * sizeof(float), ASSAY_F32);
        else *out++ = scale * ((int32_t)code - minus) + bias;
    }
}

void fp_groups_unpack(float *row, const assay_matrix *w, size_t o)
{
    unpack_row(row, w, o, fp_groups_widen, w->group);
}
