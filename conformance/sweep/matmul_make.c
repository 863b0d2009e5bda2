/* Weights and rows of a case of a matrix product.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/sweep/matmul_make.h"
#include "model/numerics/affine.h"

bool sweep_matrix_allows(assay_dtype weights, size_t n_out, size_t n_in, size_t bits, size_t group)
{
    const size_t sizes[] = {n_out, n_in};
    if (!sweep_in(sizes, 2, 1, 1U << 20) || n_out * n_in > 1U << 20) return false;
    if (weights != ASSAY_U32) return bits == 0 && group == 0;
    return affine_knows_bits(bits) && affine_knows_group(group) && n_in % group == 0;
}

void sweep_matrix_turn(const sweep *s, assay_dtype weights, size_t *n_in, size_t *bits, size_t *group)
{
    static const size_t all_bits[] = {2, 3, 4, 5, 6, 8}, all_groups[] = {32, 64, 128};
    *bits = *group = 0;
    if (weights != ASSAY_U32) return;
    *bits = all_bits[s->n_cases / SWEEP_N_NUMBERS % 6];
    *group = all_groups[s->n_cases / SWEEP_N_NUMBERS / 6 % 3];
    *n_in = (*n_in + *group - 1) / *group * *group;
}

/* The i-th of n numbers of an operand along a sum. For SWEEP_ZEROS one operand has zeros and random
 * numbers, and the other has about one number per sum that is not finite: more of them would hide
 * those that meet a zero. For SWEEP_LARGE weights are random numbers. */
static float draw_number(const sweep_product *p, sweep *s, bool is_x, size_t i, size_t n)
{
    float x;
    const bool is_random = p->numbers == SWEEP_ZEROS || (p->numbers == SWEEP_LARGE && !is_x);
    sweep_fill(s, &x, 1, is_random ? SWEEP_RANDOM : p->numbers);
    if (p->numbers != SWEEP_ZEROS) return x;
    if (is_x != p->zeros_in_x) return sweep_between(s, 0, n - 1) ? x : sweep_special(s);
    switch (p->zeros) {
    case SWEEP_ALL_ZEROS: return sweep_zero(s);
    case SWEEP_ZERO_BLOCKS: return i * 8 / n % 2 ? x : sweep_zero(s);
    case SWEEP_SINGLE_ZEROS: break;
    }
    return sweep_bits(s) % 2 ? x : sweep_zero(s);
}

/* Stores x as a dtype, and returns the stored value. */
static double store_number(void *to, assay_dtype dtype, float x)
{
    double wide = (double)x;
    dtype_from_f64(to, &wide, dtype, 1);
    dtype_to_f64(&wide, to, dtype, 1);
    return wide;
}

static void make_numbers(sweep_product *p, sweep *s)
{
    const size_t bytes = dtype_size(p->stored.dtype), n_in = p->stored.n_in;
    p->stored.stride = n_in + sweep_between(s, 0, 3);
    char *rows = sweep_alloc_stored(s, "rows", ((p->stored.n_out - 1) * p->stored.stride + n_in) * bytes);
    p->stored.rows = rows;
    for (size_t o = 0; o < p->stored.n_out; o++)
        for (size_t i = 0; i < n_in; i++) {
            size_t at = o * n_in + i;
            p->w[at] = store_number(rows + (o * p->stored.stride + i) * bytes, p->stored.dtype,
                                    draw_number(p, s, false, i, n_in));
            p->magnitude[at] = fabs(p->w[at]);
        }
}

/* Draws scale and bias of group g of a row, stored at index `at`, so that the values of the codes lie
 * around 0. */
static void draw_group(sweep_product *p, sweep *s, size_t at, size_t g, double *scale, double *bias)
{
    assay_weight *w = &p->stored;
    const size_t n = w->n_in / w->group;
    void *scales = (char *)w->scales + at * dtype_size(w->scale_dtype),
         *biases = (char *)w->biases + at * dtype_size(w->bias_dtype);
    *scale = store_number(scales, w->scale_dtype, draw_number(p, s, false, g, n));
    float drawn;
    sweep_fill(s, &drawn, 1, p->numbers == SWEEP_INTEGERS ? SWEEP_INTEGERS : SWEEP_RANDOM);
    if (p->numbers == SWEEP_ZEROS) drawn = *scale == 0 ? sweep_zero(s) : draw_number(p, s, false, g, n);
    *bias = store_number(biases, w->bias_dtype, drawn);
    if (p->numbers == SWEEP_INTEGERS) return;
    *bias = store_number(biases, w->bias_dtype, (float)(*bias - *scale * (double)(1U << (w->bits - 1))));
}

/* Sets code i of a row of zeros: little-endian words are also a little-endian stream of bits. */
static void put_code(unsigned char *row, size_t bits, size_t i, uint32_t code)
{
    for (size_t b = 0, at = i * bits; b < bits; b++, at++)
        row[at / 8] = (unsigned char)(row[at / 8] | (code >> b & 1U) << at % 8);
}

