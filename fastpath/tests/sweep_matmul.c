/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "fastpath/kernels/matmul.h"
#include "fastpath/tests/sweep_parts.h"
#include "model/affine.h"
#include "model/dtype.h"

enum { N_ROWS, N_IN, N_OUT, FIRST_PANEL, N_PANELS, BITS, GROUP, DIMS };

/* What sweep_op.kind stands for: the type of x, and the kind of the weights. */
static const struct {
    assay_dtype x, weights;
} KINDS[] = {
    {ASSAY_F32, ASSAY_F32},   {ASSAY_F32, ASSAY_F16},  {ASSAY_F32, ASSAY_BF16}, {ASSAY_F32, ASSAY_U32},
    {ASSAY_BF16, ASSAY_BF16}, {ASSAY_BF16, ASSAY_U32}, {ASSAY_I8, ASSAY_U32},
};

typedef struct product {
    assay_dtype x_dtype;
    sweep_numbers numbers;
    const assay_matmul *kernel;
    assay_weight stored;
    assay_matrix packed;
    assay_product of;
    double *x;             /* [n_rows, n_in], as what the kernel sees stands for */
    double *w, *magnitude; /* [n_out, n_in]; magnitude: what |w| counts as in the bound */
} product;

static const assay_matmul *kernel_of(const fp_matmul_variant *v, assay_dtype weights)
{
    return weights == ASSAY_F32    ? &v->f32
           : weights == ASSAY_F16  ? &v->f16
           : weights == ASSAY_BF16 ? &v->bf16
                                   : &v->affine;
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

static void make_numbers(product *p, sweep *s)
{
    const size_t bytes = dtype_size(p->stored.dtype), n_in = p->stored.n_in;
    p->stored.stride = n_in + sweep_between(s, 0, 3);
    char *rows = sweep_take(s, ((p->stored.n_out - 1) * p->stored.stride + n_in) * bytes);
    p->stored.rows = rows;
    for (size_t o = 0; o < p->stored.n_out; o++)
        for (size_t i = 0; i < n_in; i++) {
            size_t at = o * n_in + i;
            p->w[at] = drawn(s, rows + (o * p->stored.stride + i) * bytes, p->stored.dtype, p->numbers);
            p->magnitude[at] = fabs(p->w[at]);
        }
}

/* Scales and biases as groups have them: codes then stand for numbers around 0. */
static void draw_group(product *p, sweep *s, size_t at, double *scale, double *bias)
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

static void put_code(uint32_t *words, size_t bits, size_t i, uint32_t code)
{
    const size_t at = i * bits;
    words[at / 32] |= code << at % 32;
    if (at % 32 + bits > 32) words[at / 32 + 1] |= code >> (32 - at % 32);
}

static void make_groups(product *p, sweep *s)
{
    static const assay_dtype dtypes[] = {ASSAY_F32, ASSAY_F16, ASSAY_BF16};
    assay_weight *w = &p->stored;
    const size_t n_groups = w->n_in / w->group, n = w->n_out * n_groups;
    w->scale_dtype = dtypes[sweep_between(s, 0, 2)];
    w->bias_dtype = dtypes[sweep_between(s, 0, 2)];
    w->stride = affine_words(w->n_in, w->bits);
    uint32_t *words = sweep_take(s, w->n_out * w->stride * sizeof *words);
    memset(words, 0, w->n_out * w->stride * sizeof *words);
    w->rows = words;
    w->scales = sweep_take(s, n * dtype_size(w->scale_dtype));
    w->biases = sweep_take(s, n * dtype_size(w->bias_dtype));
    const double offset = (double)(1U << (w->bits - 1));
    for (size_t o = 0; o < w->n_out; o++)
        for (size_t i = 0; i < w->n_in; i++) {
            static double scale, bias;
            const size_t at = o * w->n_in + i;
            const uint32_t code = (uint32_t)sweep_between(s, 0, (1U << w->bits) - 1);
            if (i % w->group == 0) draw_group(p, s, o * n_groups + i / w->group, &scale, &bias);
            put_code(words + o * w->stride, w->bits, i, code);
            p->w[at] = scale * code + bias;
            p->magnitude[at] = fabs(scale) * (offset + fabs(code - offset)) + fabs(bias + offset * scale);
        }
}

static size_t elements(size_t n_rows, size_t width, size_t ld)
{
    return (n_rows - 1) * ld + width;
}

static void make_codes(product *p, sweep *s, int8_t *x)
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

static void make_x(product *p, sweep *s)
{
    const size_t n_in = p->stored.n_in, bytes = dtype_size(p->x_dtype);
    p->of.ld_x = n_in + sweep_between(s, 0, 3);
    const size_t n = elements(p->of.n_rows, n_in, p->of.ld_x);
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

static void pack(product *p, sweep *s)
{
    const assay_weight *w = &p->stored;
    p->packed = (assay_matrix){.n_out = w->n_out,
                               .n_in = w->n_in,
                               .dtype = w->dtype,
                               .bits = w->bits,
                               .group = w->group,
                               .scale_dtype = w->scale_dtype,
                               .bias_dtype = w->bias_dtype,
                               .panel = p->kernel->panel,
                               .panel_bytes = p->kernel->panel_bytes(w)};
    const size_t n = fp_matrix_panels(&p->packed);
    char *panels = p->packed.panels = sweep_take_aligned(s, n * p->packed.panel_bytes, ASSAY_ALIGNMENT);
    memset(panels, 0xFF, n * p->packed.panel_bytes);
    for (size_t k = 0; k < n; k++) p->kernel->pack(panels + k * p->packed.panel_bytes, w, k);
}

static void judge_unpacked(const product *p, sweep *s)
{
    const size_t n_in = p->stored.n_in, o = sweep_between(s, 0, p->stored.n_out - 1);
    float *row = sweep_take_guarded(s, n_in * sizeof *row);
    p->kernel->unpack(row, &p->packed, o);
    for (size_t i = 0; i < n_in; i++)
        if (!sweep_judge_same(s, row[i], (float)p->w[o * n_in + i], o * n_in + i)) return;
}

static void judge_row(const product *p, sweep *s, size_t row, size_t first, size_t end)
{
    const size_t n_in = p->stored.n_in;
    for (size_t o = first; o < end; o++) {
        double sum = 0, magnitude = 0;
        const float y = p->of.y[row * p->of.ld_y + o];
        for (size_t i = 0; i < n_in; i++) {
            sum += p->x[row * n_in + i] * p->w[o * n_in + i];
            magnitude += fabs(p->x[row * n_in + i]) * p->magnitude[o * n_in + i];
        }
        const size_t at = row * p->stored.n_out + o;
        if (p->stored.bits && !isfinite(sum)) {
            if (isfinite(y)) sweep_fail(s, "element %zu: %g, expected %g", at, (double)y, sum);
        } else if (p->numbers == SWEEP_INTEGERS) {
            if (!sweep_judge_same(s, y, (float)sum, at)) return;
        } else if (!sweep_judge(s, y, sum, magnitude, at)) {
            return;
        }
    }
}

/* What lies outside the panels, or between the rows, must still be as sweep_take_guarded left it. */
static void judge_rest(const product *p, sweep *s, size_t first, size_t end)
{
    const size_t ld = p->of.ld_y;
    for (size_t i = 0; i < elements(p->of.n_rows, p->stored.n_out, ld); i++) {
        uint32_t bits;
        memcpy(&bits, p->of.y + i, sizeof bits);
        if ((i % ld < first || i % ld >= end) && bits != UINT32_MAX)
            sweep_fail(s, "row %zu, column %zu is written", i / ld, i % ld);
    }
}

/* One row, alone and panel by panel, must come out with the same bits. */
static void judge_alone(const product *p, sweep *s, assay_product_fn *run)
{
    const size_t row = sweep_between(s, 0, p->of.n_rows - 1), n_out = p->stored.n_out;
    const size_t n_groups = p->of.x_scale ? p->stored.n_in / p->stored.group : 0;
    float *alone = sweep_take_guarded(s, n_out * sizeof *alone);
    assay_product one = p->of;
    one.y = alone;
    one.ld_y = n_out;
    one.x = (const char *)p->of.x + row * p->of.ld_x * dtype_size(p->x_dtype);
    if (n_groups) one.x_scale += row * n_groups;
    if (n_groups) one.x_sum += row * n_groups;
    one.n_rows = one.n_panels = 1;
    for (size_t k = 0; k < p->of.n_panels; k++) {
        one.first_panel = p->of.first_panel + k;
        run(&one);
        const size_t first = one.first_panel * p->packed.panel, end = first + p->packed.panel;
        for (size_t o = first; o < end && o < n_out; o++)
            if (!sweep_judge_same(s, p->of.y[row * p->of.ld_y + o], alone[o], row * n_out + o)) return;
    }
}

static void run(sweep *s, const sweep_op *op, size_t variant, const size_t *shape, sweep_numbers numbers)
{
    product p = {.x_dtype = KINDS[op->kind].x, .numbers = numbers};
    const size_t n = shape[N_OUT] * shape[N_IN];
    p.stored = (assay_weight){.n_out = shape[N_OUT],
                              .n_in = shape[N_IN],
                              .dtype = KINDS[op->kind].weights,
                              .bits = shape[BITS],
                              .group = shape[GROUP]};
    p.kernel = kernel_of(&FP_MATMUL[variant], p.stored.dtype);
    assay_product_fn *kernel = p.x_dtype == ASSAY_F32    ? p.kernel->f32
                               : p.x_dtype == ASSAY_BF16 ? p.kernel->bf16
                                                         : p.kernel->i8;
    sweep_begin(s, shape, DIMS, numbers);
    p.w = sweep_take(s, n * sizeof *p.w);
    p.magnitude = sweep_take(s, n * sizeof *p.magnitude);
    if (p.stored.bits) make_groups(&p, s);
    else make_numbers(&p, s);
    pack(&p, s);
    p.of.n_rows = shape[N_ROWS];
    p.of.w = &p.packed;
    p.of.first_panel = shape[FIRST_PANEL];
    p.of.n_panels = shape[N_PANELS];
    make_x(&p, s);
    p.of.ld_y = p.stored.n_out + sweep_between(s, 0, 3);
    p.of.y = sweep_take_guarded(s, elements(p.of.n_rows, p.stored.n_out, p.of.ld_y) * sizeof *p.of.y);
    kernel(&p.of);
    size_t first = p.of.first_panel * p.packed.panel, end = first + p.of.n_panels * p.packed.panel;
    if (end > p.stored.n_out) end = p.stored.n_out;
    for (size_t r = 0; r < p.of.n_rows; r++) judge_row(&p, s, r, first, end);
    judge_rest(&p, s, first, end);
    judge_alone(&p, s, kernel);
    judge_unpacked(&p, s);
    sweep_end(s);
}

/* Some of the panels every other time, otherwise all. With affine groups n_in is rounded up to a group. */
static void run_panels(sweep *s, const sweep_op *op, size_t variant, size_t n_rows, size_t n_in, size_t n_out)
{
    static const size_t all_bits[] = {2, 3, 4, 5, 6, 8}, all_groups[] = {32, 64, 128};
    const assay_dtype weights = KINDS[op->kind].weights;
    const size_t panel = kernel_of(&FP_MATMUL[variant], weights)->panel;
    size_t n = (n_out + panel - 1) / panel, first = 0, count = n, bits = 0, group = 0;
    if (s->n_cases % 2) {
        first = sweep_between(s, 0, n - 1);
        count = sweep_between(s, 1, n - first);
    }
    if (weights == ASSAY_U32) {
        bits = all_bits[s->n_cases / 3 % 6];
        group = all_groups[s->n_cases / 18 % 3];
        n_in = (n_in + group - 1) / group * group;
    }
    op->run(s, op, variant, (const size_t[DIMS]){n_rows, n_in, n_out, first, count, bits, group},
            sweep_turn(s));
}

/* Around what kernels block by: rows by 3 or 8 and 128, inputs by 128, outputs by 8, 16 and 32. */
static void shapes(sweep *s, const sweep_op *op, size_t variant)
{
    static const size_t rows[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 16, 17, 24, 31, 257},
                        ins[] = {1, 2, 3, 7, 16, 63, 64, 65, 127, 128, 129, 255, 256, 257, 800},
                        outs[] = {1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 97};
    enum { N_ROW_COUNTS = sizeof rows / sizeof *rows, N_INS = sizeof ins / sizeof *ins };
    for (size_t r = 0; r < N_ROW_COUNTS; r++) {
        for (size_t o = 0; o < sizeof outs / sizeof *outs; o++)
            run_panels(s, op, variant, rows[r], sweep_between(s, 1, 300), outs[o]);
        for (size_t i = 0; i < N_INS; i++)
            run_panels(s, op, variant, rows[r], ins[i], sweep_between(s, 1, rows[r] < 100 ? 100 : 40));
    }
    for (size_t i = 0; i < 10; i++)
        run_panels(s, op, variant, sweep_between(s, 1, 9), sweep_between(s, 1000, 5000), 40);
    for (size_t i = 0; i < 100; i++)
        run_panels(s, op, variant, sweep_between(s, 1, 40), sweep_between(s, 1, 600),
                   sweep_between(s, 1, 100));
}

static size_t n_variants(void)
{
    return FP_N_MATMUL;
}

static fp_isa isa(size_t variant)
{
    return FP_MATMUL[variant].isa;
}

const sweep_op SWEEP_MATMUL[7] = {
    {"matmul_f32_f32", 0, DIMS, n_variants, isa, shapes, run},
    {"matmul_f32_f16", 1, DIMS, n_variants, isa, shapes, run},
    {"matmul_f32_bf16", 2, DIMS, n_variants, isa, shapes, run},
    {"matmul_f32_affine", 3, DIMS, n_variants, isa, shapes, run},
    {"matmul_bf16_bf16", 4, DIMS, n_variants, isa, shapes, run},
    {"matmul_bf16_affine", 5, DIMS, n_variants, isa, shapes, run},
    {"matmul_i8_affine", 6, DIMS, n_variants, isa, shapes, run},
};
