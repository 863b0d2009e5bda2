/* Matrix products with packed weights.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/sweep/matmul_judge.h"
#include "conformance/sweep/matmul_make.h"
#include "conformance/sweep/matmul_pack.h"

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

static void run_product(const sweep_product *p, const assay_product *call)
{
    p->product(call);
}

static void run_matmul(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers)
{
    const assay_dtype weights = KINDS[op->kind].weights;
    if (!sweep_begin(s, shape, DIMS, numbers)) return;
    sweep_product p = {
        .x_dtype = KINDS[op->kind].x,
        .numbers = numbers,
        .is_quantised = weights == ASSAY_U32,
        .is_exact = numbers == SWEEP_INTEGERS,
        .kernel = sweep_matmul_of(s->kernels, weights),
        .product = product_of(s->kernels, op),
        .run = run_product,
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
    sweep_judge_product(&p, s);
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
