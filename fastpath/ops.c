/* Operations on rows, split among the workers by outputs or by rows, never along a sum.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/ops.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "fastpath/inputs.h"
#include "fastpath/layer_norm.h"

/* Products of the same rows with several matrices, split among the workers together: a panel costs the
 * same in each. */
typedef struct products {
    const fp_target *targets; /* [n] */
    assay_product of;         /* rows, and the members common to all products */
    const float *excess;      /* of the sums of rows (fastpath/inputs.h); or NULL */
    size_t n_each;            /* number of panels of one item */
} products;

static size_t items_of(const fp_target *target, size_t n_each)
{
    return (fp_matrix_panels(&target->w->packed) + n_each - 1) / n_each;
}

/* The same product by a library's matmul_stored. */
static void run_stored(const fp_matrix *w, const assay_product *p)
{
    const assay_stored_product product = {.y = p->y,
                                          .ld_y = p->ld_y,
                                          .x = p->x,
                                          .ld_x = p->ld_x,
                                          .n_rows = p->n_rows,
                                          .w = &w->stored,
                                          .first_panel = p->first_panel,
                                          .n_panels = p->n_panels};
    w->run_stored(&product);
}

static void product_item(void *context, size_t item)
{
    const products *job = context;
    const fp_target *target = job->targets;
    for (; item >= items_of(target, job->n_each); target++) item -= items_of(target, job->n_each);
    const size_t first = item * job->n_each, left = fp_matrix_panels(&target->w->packed) - first;
    assay_product part = job->of;
    part.w = &target->w->packed;
    part.y = target->y;
    part.ld_y = target->w->packed.n_out;
    part.first_panel = first;
    part.n_panels = left < job->n_each ? left : job->n_each;
    if (target->w->run_stored) run_stored(target->w, &part);
    else target->w->run(&part);
    if (job->excess) fp_inputs_add_minimums(&part, target->w, job->excess);
}

/* Rows of activations and their converted form: in the order of a matrix's columns; bfloat16, or int8 codes
 * with a scale and a sum for each group. */
typedef struct narrowing {
    const fp_kernels *kernels;
    const float *x;
    const int32_t *order;
    float *ordered;
    size_t width, group; /* group: 0 for bfloat16 */
    uint16_t *bf16;
    int8_t *codes;
    float *scale;
    int32_t *sum;
} narrowing;

static void narrow_item(void *context, size_t row)
{
    const narrowing *job = context;
    const size_t at = row * job->width;
    const float *x = fp_inputs_order(job->x, row, job->width, job->order, job->ordered);
    if (job->bf16) job->kernels->narrow_bf16(job->bf16 + at, x, job->width);
    if (!job->codes) return;
    const size_t group_at = at / job->group;
    job->kernels->narrow_i8(job->codes + at, job->scale + group_at, job->sum + group_at, x, job->width,
                            job->group);
}

/* Two bytes for each activation suffice for int8, too: one byte each, and eight bytes for each group. */
bool fp_narrow_alloc(fp_pass *pass)
{
    const fp_packer *p = &pass->model->packer;
    if (p->orders) pass->ordered = fp_scratch_floats(pass->scratch, pass->n_rows, p->widest_ordered);
    if (p->orders && !pass->ordered) return false;
    if (p->inputs) {
        const size_t n = p->widest > FP_INPUTS_LEAST ? p->widest : FP_INPUTS_LEAST;
        pass->narrow = fp_scratch_alloc(pass->scratch, pass->n_rows, n, FP_INPUTS_BYTES);
        return pass->narrow != NULL;
    }
    if (p->compute == ASSAY_F32) return true;
    pass->narrow = fp_scratch_alloc(pass->scratch, pass->n_rows, p->widest, sizeof(uint16_t));
    return pass->narrow != NULL;
}

/* Sets of->x to rows of the type and in the order that w's kernel takes. */
static void convert_rows(const fp_pass *pass, assay_product *of, const float *x, const fp_matrix *w)
{
    enum { COST = 4 }; /* cost of an element, in multiplications */
    const size_t n = of->n_rows * w->packed.n_in;
    narrowing job = {.kernels = &pass->model->kernels,
                     .x = x,
                     .order = w->order,
                     .ordered = pass->ordered,
                     .width = w->packed.n_in};
    of->x = w->x != ASSAY_F32 ? pass->narrow : w->order ? (const void *)pass->ordered : (const void *)x;
    if (w->x == ASSAY_F32 && !w->order) return;
    if (w->x == ASSAY_BF16) {
        job.bf16 = pass->narrow;
    } else if (w->x == ASSAY_I8) {
        job.group = w->packed.group;
        job.codes = pass->narrow;
        of->x_scale = job.scale = (float *)(void *)(job.codes + n);
        of->x_sum = job.sum = (int32_t *)(void *)(job.scale + n / job.group);
    }
    fp_pool_run(pass->model->pool, of->n_rows, job.width * COST, narrow_item, &job);
}