static void make_groups(sweep_product *p, sweep *s)
{
    static const assay_dtype dtypes[] = {ASSAY_F32, ASSAY_F16, ASSAY_BF16};
    assay_weight *w = &p->stored;
    const size_t n_groups = w->n_in / w->group, n = w->n_out * n_groups;
    w->scale_dtype = dtypes[sweep_between(s, 0, 2)];
    w->bias_dtype = dtypes[sweep_between(s, 0, 2)];
    const size_t words = affine_words(w->n_in, w->bits);
    w->stride = words + sweep_between(s, 0, 2);
    const size_t n_bytes = sweep_elements(w->n_out, words, w->stride) * sizeof(uint32_t);
    unsigned char *rows = sweep_alloc_stored(s, "rows", n_bytes);
    memset(rows, 0, n_bytes);
    w->rows = rows;
    w->scales = sweep_alloc_stored(s, "scales", n * dtype_size(w->scale_dtype));
    w->biases = sweep_alloc_stored(s, "biases", n * dtype_size(w->bias_dtype));
    const double offset = (double)(1U << (w->bits - 1));
    for (size_t o = 0; o < w->n_out; o++)
        for (size_t i = 0; i < w->n_in; i++) {
            static double scale, bias;
            const size_t at = o * w->n_in + i;
            const uint32_t code = (uint32_t)sweep_between(s, 0, (1U << w->bits) - 1);
            if (i % w->group == 0) draw_group(p, s, o * n_groups + i / w->group, i / w->group, &scale, &bias);
            put_code(rows + o * w->stride * sizeof(uint32_t), w->bits, i, code);
            p->w[at] = scale * code + bias;
            p->magnitude[at] = fabs(scale) * (offset + fabs(code - offset)) + fabs(bias + offset * scale);
        }
}

void sweep_make_values(sweep_product *p, sweep *s)
{
    const size_t n = p->stored.n_out * p->stored.n_in;
    p->zeros_in_x = sweep_bits(s) % 2;
    p->zeros = (sweep_zeros)sweep_between(s, SWEEP_ALL_ZEROS, SWEEP_SINGLE_ZEROS);
    p->w = sweep_alloc(s, NULL, n * sizeof *p->w);
    p->magnitude = sweep_alloc(s, NULL, n * sizeof *p->magnitude);
}

void sweep_make_weights(sweep_product *p, sweep *s)
{
    sweep_make_values(p, s);
    if (p->stored.bits) make_groups(p, s);
    else make_numbers(p, s);
}

static int draw_code(const sweep_product *p, sweep *s, size_t i, size_t n)
{
    if (p->numbers == SWEEP_INTEGERS) return (int)sweep_between(s, 0, 6) - 3;
    if (p->numbers == SWEEP_ZEROS && p->zeros_in_x && draw_number(p, s, true, i, n) == 0) return 0;
    return (int)sweep_between(s, 0, 254) - 127;
}

/* A scale for x_group inputs, a sum for sum_group. */
static void make_codes(sweep_product *p, sweep *s, int8_t *x)
{
    const size_t n_in = p->stored.n_in, sum_group = p->stored.group;
    if (!p->x_group) p->x_group = sum_group;
    p->n_scales = (n_in + p->x_group - 1) / p->x_group;
    p->n_sums = (n_in + sum_group - 1) / sum_group;
    float *scale = sweep_alloc(s, "x_scale", p->of.n_rows * p->n_scales * sizeof *scale);
    int32_t *sum = sweep_alloc(s, "x_sum", p->of.n_rows * p->n_sums * sizeof *sum);
    p->of.x_scale = scale;
    p->of.x_sum = sum;
    for (size_t r = 0; r < p->of.n_rows; r++, scale += p->n_scales, sum += p->n_sums)
        for (size_t i = 0; i < n_in; i++) {
            if (i % p->x_group == 0)
                scale[i / p->x_group] = draw_number(p, s, true, i / p->x_group, p->n_scales);
            if (i % sum_group == 0) sum[i / sum_group] = 0;
            const int code = draw_code(p, s, i, n_in);
            x[r * p->of.ld_x + i] = (int8_t)code;
            sum[i / sum_group] += code;
            p->x[r * n_in + i] = (double)scale[i / p->x_group] * code;
        }
}

void sweep_make_rows(sweep_product *p, sweep *s)
{
    const size_t n_in = p->stored.n_in, bytes = dtype_size(p->x_dtype);
    p->of.ld_x = n_in + sweep_between(s, 0, 3);
    const size_t n = sweep_elements(p->of.n_rows, n_in, p->of.ld_x);
    char *x = sweep_alloc(s, "x", n * bytes);
    memset(x, 0xFF, n * bytes); /* NaN, or -1 as a code */
    p->of.x = x;
    p->x = sweep_alloc(s, NULL, p->of.n_rows * n_in * sizeof *p->x);
    if (p->x_dtype == ASSAY_I8) {
        make_codes(p, s, (int8_t *)x);
        return;
    }
    for (size_t r = 0; r < p->of.n_rows; r++)
        for (size_t i = 0; i < n_in; i++)
            p->x[r * n_in + i] =
                store_number(x + (r * p->of.ld_x + i) * bytes, p->x_dtype, draw_number(p, s, true, i, n_in));
}
