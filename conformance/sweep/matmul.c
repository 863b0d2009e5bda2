/* Matrix products with packed weights.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/sweep/matmul_make.h"
#include "conformance/sweep/matmul_pack.h"
#include "conformance/sweep/threads.h"

enum { N_ROWS, N_IN, N_OUT, FIRST_PANEL, N_PANELS, BITS, GROUP, DIMS };

/* For each sweep_op.kind: the type of x and the type of the weights. */
static const struct {
    assay_dtype x, weights;
} KINDS[] = {
    {ASSAY_F32, ASSAY_F32},   {ASSAY_F32, ASSAY_F16},  {ASSAY_F32, ASSAY_BF16}, {ASSAY_F32, ASSAY_U32},
    {ASSAY_BF16, ASSAY_BF16}, {ASSAY_BF16, ASSAY_U32}, {ASSAY_I8, ASSAY_U32},
};

static assay_product_fn *product_of(const assay_kernels *kernels, const sweep_op *op)
{
    const assay_matmul *m = sweep_matmul_of(kernels, KINDS[op->kind].weights);
    const assay_dtype x = KINDS[op->kind].x;
    return !m ? NULL : x == ASSAY_F32 ? m->f32 : x == ASSAY_BF16 ? m->bf16 : m->i8;
}

enum { OUTPUTS = 4 }; /* that are summed at once: a sum waits for each of its additions */

/* Sums a row for outputs first … first + OUTPUTS - 1; those from `end` on as the last before it. */
static void find_sums(const sweep_product *p, size_t row, size_t first, size_t end, double sum[OUTPUTS],
                      double magnitude[OUTPUTS])
{
    const size_t n_in = p->stored.n_in;
    const double *x = p->x + row * n_in, *w[OUTPUTS], *magnitudes[OUTPUTS];
    double sums[OUTPUTS] = {0}, all[OUTPUTS] = {0};
    for (size_t k = 0; k < OUTPUTS; k++) {
        const size_t o = first + k < end ? first + k : end - 1;
        w[k] = p->w + o * n_in;
        magnitudes[k] = p->magnitude + o * n_in;
    }
    for (size_t i = 0; i < n_in; i++) {
#pragma GCC unroll 4
        for (size_t k = 0; k < OUTPUTS; k++) {
            sums[k] += x[i] * w[k][i];
            all[k] += fabs(x[i]) * magnitudes[k][i];
        }
    }
    memcpy(sum, sums, sizeof sums);
    memcpy(magnitude, all, sizeof all);
}

/* Whether an output, `at` among all, agrees with its sum; with affine groups any number that is not finite
 * stands for another. */
static bool judge_output(const sweep_product *p, sweep *s, float y, double sum, double magnitude, size_t at)
{
    if (p->stored.bits && !isfinite(sum)) {
        if (isfinite(y)) sweep_fail(s, "element %zu: %g, expected %g", at, (double)y, sum);
        return true;
    }
    return p->numbers == SWEEP_INTEGERS ? sweep_judge_exact(s, y, sum, at)
                                        : sweep_judge(s, y, sum, magnitude, at);
}

static void judge_row(const sweep_product *p, sweep *s, size_t row, size_t first, size_t end)
{
    double sum[OUTPUTS], magnitude[OUTPUTS];
    for (size_t o = first; o < end; o++) {
        const size_t k = (o - first) % OUTPUTS;
        if (k == 0) find_sums(p, row, o, end, sum, magnitude);
        const float y = p->of.y[row * p->of.ld_y + o];
        if (!judge_output(p, s, y, sum[k], magnitude[k], row * p->stored.n_out + o)) return;
    }
}

/* Outputs outside the panels, and words between the rows, must be as sweep_alloc_guarded left them. */
static void judge_rest(const sweep_product *p, sweep *s, size_t first, size_t end)
{
    const size_t ld = p->of.ld_y;
    for (size_t i = 0; i < sweep_elements(p->of.n_rows, p->stored.n_out, ld); i++) {
        uint32_t bits;
        memcpy(&bits, p->of.y + i, sizeof bits);
        if ((i % ld < first || i % ld >= end) && bits != UINT32_MAX)
            sweep_fail(s, "row %zu, column %zu is written", i / ld, i % ld);
    }
}

/* The call for the rows from `row` on. */
static assay_product product_from(const sweep_product *p, size_t row)
{
    assay_product from = p->of;
    from.x = (const char *)p->of.x + row * p->of.ld_x * dtype_size(p->x_dtype);
    from.y += row * p->of.ld_y;
    if (!p->of.x_scale) return from;
    const size_t n_groups = p->stored.n_in / p->stored.group;
    from.x_scale += row * n_groups;
    from.x_sum += row * n_groups;
    return from;
}