/* The number of panels of one item, of n_panels that cost `cost` each: small enough that one slow
 * worker does not delay the others, and that the L2 cache keeps an item's weights for all of its rows. */
static size_t panels_of_item(const fp_pool *pool, size_t n_panels, size_t cost)
{
    enum { ITEMS_PER_WORKER = 4, ITEM_COST = 1 << 25 };
    if (!fp_pool_shares(pool, n_panels * cost)) return n_panels;
    const size_t n_items = ITEMS_PER_WORKER * fp_pool_workers(pool);
    const size_t n_each = (n_panels + n_items - 1) / n_items, n_most = ITEM_COST / cost;
    return n_each <= n_most ? n_each : n_most > 0 ? n_most : 1;
}

/* Multiplies the same rows with several matrices in one call. */
static void run_together(const fp_pass *pass, const float *x, size_t n_rows, const fp_target *targets,
                         size_t n)
{
    fp_pool *pool = pass->model->pool;
    const assay_matrix *first = &targets[0].w->packed;
    const size_t cost = n_rows * first->panel * first->n_in;
    products job = {.targets = targets, .of = {.ld_x = first->n_in, .n_rows = n_rows}};
    size_t n_panels = 0, n_items = 0;
    for (size_t i = 0; i < n; i++) n_panels += fp_matrix_panels(&targets[i].w->packed);
    job.n_each = panels_of_item(pool, n_panels, cost);
    for (size_t i = 0; i < n; i++) n_items += items_of(&targets[i], job.n_each);
    if (targets[0].w->inputs) job.excess = fp_inputs_convert(pass, &job.of, x, targets[0].w);
    else convert_rows(pass, &job.of, x, targets[0].w);
    fp_pool_run(pool, n_items, job.n_each * cost, product_item, &job);
}

static bool takes_same_rows(const fp_matrix *a, const fp_matrix *b)
{
    return a->x == b->x && a->order == b->order && a->packed.n_in == b->packed.n_in &&
           a->packed.panel == b->packed.panel && (a->x != ASSAY_I8 || a->packed.group == b->packed.group) &&
           a->inputs == b->inputs && !a->minimums == !b->minimums;
}

void fp_products(const fp_pass *pass, const float *x, size_t n_rows, const fp_target *targets, size_t n)
{
    if (n_rows == 0) return;
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && takes_same_rows(targets[first].w, targets[end].w);) end++;
        run_together(pass, x, n_rows, targets + first, end - first);
    }
}

void fp_product(const fp_pass *pass, float *y, const float *x, size_t n_rows, const fp_matrix *w)
{
    fp_products(pass, x, n_rows, &(fp_target){y, w}, 1);
}

void fp_bias_run(float *y, size_t n_rows, const fp_linear *linear)
{
    const size_t n = linear->weight.packed.n_out;
    for (size_t r = 0; linear->bias && r < n_rows; r++) fp_add(y + r * n, linear->bias, n);
}

void fp_linear_run(const fp_pass *pass, float *y, const float *x, size_t n_rows, const fp_linear *linear)
{
    fp_product(pass, y, x, n_rows, &linear->weight);
    fp_bias_run(y, n_rows, linear);
}

typedef struct rows {
    const fp_operations *op;
    float *y;
    const float *x, *up;
    size_t ld_up, n_rows, width;
    const fp_norm *norm;
    assay_activation activation;
    fp_narrow_bf16_fn *narrow;
} rows;

enum { ROWS_PER_ITEM = 16 };

static size_t rows_of_item(const rows *job, size_t first)
{
    size_t left = job->n_rows - first;
    return left < ROWS_PER_ITEM ? left : ROWS_PER_ITEM;
}

