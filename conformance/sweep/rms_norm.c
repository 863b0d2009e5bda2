/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "conformance/sweep/parts.h"
#include "conformance/sweep/threads.h"

enum { N_ROWS, WIDTH, DIMS };

typedef struct rows {
    size_t n_rows, width, ld_x, ld_y;
    double epsilon;        /* small, or so large that it dominates */
    float *x, *y, *weight; /* weight: NULL every other time */
} rows;

static void judge_row(const rows *n, sweep *s, const float *x, size_t row)
{
    const float *y = n->y + row * n->ld_y;
    double sum = 0;
    for (size_t i = 0; i < n->width; i++) sum += (double)x[i] * (double)x[i];
    double factor = 1 / sqrt(sum / (double)n->width + n->epsilon);
    for (size_t i = 0; i < n->width; i++) {
        double truth = (double)x[i] * factor * (n->weight ? (double)n->weight[i] : 1);
        if (!sweep_judge(s, y[i], truth, fabs(truth), row * n->width + i)) return;
    }
    for (size_t i = n->width; i < n->ld_y && row + 1 < n->n_rows; i++) {
        uint32_t bits;
        memcpy(&bits, y + i, sizeof bits);
        if (bits != UINT32_MAX) sweep_fail(s, "row %zu is written %zu past its end", row, i - n->width + 1);
    }
}

/* One row, computed as a batch of one and in place, must have the same bits. */
static void judge_batch_invariance(const rows *n, sweep *s, assay_rms_norm_fn *kernel)
{
    size_t row = sweep_between(s, 0, n->n_rows - 1);
    float *alone = sweep_alloc_guarded(s, "y", n->width * sizeof *alone);
    memcpy(alone, n->x + row * n->ld_x, n->width * sizeof *alone);
    kernel(alone, n->width, alone, n->width, 1, n->width, n->weight, n->epsilon);
    for (size_t i = 0; i < n->width; i++)
        if (!sweep_judge_same(s, alone[i], n->y[row * n->ld_y + i], row * n->width + i)) return;
}

/* Shared by threads: the same rows into another y. */
typedef struct shared_rows {
    rows rows;
    assay_rms_norm_fn *kernel;
} shared_rows;

static void compute_part(const void *context, const sweep_part *part)
{
    const shared_rows *shared = context;
    const rows *n = &shared->rows;
    shared->kernel(n->y + part->row * n->ld_y, n->ld_y, n->x + part->row * n->ld_x, n->ld_x, part->n_rows,
                   n->width, n->weight, n->epsilon);
}

static void judge_threads(const rows *n, sweep *s, assay_rms_norm_fn *kernel, size_t n_y)
{
    if (!s->on_threads) return;
    shared_rows shared = {*n, kernel};
    shared.rows.y = sweep_alloc_guarded(s, "y", n_y * sizeof *n->y);
    sweep_judge_threads(s,
                        &(sweep_work){.n_rows = n->n_rows,
                                      .n_columns = 1,
                                      .compute = compute_part,
                                      .context = &shared,
                                      .outputs = {{"y", n->y, shared.rows.y, n->ld_y, 0, n->width, n->width}},
                                      .n_outputs = 1});
}

static void run_rms_norm(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers)
{
    (void)op;
    if (!sweep_begin(s, shape, DIMS, numbers)) return;
    rows n = {.n_rows = shape[N_ROWS], .width = shape[WIDTH]};
    n.epsilon = sweep_bits(s) % 2 ? 1e-6 : 0.5;
    n.ld_x = n.width + sweep_between(s, 0, 3);
    n.ld_y = n.width + sweep_between(s, 0, 3);
    size_t n_x = (n.n_rows - 1) * n.ld_x + n.width, n_y = (n.n_rows - 1) * n.ld_y + n.width;
    n.x = sweep_alloc(s, "x", n_x * sizeof *n.x);
    n.y = sweep_alloc_guarded(s, "y", n_y * sizeof *n.y);
    for (size_t i = 0; i < n_x; i++) n.x[i] = NAN;
    for (size_t r = 0; r < n.n_rows; r++)
        if (numbers == SWEEP_ZEROS) sweep_fill_sparse(s, n.x + r * n.ld_x, n.width);
        else sweep_fill(s, n.x + r * n.ld_x, n.width, numbers);
    if (sweep_bits(s) % 2) {
        n.weight = sweep_alloc(s, "weight", n.width * sizeof *n.weight);
        sweep_fill(s, n.weight, n.width, numbers == SWEEP_LARGE ? SWEEP_RANDOM : numbers);
    }
    sweep_lock_inputs(s);
    s->kernels->rms_norm->f32(n.y, n.ld_y, n.x, n.ld_x, n.n_rows, n.width, n.weight, n.epsilon);
    for (size_t r = 0; r < n.n_rows; r++) judge_row(&n, s, n.x + r * n.ld_x, r);
    judge_batch_invariance(&n, s, s->kernels->rms_norm->f32);
    judge_threads(&n, s, s->kernels->rms_norm->f32, n_y);
    sweep_end(s);
}

static void sweep_rms_norm_shapes(sweep *s, const sweep_op *op)
{
    for (size_t width = 1; width <= 70; width++)
        for (size_t n_rows = 1; n_rows <= 4; n_rows++)
            op->run(s, op, (const size_t[DIMS]){n_rows, width}, sweep_turn(s));
    for (size_t i = 0; i < 60; i++)
        op->run(s, op, (const size_t[DIMS]){sweep_between(s, 1, 9), sweep_between(s, 71, 3000)},
                sweep_turn(s));
}

static bool has_rms_norm(const assay_kernels *kernels, const sweep_op *op)
{
    (void)op;
    return kernels->rms_norm != NULL;
}

static bool allows_rms_norm(const sweep *s, const sweep_op *op, const size_t *shape)
{
    (void)s;
    (void)op;
    return sweep_in(shape, DIMS, 1, 1U << 20) && shape[N_ROWS] * (shape[WIDTH] + 3) <= 1U << 20;
}

static const sweep_dim RMS_NORM_DIMS[DIMS] = {[N_ROWS] = {"rows", 3, 1024}, [WIDTH] = {"width", 24, 28672}};

const sweep_op SWEEP_RMS_NORM[1] = {{"rms_norm", 0, DIMS, RMS_NORM_DIMS, has_rms_norm, sweep_rms_norm_shapes,
                                     NULL, allows_rms_norm, run_rms_norm}};