/* One row, computed as a batch of one and panel by panel, must have the same bits. */
static void judge_batch_invariance(const sweep_product *p, sweep *s, assay_product_fn *run)
{
    const size_t row = sweep_between(s, 0, p->of.n_rows - 1), n_out = p->stored.n_out;
    float *alone = sweep_alloc_guarded(s, "y", n_out * sizeof *alone);
    assay_product one = product_from(p, row);
    one.y = alone;
    one.ld_y = n_out;
    one.n_rows = one.n_panels = 1;
    for (size_t k = 0; k < p->of.n_panels; k++) {
        one.first_panel = p->of.first_panel + k;
        run(&one);
        const size_t first = one.first_panel * p->packed.panel, end = first + p->packed.panel;
        for (size_t o = first; o < end && o < n_out; o++)
            if (!sweep_judge_same(s, p->of.y[row * p->of.ld_y + o], alone[o], row * n_out + o)) return;
    }
}

/* Shared by threads: the product into another y. */
typedef struct shared_product {
    sweep_product product;
    assay_product_fn *run;
} shared_product;

static void compute_part(const void *context, const sweep_part *part)
{
    const shared_product *shared = context;
    assay_product some = product_from(&shared->product, part->row);
    some.n_rows = part->n_rows;
    some.first_panel += part->column;
    some.n_panels = part->n_columns;
    shared->run(&some);
}

static void judge_threads(const sweep_product *p, sweep *s, assay_product_fn *run, size_t n_y)
{
    if (!s->on_threads) return;
    shared_product shared = {*p, run};
    const size_t panel = p->packed.panel;
    shared.product.of.y = sweep_alloc_guarded(s, "y", n_y * sizeof *p->of.y);
    sweep_judge_threads(s, &(sweep_work){.n_rows = p->of.n_rows,
                                         .n_columns = p->of.n_panels,
                                         .compute = compute_part,
                                         .context = &shared,
                                         .outputs = {{"y", p->of.y, shared.product.of.y, p->of.ld_y,
                                                      p->of.first_panel * panel, panel, p->stored.n_out}},
                                         .n_outputs = 1});
}

static void run_matmul(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers)
{
    const assay_dtype weights = KINDS[op->kind].weights;
    assay_product_fn *kernel = product_of(s->kernels, op);
    if (!sweep_begin(s, shape, DIMS, numbers)) return;
    sweep_product p = {
        .x_dtype = KINDS[op->kind].x,
        .numbers = numbers,
        .kernel = sweep_matmul_of(s->kernels, weights),
        .stored = {.n_out = shape[N_OUT],
                   .n_in = shape[N_IN],
                   .dtype = weights,
                   .bits = shape[BITS],
                   .group = shape[GROUP]},
        .of = {.n_rows = shape[N_ROWS], .first_panel = shape[FIRST_PANEL], .n_panels = shape[N_PANELS]}};
    sweep_make_weights(&p, s);
    if (!sweep_pack(&p, s)) return;
    p.of.w = sweep_alloc_copy(s, "w", &p.packed, sizeof p.packed);
    sweep_make_rows(&p, s);
    p.of.ld_y = p.stored.n_out + sweep_between(s, 0, 3);
    const size_t n_y = sweep_elements(p.of.n_rows, p.stored.n_out, p.of.ld_y);
    p.of.y = sweep_alloc_guarded(s, "y", n_y * sizeof *p.of.y);
    const assay_product *call = sweep_alloc_copy(s, "the product", &p.of, sizeof p.of);
    sweep_lock_inputs(s);
    kernel(call);
    size_t first = p.of.first_panel * p.packed.panel, end = first + p.of.n_panels * p.packed.panel;
    if (end > p.stored.n_out) end = p.stored.n_out;
    for (size_t r = 0; r < p.of.n_rows; r++) judge_row(&p, s, r, first, end);
    judge_rest(&p, s, first, end);
    judge_batch_invariance(&p, s, kernel);
    judge_threads(&p, s, kernel, n_y);
    sweep_end(s);
}

/* Runs a case with some of the panels every other time, otherwise with all. With affine groups n_in is
 * rounded up to a group. */
static void run_panels(sweep *s, const sweep_op *op, size_t n_rows, size_t n_in, size_t n_out)
{
    const assay_dtype weights = KINDS[op->kind].weights;
    const size_t panel = sweep_matmul_of(s->kernels, weights)->panel;
    size_t n = (n_out + panel - 1) / panel, first = 0, count = n, bits, group;
    if (s->n_cases % 2) {
        first = sweep_between(s, 0, n - 1);
        count = sweep_between(s, 1, n - first);
    }
    sweep_matrix_turn(s, weights, &n_in, &bits, &group);
    run_matmul(s, op, (const size_t[DIMS]){n_rows, n_in, n_out, first, count, bits, group}, sweep_turn(s));
}

/* Sizes around the block sizes of kernels: rows 3, 8 and 128, inputs 128, outputs 8, 16, 32 and the
 * panel. */