static void share_rows(const fp_pass *pass, fp_pool_fn *fn, rows *job)
{
    enum { COST = 8 }; /* of an element, in multiplications */
    job->op = &pass->model->kernels.op;
    fp_pool_run(pass->model->pool, (job->n_rows + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM,
                ROWS_PER_ITEM * job->width * COST, fn, job);
}

static void norm_item(void *context, size_t item)
{
    const rows *job = context;
    size_t first = item * ROWS_PER_ITEM, at = first * job->width;
    if (job->norm->kind == PLAN_LAYER_NORM)
        fp_layer_norm(job->y + at, job->x + at, rows_of_item(job, first), job->width, job->norm->weight,
                      job->norm->bias, job->norm->epsilon);
    else
        job->op->rms_norm.f32(job->y + at, job->width, job->x + at, job->width, rows_of_item(job, first),
                              job->width, job->norm->weight, job->norm->epsilon);
}

void fp_norm_run(const fp_pass *pass, float *y, const float *x, size_t n_rows, size_t width,
                 const fp_norm *norm)
{
    assert(!norm->present || norm->width == width);
    if (norm->present && norm->n_weights) {
        fp_norm plain = *norm;
        plain.n_weights = 0;
        plain.weight = NULL;
        fp_norm_run(pass, y, x, n_rows, width, &plain);
        fp_scale_columns(y, n_rows / norm->n_weights, norm->n_weights * width, norm->weight);
    } else if (norm->present)
        share_rows(pass, norm_item, &(rows){.y = y, .x = x, .n_rows = n_rows, .width = width, .norm = norm});
    else if (y != x) memcpy(y, x, n_rows * width * sizeof *y);
}

static void round_item(void *context, size_t item)
{
    enum { AT_ONCE = 256 };
    const rows *job = context;
    const size_t first = item * ROWS_PER_ITEM, n = rows_of_item(job, first) * job->width;
    float *y = job->y + first * job->width;
    uint16_t narrow[AT_ONCE];
    for (size_t at = 0; at < n; at += AT_ONCE) {
        const size_t n_here = n - at < AT_ONCE ? n - at : AT_ONCE;
        job->narrow(narrow, y + at, n_here);
        for (size_t i = 0; i < n_here; i++) {
            const uint32_t bits = (uint32_t)narrow[i] << 16;
            memcpy(&y[at + i], &bits, sizeof bits);
        }
    }
}

void fp_round_run(const fp_pass *pass, float *x, size_t n_rows, size_t width)
{
    share_rows(pass, round_item,
               &(rows){.y = x, .n_rows = n_rows, .width = width, .narrow = pass->model->kernels.narrow_bf16});
}

static void gate_item(void *context, size_t item)
{
    const rows *job = context;
    size_t first = item * ROWS_PER_ITEM, end = first + rows_of_item(job, first);
    for (size_t r = first; r < end; r++)
        job->op->gate.f32(job->y + r * job->width, job->x + r * job->width, job->up + r * job->ld_up,
                          job->width, job->activation);
}

void fp_gate_run(const fp_pass *pass, float *y, const float *gate, const float *up, size_t ld_up,
                 size_t n_rows, size_t width, assay_activation activation)
{
    share_rows(pass, gate_item,
               &(rows){.y = y,
                       .x = gate,
                       .up = up,
                       .ld_up = ld_up,
                       .n_rows = n_rows,
                       .width = width,
                       .activation = activation});
}

/* In blocks of a constant size, which compilers turn into vectors. */
void fp_add(float *restrict y, const float *restrict x, size_t n)
{
    enum { BLOCK = 16 };
    size_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++) y[i + k] += x[i + k];
    for (; i < n; i++) y[i] += x[i];
}

static void add_item(void *context, size_t item)
{
    const rows *job = context;
    const size_t first = item * ROWS_PER_ITEM, at = first * job->width;
    fp_add(job->y + at, job->x + at, rows_of_item(job, first) * job->width);
}

void fp_add_run(const fp_pass *pass, float *y, const float *x, size_t width)
{
    share_rows(pass, add_item, &(rows){.y = y, .x = x, .n_rows = pass->n_rows, .width = width});
}

void fp_scale(float *y, size_t n, double factor)
{
    for (size_t i = 0; i < n; i++) y[i] = (float)((double)y[i] * factor);
}

void fp_offset(float *y, size_t n, double offset)
{
    for (size_t i = 0; offset != 0 && i < n; i++) y[i] = (float)((double)y[i] + offset);
}

void fp_gating(float *gate, float *up, size_t n, const plan_gating *g)
{
    const float limit = (float)g->limit;
    for (size_t i = 0; limit != 0 && i < n; i++) {
        if (gate[i] > limit) gate[i] = limit;
        if (up[i] > limit) up[i] = limit;
        if (up[i] < -limit) up[i] = -limit;
    }
    fp_offset(up, n, g->up_offset);
    if (g->slope == 0) return;
    fp_scale(gate, n, g->slope);
    fp_scale(up, n, 1 / g->slope);
}

void fp_rope_doubled(float *x, size_t n_heads, const rope *r, const float *cosine, const float *sine)
{
    const size_t n = r->dim / 2;
    for (size_t h = 0; h < n_heads; h++, x += r->head_dim)
        for (size_t i = 0; i < n; i++) {
            const float first = x[i], second = x[n + i];
            x[i] = first * cosine[i] - second * sine[i];
            x[n + i] = second * cosine[n + i] + first * sine[n + i];
        }
}

void fp_scale_columns(float *x, size_t n_rows, size_t width, const float *factors)
{
    for (size_t r = 0; r < n_rows; r++)
        for (size_t i = 0; i < width; i++) x[r * width + i] *= factors[i];
}

double fp_gate_value(const float *gate)
{
    return gate ? tanh((double)*gate) : 1;
}
