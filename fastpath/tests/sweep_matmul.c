/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "fastpath/kernels/matmul.h"
#include "fastpath/tests/sweep_parts.h"
#include "model/dtype.h"

enum { N_ROWS, N_IN, N_OUT, FIRST_PANEL, N_PANELS, DIMS };

typedef struct product {
    size_t n_rows, n_in, n_out, ld_x, ld_y;
    float *x;    /* [n_rows, ld_x], NaN between the rows */
    float *wide; /* [n_out, n_in], as the packed weights are */
    fp_matrix w;
    fp_matmul_fn *kernel, *scalar;
} product;

static void pack(product *p, sweep *s)
{
    size_t bytes = dtype_size(p->w.dtype), n = fp_matrix_panels(&p->w) * p->n_in * FP_PANEL * bytes;
    char *panels = p->w.panels = sweep_take_aligned(s, n, FP_ALIGNMENT);
    memset(panels, 0, n);
    for (size_t o = 0; o < p->n_out; o++)
        for (size_t i = 0; i < p->n_in; i++) {
            float *number = p->wide + o * p->n_in + i;
            char *at = panels + ((o / FP_PANEL * p->n_in + i) * FP_PANEL + o % FP_PANEL) * bytes;
            double exact = (double)*number;
            dtype_from_f64(at, &exact, p->w.dtype, 1);
            dtype_to_f32(number, at, p->w.dtype, 1);
        }
}

static size_t elements(size_t n_rows, size_t width, size_t ld)
{
    return (n_rows - 1) * ld + width;
}

static void make(product *p, sweep *s, const size_t *shape, sweep_numbers numbers)
{
    p->n_rows = shape[N_ROWS];
    p->n_in = p->w.n_in = shape[N_IN];
    p->n_out = p->w.n_out = shape[N_OUT];
    p->ld_x = p->n_in + sweep_between(s, 0, 3);
    p->ld_y = p->n_out + sweep_between(s, 0, 3);
    size_t n_x = elements(p->n_rows, p->n_in, p->ld_x);
    p->x = sweep_take(s, n_x * sizeof *p->x);
    for (size_t i = 0; i < n_x; i++) p->x[i] = NAN;
    for (size_t r = 0; r < p->n_rows; r++) sweep_fill(s, p->x + r * p->ld_x, p->n_in, numbers);
    p->wide = sweep_take(s, p->n_out * p->n_in * sizeof *p->wide);
    sweep_fill(s, p->wide, p->n_out * p->n_in, numbers);
    pack(p, s);
}

static void judge_row(const product *p, sweep *s, const float *y, size_t row, size_t first, size_t end)
{
    const float *x = p->x + row * p->ld_x;
    for (size_t o = first; o < end; o++) {
        const float *w = p->wide + o * p->n_in;
        double sum = 0, magnitude = 0;
        for (size_t i = 0; i < p->n_in; i++) {
            double term = (double)x[i] * (double)w[i];
            sum += term;
            magnitude += fabs(term);
        }
        if (!sweep_judge(s, y[row * p->ld_y + o], sum, magnitude, row * p->n_out + o)) return;
    }
}

/* What lies outside the panels, or between the rows, must still be as sweep_take_guarded left it. */
static void judge_rest(const product *p, sweep *s, const float *y, size_t first, size_t end)
{
    for (size_t i = 0; i < elements(p->n_rows, p->n_out, p->ld_y); i++) {
        uint32_t bits;
        memcpy(&bits, y + i, sizeof bits);
        if ((i % p->ld_y < first || i % p->ld_y >= end) && bits != UINT32_MAX)
            sweep_fail(s, "row %zu, column %zu is written", i / p->ld_y, i % p->ld_y);
    }
}

/* One row, alone and panel by panel, must come out with the same bits. */
static void judge_alone(const product *p, sweep *s, const float *y, const size_t *shape)
{
    size_t row = sweep_between(s, 0, p->n_rows - 1);
    float *alone = sweep_take_guarded(s, p->n_out * sizeof *alone);
    for (size_t panel = shape[FIRST_PANEL]; panel < shape[FIRST_PANEL] + shape[N_PANELS]; panel++) {
        p->kernel(alone, p->n_out, p->x + row * p->ld_x, p->ld_x, 1, &p->w, panel, 1);
        for (size_t o = panel * FP_PANEL; o < (panel + 1) * FP_PANEL && o < p->n_out; o++)
            if (!sweep_judge_same(s, y[row * p->ld_y + o], alone[o], row * p->n_out + o)) return;
    }
}

static void judge_exact(const product *p, sweep *s, const float *y, const size_t *shape)
{
    size_t n = elements(p->n_rows, p->n_out, p->ld_y);
    float *expected = sweep_take_guarded(s, n * sizeof *expected);
    p->scalar(expected, p->ld_y, p->x, p->ld_x, p->n_rows, &p->w, shape[FIRST_PANEL], shape[N_PANELS]);
    for (size_t i = 0; i < n; i++)
        if (!sweep_judge_same(s, y[i], expected[i], i)) return;
}

static void run(sweep *s, const sweep_op *op, size_t variant, const size_t *shape, sweep_numbers numbers)
{
    product p = {.w.dtype = (assay_dtype)op->kind};
    p.kernel = fp_matmul_for(&FP_MATMUL[variant], &p.w);
    p.scalar = fp_matmul_for(&FP_MATMUL[FP_N_MATMUL - 1], &p.w);
    sweep_begin(s, shape, DIMS, numbers);
    make(&p, s, shape, numbers);
    size_t first = shape[FIRST_PANEL] * FP_PANEL, end = first + shape[N_PANELS] * FP_PANEL;
    if (end > p.n_out) end = p.n_out;
    float *y = sweep_take_guarded(s, elements(p.n_rows, p.n_out, p.ld_y) * sizeof *y);
    p.kernel(y, p.ld_y, p.x, p.ld_x, p.n_rows, &p.w, shape[FIRST_PANEL], shape[N_PANELS]);
    for (size_t r = 0; r < p.n_rows; r++) judge_row(&p, s, y, r, first, end);
    judge_rest(&p, s, y, first, end);
    judge_alone(&p, s, y, shape);
    if (numbers == SWEEP_INTEGERS) judge_exact(&p, s, y, shape);
    sweep_end(s);
}

/* Some of the panels every other time, otherwise all. */
static void run_panels(sweep *s, const sweep_op *op, size_t variant, size_t n_rows, size_t n_in, size_t n_out)
{
    size_t n = (n_out + FP_PANEL - 1) / FP_PANEL, first = 0, count = n;
    if (s->n_cases % 2) {
        first = sweep_between(s, 0, n - 1);
        count = sweep_between(s, 1, n - first);
    }
    op->run(s, op, variant, (const size_t[DIMS]){n_rows, n_in, n_out, first, count}, sweep_turn(s));
}

/* Around what kernels block by: rows by 3 or 8 and 256, inputs by 256, outputs by 8, 16 and 32. */
static void shapes(sweep *s, const sweep_op *op, size_t variant)
{
    static const size_t rows[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 16, 17, 24, 31, 257},
                        ins[] = {1, 2, 3, 7, 16, 63, 64, 65, 255, 256, 257, 511, 512, 513, 800},
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

const sweep_op SWEEP_MATMUL[3] = {
    {"matmul_f32", ASSAY_F32, DIMS, n_variants, isa, shapes, run},
    {"matmul_f16", ASSAY_F16, DIMS, n_variants, isa, shapes, run},
    {"matmul_bf16", ASSAY_BF16, DIMS, n_variants, isa, shapes, run},
};
