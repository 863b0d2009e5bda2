/* Weights and rows of a case of a matrix product.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "conformance/sweep/matmul_parts.h"
#include "model/affine.h"
#include "model/dtype.h"

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

/* A number of a case, as it comes back from an array of a type. */
static double drawn(sweep *s, void *to, assay_dtype dtype, sweep_numbers numbers)
{
    float x;
    sweep_fill(s, &x, 1, numbers);
    double wide = (double)x;
    dtype_from_f64(to, &wide, dtype, 1);
    dtype_to_f64(&wide, to, dtype, 1);
    return wide;
}

static void make_numbers(sweep_product *p, sweep *s)
{
    const size_t bytes = dtype_size(p->stored.dtype), n_in = p->stored.n_in;
    p->stored.stride = n_in + sweep_between(s, 0, 3);
    char *rows = sweep_take_stored(s, ((p->stored.n_out - 1) * p->stored.stride + n_in) * bytes);
    p->stored.rows = rows;
    for (size_t o = 0; o < p->stored.n_out; o++)
        for (size_t i = 0; i < n_in; i++) {
            size_t at = o * n_in + i;
            p->w[at] = drawn(s, rows + (o * p->stored.stride + i) * bytes, p->stored.dtype, p->numbers);
            p->magnitude[at] = fabs(p->w[at]);
        }
}

/* Scales and biases as groups have them: codes then stand for numbers around 0. */
static void draw_group(sweep_product *p, sweep *s, size_t at, double *scale, double *bias)
{
    assay_weight *w = &p->stored;
    void *scales = (char *)w->scales + at * dtype_size(w->scale_dtype),
         *biases = (char *)w->biases + at * dtype_size(w->bias_dtype);
    *scale = drawn(s, scales, w->scale_dtype, p->numbers);
    *bias = drawn(s, biases, w->bias_dtype, p->numbers == SWEEP_SPECIAL ? SWEEP_RANDOM : p->numbers);
    if (p->numbers == SWEEP_INTEGERS) return;
    double around = *bias - *scale * (double)(1U << (w->bits - 1));
    dtype_from_f64(biases, &around, w->bias_dtype, 1);
    dtype_to_f64(bias, biases, w->bias_dtype, 1);
}

/* Into a row of zeros: little-endian words are a stream of bytes, too. */
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
    unsigned char *rows = sweep_take_stored(s, n_bytes);
    memset(rows, 0, n_bytes);
    w->rows = rows;
    w->scales = sweep_take_stored(s, n * dtype_size(w->scale_dtype));
    w->biases = sweep_take_stored(s, n * dtype_size(w->bias_dtype));
    const double offset = (double)(1U << (w->bits - 1));
    for (size_t o = 0; o < w->n_out; o++)
        for (size_t i = 0; i < w->n_in; i++) {
            static double scale, bias;
            const size_t at = o * w->n_in + i;
            const uint32_t code = (uint32_t)sweep_between(s, 0, (1U << w->bits) - 1);
            if (i % w->group == 0) draw_group(p, s, o * n_groups + i / w->group, &scale, &bias);
            put_code(rows + o * w->stride * sizeof(uint32_t), w->bits, i, code);
            p->w[at] = scale * code + bias;
            p->magnitude[at] = fabs(scale) * (offset + fabs(code - offset)) + fabs(bias + offset * scale);
        }
}

void sweep_make_weights(sweep_product *p, sweep *s)
{
    const size_t n = p->stored.n_out * p->stored.n_in;
    p->w = sweep_take(s, n * sizeof *p->w);
    p->magnitude = sweep_take(s, n * sizeof *p->magnitude);
    if (p->stored.bits) make_groups(p, s);
    else make_numbers(p, s);
}

static void make_codes(sweep_product *p, sweep *s, int8_t *x)
{
    const size_t n_in = p->stored.n_in, group = p->stored.group, n_groups = n_in / group;
    float *scale = sweep_take(s, p->of.n_rows * n_groups * sizeof *scale);
    int32_t *sum = sweep_take(s, p->of.n_rows * n_groups * sizeof *sum);
    p->of.x_scale = scale;
    p->of.x_sum = sum;
    for (size_t r = 0; r < p->of.n_rows; r++)
        for (size_t g = 0; g < n_groups; g++) {
            const size_t at = r * n_groups + g;
            sweep_fill(s, scale + at, 1, p->numbers);
            sum[at] = 0;
            for (size_t i = g * group; i < (g + 1) * group; i++) {
                int code = p->numbers == SWEEP_INTEGERS ? (int)sweep_between(s, 0, 6) - 3
                                                        : (int)sweep_between(s, 0, 254) - 127;
                x[r * p->of.ld_x + i] = (int8_t)code;
                sum[at] += code;
                p->x[r * n_in + i] = (double)scale[at] * code;
            }
        }
}

void sweep_make_rows(sweep_product *p, sweep *s)
{
    const size_t n_in = p->stored.n_in, bytes = dtype_size(p->x_dtype);
    p->of.ld_x = n_in + sweep_between(s, 0, 3);
    const size_t n = sweep_elements(p->of.n_rows, n_in, p->of.ld_x);
    char *x = sweep_take(s, n * bytes);
    memset(x, 0xFF, n * bytes); /* NaN, or -1 */
    p->of.x = x;
    p->x = sweep_take(s, p->of.n_rows * n_in * sizeof *p->x);
    if (p->x_dtype == ASSAY_I8) {
        make_codes(p, s, (int8_t *)x);
        return;
    }
    for (size_t r = 0; r < p->of.n_rows; r++)
        for (size_t i = 0; i < n_in; i++)
            p->x[r * n_in + i] = drawn(s, x + (r * p->of.ld_x + i) * bytes, p->x_dtype, p->numbers);
}
