/* Matrix products with matrices in the formats of quantised checkpoints, and their packing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/numerics/stored.h"
#include "conformance/sweep/matmul_judge.h"
#include "conformance/sweep/matmul_make.h"
#include "conformance/sweep/matmul_pack.h"
#include "conformance/sweep/stored_make.h"
#include "conformance/sweep/stored_support.h"

/* Packing has the last three. */
enum { N_ROWS, FIRST_PANEL, N_PANELS, CODES, N_IN, N_OUT, FORMAT, DIMS };
enum { PACKED_DIMS = 3, PACKED_FROM = N_IN };

/* For each sweep_op.kind: the type of x; NONE: of packing. */
static const assay_dtype KINDS[] = {ASSAY_DTYPE_NONE, ASSAY_F32, ASSAY_BF16, ASSAY_I8};

static assay_stored_product_fn *product_of(const assay_matmul_stored *m, assay_dtype x)
{
    return x == ASSAY_F32 ? m->f32 : x == ASSAY_BF16 ? m->bf16 : x == ASSAY_I8 ? m->i8 : NULL;
}

/* What the functions of a case need beside it. */
typedef struct stored_case {
    const assay_matmul_stored *kernel;
    assay_stored_product_fn *product;
    const assay_stored *w; /* an input of the kernel */
    assay_stored *kept;    /* what is left of it when it has been packed */
    size_t group;          /* of x */
} stored_case;

/* The matrix that begins with output `first`. */
static assay_stored stored_from(const assay_stored *w, size_t first)
{
    assay_stored from = *w;
    from.n_out -= first;
    if (!from.n_row_digits) from.first_row += first;
    for (size_t i = 0; i < from.n_row_digits; i++) from.row_digits[i].add += first * from.row_digits[i].mul;
    return from;
}

static size_t panel_bytes(const sweep_product *p, size_t first)
{
    const stored_case *c = p->context;
    const assay_stored from = stored_from(c->w, first);
    return c->kernel->panel_bytes(&from);
}

static void pack(const sweep_product *p, void *panel, size_t first, size_t index)
{
    const stored_case *c = p->context;
    const assay_stored from = stored_from(c->w, first);
    c->kernel->pack(panel, first == 0 ? c->w : &from, index);
}

static assay_stored_matrix matrix_of(const sweep_product *p)
{
    const stored_case *c = p->context;
    return (assay_stored_matrix){c->kept, p->packed.panel, p->packed.panel_bytes, p->packed.panels};
}

static void unpack(const sweep_product *p, float *row, size_t o)
{
    const stored_case *c = p->context;
    const assay_stored_matrix w = matrix_of(p);
    c->kernel->unpack(row, &w, o);
}

static void run_product(const sweep_product *p, const assay_product *call)
{
    const stored_case *c = p->context;
    const assay_stored_matrix w = matrix_of(p);
    const assay_stored_product product = {.y = call->y,
                                          .ld_y = call->ld_y,
                                          .x = call->x,
                                          .ld_x = call->ld_x,
                                          .group = c->group,
                                          .x_scale = call->x_scale,
                                          .x_sum = call->x_sum,
                                          .n_rows = call->n_rows,
                                          .w = &w,
                                          .first_panel = call->first_panel,
                                          .n_panels = call->n_panels};
    c->product(&product);
}

/* Sometimes the rows are in another order, that of halves that alternate. */
static void draw_order(sweep *s, assay_stored *w)
{
    if (w->n_out % 2 || sweep_bits(s) % 4) return;
    const size_t half = w->n_out / 2;
    w->n_row_digits = 2;
    w->row_digits[0] = (assay_digit){ASSAY_INDEX_ROW, 1, 0, 1, half, 2};
    w->row_digits[1] = (assay_digit){ASSAY_INDEX_ROW, 1, 0, half, 2, 1};
}

/* Packs the matrix, whose bytes are not there afterwards. */
static bool pack_stored(sweep_product *p, sweep *s, stored_case *c)
{
    c->kept = sweep_alloc_copy(s, "from", c->w, sizeof *c->w);
    for (size_t i = 0; i < STORED_FIELDS; i++) stored_field_at(c->kept, i)->bytes = NULL;
    c->kept->group_of = NULL;
    p->panel_bytes = panel_bytes;
    p->pack = pack;
    p->unpack = unpack;
    p->run = run_product;
    p->context = c;
    return sweep_pack_panels(p, s);
}