static void sweep_matmul_shapes(sweep *s, const sweep_op *op)
{
    static const size_t rows[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 16, 17, 24, 31, 257},
                        ins[] = {1, 2, 3, 7, 16, 63, 64, 65, 127, 128, 129, 255, 256, 257, 800},
                        outs[] = {1, 2, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 97};
    enum { N_ROW_COUNTS = sizeof rows / sizeof *rows, N_INS = sizeof ins / sizeof *ins };
    const size_t panel = sweep_matmul_of(s->kernels, KINDS[op->kind].weights)->panel;
    for (size_t r = 0; r < N_ROW_COUNTS; r++) {
        for (size_t o = 0; o < sizeof outs / sizeof *outs; o++)
            run_panels(s, op, rows[r], sweep_between(s, 1, 300), outs[o]);
        for (size_t i = 0; i < N_INS; i++)
            run_panels(s, op, rows[r], ins[i], sweep_between(s, 1, rows[r] < 100 ? 100 : 40));
    }
    for (size_t i = 0; i < 12; i++)
        run_panels(s, op, sweep_between(s, 1, 9), sweep_between(s, 1, 200),
                   panel * (1 + i / 6) + i % 3 - 1 + (panel == 1));
    for (size_t i = 0; i < 10; i++)
        run_panels(s, op, sweep_between(s, 1, 9), sweep_between(s, 1000, 5000), 40);
    for (size_t i = 0; i < 100; i++)
        run_panels(s, op, sweep_between(s, 1, 40), sweep_between(s, 1, 600), sweep_between(s, 1, 100));
}

/* All panels. */
static void fit_matmul(const sweep *s, const sweep_op *op, size_t *shape)
{
    const assay_dtype weights = KINDS[op->kind].weights;
    const size_t panel = sweep_matmul_of(s->kernels, weights)->panel;
    sweep_matrix_turn(s, weights, &shape[N_IN], &shape[BITS], &shape[GROUP]);
    shape[FIRST_PANEL] = 0;
    shape[N_PANELS] = (shape[N_OUT] + panel - 1) / panel;
}

static bool has_matmul(const assay_kernels *kernels, const sweep_op *op)
{
    return product_of(kernels, op) != NULL;
}

static bool allows_matmul(const sweep *s, const sweep_op *op, const size_t *shape)
{
    const assay_dtype weights = KINDS[op->kind].weights;
    const size_t panel = sweep_matmul_of(s->kernels, weights)->panel;
    if (!sweep_matrix_allows(weights, shape[N_OUT], shape[N_IN], shape[BITS], shape[GROUP])) return false;
    const size_t n = (shape[N_OUT] + panel - 1) / panel;
    return sweep_in(shape, 1, 1, 1U << 20) && shape[N_ROWS] * (shape[N_IN] + 3) <= 1U << 20 &&
           shape[N_ROWS] * (shape[N_OUT] + 3) <= 1U << 20 && shape[FIRST_PANEL] < n &&
           sweep_in(shape + N_PANELS, 1, 1, n - shape[FIRST_PANEL]);
}

/* Sizes of published models; with affine groups all inputs are at least 128. */
static const sweep_dim
    MATMUL_DIMS[DIMS] =
        {[N_ROWS] = {"rows", 3, 1024}, [N_IN] = {"inputs", 24, 28672}, [N_OUT] = {"outputs", 4, 32768}},
    AFFINE_DIMS[DIMS] = {
        [N_ROWS] = {"rows", 3, 1024}, [N_IN] = {"inputs", 24, 28672}, [N_OUT] = {"outputs", 4, 8192}};

#define LAYOUT(name, kind, dims)                                                                             \
    {                                                                                                        \
        name, kind, SWEEP_PACK_DIMS, dims, sweep_pack_is_provided, sweep_pack_shapes, sweep_pack_fit,        \
            sweep_pack_allows, sweep_pack_run                                                                \
    }
#define PRODUCT(name, kind, dims)                                                                            \
    {                                                                                                        \
        name, kind, DIMS, dims, has_matmul, sweep_matmul_shapes, fit_matmul, allows_matmul, run_matmul       \
    }

const sweep_op SWEEP_MATMUL[11] = {
    LAYOUT("matmul_f32.pack", 0, SWEEP_PLAIN_PACK_DIMS),
    PRODUCT("matmul_f32.f32", 0, MATMUL_DIMS),
    LAYOUT("matmul_f16.pack", 1, SWEEP_PLAIN_PACK_DIMS),
    PRODUCT("matmul_f16.f32", 1, MATMUL_DIMS),
    LAYOUT("matmul_bf16.pack", 2, SWEEP_PLAIN_PACK_DIMS),
    PRODUCT("matmul_bf16.f32", 2, MATMUL_DIMS),
    PRODUCT("matmul_bf16.bf16", 4, MATMUL_DIMS),
    LAYOUT("matmul_affine.pack", 3, SWEEP_AFFINE_PACK_DIMS),
    PRODUCT("matmul_affine.f32", 3, AFFINE_DIMS),
    PRODUCT("matmul_affine.bf16", 5, AFFINE_DIMS),
    PRODUCT("matmul_affine.i8", 6, AFFINE_DIMS),
};
