/* Products. A panel holds its weights as floats, [n_in, ORDERS_PANEL]; that of affine groups is followed by
 * their codes, [n_in, ORDERS_PANEL], and by their scales and biases, each [n_in / group, ORDERS_PANEL].
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/rates/orders.h"

enum { GROUPS = 256 }; /* groups of codes whose terms are added up at a time */

static size_t numbers_of(const assay_weight *w)
{
    return w->bits ? 2 * w->n_in + 2 * (w->n_in / w->group) : w->n_in;
}

static size_t panel_bytes(const assay_weight *w)
{
    const size_t bytes = numbers_of(w) * ORDERS_PANEL * sizeof(float);
    return (bytes + ASSAY_ALIGNMENT - 1) / ASSAY_ALIGNMENT * ASSAY_ALIGNMENT;
}

static float number_at(const void *numbers, assay_dtype dtype, size_t i)
{
    float x;
    dtype_to_f32(&x, (const char *)numbers + i * dtype_size(dtype), dtype, 1);
    return x;
}

static uint32_t code_at(const assay_weight *w, size_t output, size_t i)
{
    const char *words = (const char *)w->rows + output * w->stride * sizeof(uint32_t);
    const size_t bit = i * w->bits;
    uint32_t word[2] = {0};
    memcpy(word, words + bit / 32 * sizeof *word, sizeof *word);
    if (bit % 32 + w->bits > 32) memcpy(word + 1, words + (bit / 32 + 1) * sizeof *word, sizeof *word);
    const uint64_t both = (uint64_t)word[1] << 32 | word[0];
    return (uint32_t)(both >> bit % 32) & ((1U << w->bits) - 1);
}

static void pack_affine(float *panel, const assay_weight *w, size_t output, size_t k)
{
    float *codes = panel + w->n_in * ORDERS_PANEL, *scales = codes + w->n_in * ORDERS_PANEL,
          *biases = scales + w->n_in / w->group * ORDERS_PANEL;
    for (size_t i = 0; i < w->n_in; i++) {
        const size_t group = i / w->group, at = output * (w->n_in / w->group) + group;
        const float code = (float)code_at(w, output, i), scale = number_at(w->scales, w->scale_dtype, at),
                    bias = number_at(w->biases, w->bias_dtype, at);
        codes[i * ORDERS_PANEL + k] = code;
        scales[group * ORDERS_PANEL + k] = scale;
        biases[group * ORDERS_PANEL + k] = bias;
        panel[i * ORDERS_PANEL + k] = fmaf(scale, code, bias);
    }
}

static void pack(void *panel, const assay_weight *w, size_t index)
{
    float *to = panel;
    memset(panel, 0, panel_bytes(w));
    for (size_t k = 0; k < ORDERS_PANEL && index * ORDERS_PANEL + k < w->n_out; k++) {
        const size_t output = index * ORDERS_PANEL + k;
        if (w->bits) pack_affine(to, w, output, k);
        else
            for (size_t i = 0; i < w->n_in; i++)
                to[i * ORDERS_PANEL + k] = number_at(w->rows, w->dtype, output * w->stride + i);
    }
}

static const float *panel_of(const assay_matrix *w, size_t index)
{
    return (const float *)(const void *)((const char *)w->panels + index * w->panel_bytes);
}

static void unpack(float *row, const assay_matrix *w, size_t output)
{
    const float *panel = panel_of(w, output / ORDERS_PANEL);
    for (size_t i = 0; i < w->n_in; i++) row[i] = panel[i * ORDERS_PANEL + output % ORDERS_PANEL];
}

static void write_outputs(const assay_product *p, size_t row, size_t index, const float *sums)
{
    const size_t first = index * ORDERS_PANEL, left = p->w->n_out - first;
    for (size_t k = 0; k < ORDERS_PANEL && k < left; k++)
        p->y[row * p->ld_y + first + k] = rates_order_plant(&orders_order, sums[k], first + k);
}