static void judge_case(sweep *s, const sweep_op *op, sweep_product *p, stored_case *c)
{
    if (!pack_stored(p, s, c)) return;
    if (!c->product) {
        sweep_judge_panels(p, s);
        return;
    }
    p->x_group = c->group;
    p->stored.group = ASSAY_CODE_SUM;
    sweep_make_rows(p, s);
    if (KINDS[op->kind] != ASSAY_I8) c->group = 0;
    sweep_judge_product(p, s);
}

/* The whole shape of a case of either kind. */
static void widen_shape(const sweep_op *op, const size_t *shape, size_t *out)
{
    const size_t first = op->n_dims == DIMS ? 0 : PACKED_FROM;
    for (size_t d = 0; d < DIMS; d++) out[d] = d < first ? 0 : shape[d - first];
}

static void run_case(sweep *s, const sweep_op *op, const size_t *given, sweep_numbers numbers)
{
    size_t shape[DIMS];
    sweep_stored matrix;
    widen_shape(op, given, shape);
    if (!sweep_begin(s, given, op->n_dims, numbers)) return;
    s->subject = sweep_format_name(shape[FORMAT]);
    const assay_matmul_stored *kernel = s->kernels->matmul_stored;
    stored_case c = {.kernel = kernel,
                     .product = product_of(kernel, KINDS[op->kind]),
                     .group = sweep_stored_group(shape[CODES], shape[N_IN])};
    if (!sweep_format_open(shape[FORMAT], shape[N_OUT], shape[N_IN], s, 0, &matrix)) {
        sweep_fail(s, "the sweep has no matrix of %zu x %zu", shape[N_OUT], shape[N_IN]);
    } else if (kernel->supports(&matrix.stored)) {
        sweep_product p = {
            .x_dtype = KINDS[op->kind],
            .numbers = numbers,
            .is_quantised = true,
            .is_stored = true,
            .stored = {.n_out = shape[N_OUT], .n_in = shape[N_IN]},
            .packed = {.n_out = shape[N_OUT], .n_in = shape[N_IN], .panel = kernel->panel},
            .of = {.n_rows = shape[N_ROWS], .first_panel = shape[FIRST_PANEL], .n_panels = shape[N_PANELS]}};
        draw_order(s, &matrix.stored);
        sweep_make_stored(&p, s, &matrix.stored);
        c.w = sweep_alloc_copy(s, "w", &matrix.stored, sizeof matrix.stored);
        judge_case(s, op, &p, &c);
    }
    sweep_format_close(&matrix, false);
    sweep_end(s);
}

/* A case of a format that the library takes, with sizes that are rounded up to those of the format. */
static void run_turn(sweep *s, const sweep_op *op, size_t format, const size_t *sizes)
{
    const size_t panel = s->kernels->matmul_stored->panel, codes = s->n_cases % SWEEP_STORED_GROUPS;
    size_t shape[DIMS] = {[N_ROWS] = sizes[0], [N_IN] = sizes[1], [N_OUT] = sizes[2], [FORMAT] = format};
    sweep_format_fit(format, &shape[N_OUT], &shape[N_IN]);
    const size_t n = (shape[N_OUT] + panel - 1) / panel;
    shape[N_PANELS] = n;
    if (s->n_cases % 2) {
        shape[FIRST_PANEL] = sweep_between(s, 0, n - 1);
        shape[N_PANELS] = sweep_between(s, 1, n - shape[FIRST_PANEL]);
    }
    const bool is_coded = KINDS[op->kind] == ASSAY_I8;
    for (size_t i = 0; i < (is_coded ? SWEEP_STORED_GROUPS : 1); i++) {
        shape[CODES] = is_coded ? (codes + i) % SWEEP_STORED_GROUPS : 0;
        const sweep_wanted wanted = {format, shape[N_OUT], shape[N_IN], is_coded, shape[CODES]};
        if (!sweep_stored_is_supported(s->kernels, &wanted)) continue;
        run_case(s, op, shape + (op->n_dims == DIMS ? 0 : PACKED_FROM), sweep_turn(s));
        return;
    }
}

/* From one block on; around the sizes of blocks, of groups and of the panel. */
static void run_shapes(sweep *s, const sweep_op *op)
{
    static const size_t sizes[][3] = {{1, 1, 1},    {1, 33, 2},   {2, 257, 3},  {3, 129, 33},
                                      {4, 512, 17}, {5, 800, 40}, {17, 64, 65}, {9, 1030, 31}};
    const size_t n = sweep_n_formats(), panel = s->kernels->matmul_stored->panel;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t format = 0; format < n; format++) run_turn(s, op, format, sizes[i]);
    for (size_t i = 0; i < 4; i++)
        for (size_t format = 0; format < n; format++)
            run_turn(s, op, format,
                     (const size_t[]){sweep_between(s, 1, 20), sweep_between(s, 1, 600), panel + i % 3});
}

/* A format that the library takes in such sizes, and all panels. */
static void fit(const sweep *s, const sweep_op *op, size_t *given)
{
    const size_t n = sweep_n_formats(), panel = s->kernels->matmul_stored->panel;
    const bool is_coded = KINDS[op->kind] == ASSAY_I8;
    size_t shape[DIMS];
    widen_shape(op, given, shape);
    for (size_t i = 0; i < n * (is_coded ? SWEEP_STORED_GROUPS : 1); i++) {
        sweep_wanted wanted = {(s->n_cases + i) % n, shape[N_OUT], shape[N_IN], is_coded, i / n};
        sweep_format_fit(wanted.format, &wanted.n_out, &wanted.n_in);
        if (wanted.n_out * wanted.n_in > 1U << 20 || !sweep_stored_is_supported(s->kernels, &wanted))
            continue;
        shape[FORMAT] = wanted.format;
        shape[CODES] = wanted.codes;
        shape[N_IN] = wanted.n_in;
        shape[N_OUT] = wanted.n_out;
        break;
    }
    shape[FIRST_PANEL] = 0;
    shape[N_PANELS] = (shape[N_OUT] + panel - 1) / panel;
    const size_t first = op->n_dims == DIMS ? 0 : PACKED_FROM;
    for (size_t d = first; d < DIMS; d++) given[d - first] = shape[d];
}

static bool is_provided(const assay_kernels *kernels, const sweep_op *op)
{
    const assay_matmul_stored *m = kernels->matmul_stored;
    return m && (KINDS[op->kind] == ASSAY_DTYPE_NONE || product_of(m, KINDS[op->kind]));
}

static bool allows(const sweep *s, const sweep_op *op, const size_t *given)
{
    size_t shape[DIMS];
    const size_t panel = s->kernels->matmul_stored->panel;
    widen_shape(op, given, shape);
    const sweep_wanted wanted = {shape[FORMAT], shape[N_OUT], shape[N_IN], KINDS[op->kind] == ASSAY_I8,
                                 shape[CODES]};
    if (!sweep_in(shape + N_IN, 2, 1, 1U << 20) || shape[N_IN] * shape[N_OUT] > 1U << 20) return false;
    if (shape[FORMAT] >= sweep_n_formats() || shape[CODES] >= SWEEP_STORED_GROUPS) return false;
    if (!sweep_stored_is_supported(s->kernels, &wanted)) return false;
    if (op->n_dims != DIMS) return true;
    const size_t n = (shape[N_OUT] + panel - 1) / panel;
    return sweep_in(shape, 1, 1, 1U << 20) && shape[N_ROWS] * (shape[N_IN] + 3) <= 1U << 20 &&
           shape[N_ROWS] * (shape[N_OUT] + 3) <= 1U << 20 && shape[FIRST_PANEL] < n &&
           sweep_in(shape + N_PANELS, 1, 1, n - shape[FIRST_PANEL]);
}

/* Sizes of published models, as far as a matrix of them fits. */
static const sweep_dim DIMS_OF[DIMS] = {
    [N_ROWS] = {"rows", 3, 1024}, [N_IN] = {"inputs", 24, 28672}, [N_OUT] = {"outputs", 4, 4096}};

#define ROW(name, kind, n, first)                                                                            \
    {                                                                                                        \
        name, kind, n, DIMS_OF + (first), is_provided, run_shapes, fit, allows, run_case                     \
    }

const sweep_op SWEEP_STORED[4] = {
    ROW("matmul_stored.pack", 0, PACKED_DIMS, PACKED_FROM),
    ROW("matmul_stored.f32", 1, DIMS, 0),
    ROW("matmul_stored.bf16", 2, DIMS, 0),
    ROW("matmul_stored.i8", 3, DIMS, 0),
};