static void multiply(const assay_product *p, bool wide)
{
    for (size_t index = p->first_panel; index < p->first_panel + p->n_panels; index++)
        for (size_t row = 0; row < p->n_rows; row++) {
            float sums[ORDERS_PANEL];
            rates_row x = {0};
            if (wide) x.f32 = (const float *)p->x + row * p->ld_x;
            else x.bf16 = (const uint16_t *)p->x + row * p->ld_x;
            rates_order_sum(&orders_order, sums, ORDERS_PANEL, x, panel_of(p->w, index), ORDERS_PANEL,
                            p->w->n_in);
            write_outputs(p, row, index, sums);
        }
}

/* All rows at once, as engines call it: the result of a row may depend on how many there are. */
static void multiply_by_blas(const assay_product *p)
{
    enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111 };
    for (size_t index = p->first_panel; index < p->first_panel + p->n_panels; index++) {
        const size_t first = index * ORDERS_PANEL, left = p->w->n_out - first;
        orders_blas(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, (int)p->n_rows,
                    (int)(left < ORDERS_PANEL ? left : ORDERS_PANEL), (int)p->w->n_in, 1, p->x, (int)p->ld_x,
                    panel_of(p->w, index), ORDERS_PANEL, 0, p->y + first, (int)p->ld_y);
    }
}

static void multiply_f32(const assay_product *p)
{
    if (orders_blas) multiply_by_blas(p);
    else multiply(p, true);
}

static void multiply_bf16(const assay_product *p)
{
    multiply(p, false);
}

/* What group `group` adds to each output of a panel, without its x_scale: scale Σ x code + bias Σ x. */
static void add_codes(float *terms, const assay_product *p, size_t row, const float *panel, size_t group)
{
    const assay_matrix *w = p->w;
    const int8_t *x = (const int8_t *)p->x + row * p->ld_x + group * w->group;
    const size_t n_groups = w->n_in / w->group;
    const float *codes = panel + (w->n_in + group * w->group) * ORDERS_PANEL,
                *scales = panel + (2 * w->n_in + group) * ORDERS_PANEL,
                *biases = scales + n_groups * ORDERS_PANEL;
    for (size_t k = 0; k < ORDERS_PANEL; k++) {
        int32_t sum = 0;
        for (size_t i = 0; i < w->group; i++) sum += x[i] * (int32_t)codes[i * ORDERS_PANEL + k];
        terms[k] = scales[k] * (float)sum + biases[k] * (float)p->x_sum[row * n_groups + group];
    }
}

static void multiply_row_i8(const assay_product *p, size_t row, size_t index)
{
    const size_t n_groups = p->w->n_in / p->w->group;
    float sums[ORDERS_PANEL] = {0};
    for (size_t from = 0; from < n_groups; from += GROUPS) {
        const size_t n = n_groups - from < GROUPS ? n_groups - from : GROUPS;
        float terms[GROUPS][ORDERS_PANEL], part[ORDERS_PANEL];
        for (size_t g = 0; g < n; g++) add_codes(terms[g], p, row, panel_of(p->w, index), from + g);
        rates_order_sum(&orders_order, part, ORDERS_PANEL,
                        (rates_row){.f32 = p->x_scale + row * n_groups + from}, terms[0], ORDERS_PANEL, n);
        for (size_t k = 0; k < ORDERS_PANEL; k++) sums[k] += part[k];
    }
    write_outputs(p, row, index, sums);
}

static void multiply_i8(const assay_product *p)
{
    for (size_t index = p->first_panel; index < p->first_panel + p->n_panels; index++)
        for (size_t row = 0; row < p->n_rows; row++) multiply_row_i8(p, row, index);
}

#define ORDERS_MATMUL(...)                                                                                   \
    {                                                                                                        \
        .size = sizeof(assay_matmul), .panel = ORDERS_PANEL, .panel_bytes = panel_bytes, .pack = pack,       \
        .unpack = unpack, .f32 = multiply_f32, __VA_ARGS__                                                   \
    }

const assay_matmul orders_matmul_f32 = ORDERS_MATMUL(.bf16 = NULL),
                   orders_matmul_f16 = ORDERS_MATMUL(.bf16 = multiply_bf16),
                   orders_matmul_bf16 = ORDERS_MATMUL(.bf16 = multiply_bf16),
                   orders_matmul_affine = ORDERS_MATMUL(.bf16 = multiply_bf16, .i8 = multiply_i8);
