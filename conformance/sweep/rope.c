/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "conformance/sweep/parts.h"
#include "conformance/sweep/threads.h"

enum { N_HEADS, HEAD_DIM, DIM, ADJACENT, DIMS };

typedef struct rotation {
    size_t n_heads, head_dim, dim;
    bool adjacent;
    float *before, *x, *cosine, *sine;
} rotation;

/* With small integers every operation is exact. */
static bool judge_element(sweep *s, float y, double truth, double magnitude, size_t at)
{
    if (strcmp(s->numbers, sweep_numbers_name(SWEEP_INTEGERS)) == 0)
        return sweep_judge_exact(s, y, truth, at);
    return sweep_judge(s, y, truth, magnitude, at);
}

static void judge_head(const rotation *r, sweep *s, size_t head)
{
    const float *x = r->before + head * r->head_dim, *y = r->x + head * r->head_dim;
    for (size_t i = 0; i < r->dim / 2; i++) {
        size_t a = r->adjacent ? 2 * i : i, b = r->adjacent ? a + 1 : i + r->dim / 2;
        double first = (double)x[a], second = (double)x[b], c = (double)r->cosine[i], t = (double)r->sine[i];
        if (!judge_element(s, y[a], first * c - second * t, fabs(first * c) + fabs(second * t), a) ||
            !judge_element(s, y[b], second * c + first * t, fabs(second * c) + fabs(first * t), b))
            return;
    }
    for (size_t i = r->dim; i < r->head_dim; i++) (void)sweep_judge_exact(s, y[i], (double)x[i], i);
}

/* One head, computed by a call of its own in another array, must have the same bits. */
static void judge_batch_invariance(const rotation *r, sweep *s)
{
    const size_t head = sweep_between(s, 0, r->n_heads - 1), at = head * r->head_dim;
    float *alone = sweep_alloc_guarded(s, "x", r->head_dim * sizeof *alone);
    memcpy(alone, r->before + at, r->head_dim * sizeof *alone);
    s->kernels->rope->f32(alone, 1, r->head_dim, r->dim, r->adjacent, r->cosine, r->sine);
    for (size_t i = 0; i < r->head_dim; i++) (void)sweep_judge_same(s, r->x[at + i], alone[i], at + i);
}

/* Shared by threads: the same heads in another array. */
typedef struct shared_rotation {
    rotation rotation;
    assay_rope_fn *kernel;
} shared_rotation;

static void compute_part(const void *context, const sweep_part *part)
{
    const shared_rotation *shared = context;
    const rotation *r = &shared->rotation;
    float *x = r->x + part->row * r->head_dim;
    memcpy(x, r->before + part->row * r->head_dim, part->n_rows * r->head_dim * sizeof *x);
    shared->kernel(x, part->n_rows, r->head_dim, r->dim, r->adjacent, r->cosine, r->sine);
}

static void judge_threads(const rotation *r, sweep *s)
{
    if (!s->on_threads) return;
    shared_rotation shared = {*r, s->kernels->rope->f32};
    shared.rotation.x = sweep_alloc_guarded(s, "x", r->n_heads * r->head_dim * sizeof *r->x);
    sweep_judge_threads(s, &(sweep_work){.n_rows = r->n_heads,
                                         .n_columns = 1,
                                         .compute = compute_part,
                                         .context = &shared,
                                         .outputs = {{"x", r->x, shared.rotation.x, r->head_dim, 0,
                                                      r->head_dim, r->head_dim}},
                                         .n_outputs = 1});
}

static void run_rope(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers)
{
    (void)op;
    if (!sweep_begin(s, shape, DIMS, numbers)) return;
    rotation r = {shape[N_HEADS], shape[HEAD_DIM], shape[DIM], shape[ADJACENT] != 0, NULL, NULL, NULL, NULL};
    size_t n = r.n_heads * r.head_dim, n_bytes = n * sizeof *r.x;
    r.before = sweep_alloc(s, NULL, n_bytes);
    r.x = sweep_alloc_guarded(s, "x", n_bytes);
    r.cosine = sweep_alloc(s, "cosine", r.dim / 2 * sizeof *r.cosine);
    r.sine = sweep_alloc(s, "sine", r.dim / 2 * sizeof *r.sine);
    sweep_fill(s, r.before, n, numbers);
    const sweep_numbers angles = numbers == SWEEP_LARGE ? SWEEP_RANDOM : numbers;
    sweep_fill(s, r.cosine, r.dim / 2, angles);
    sweep_fill(s, r.sine, r.dim / 2, angles);
    memcpy(r.x, r.before, n_bytes);
    sweep_lock_inputs(s);
    s->kernels->rope->f32(r.x, r.n_heads, r.head_dim, r.dim, r.adjacent, r.cosine, r.sine);
    for (size_t h = 0; h < r.n_heads; h++) judge_head(&r, s, h);
    judge_batch_invariance(&r, s);
    judge_threads(&r, s);
    sweep_end(s);
}

static void sweep_rope_shapes(sweep *s, const sweep_op *op)
{
    for (size_t dim = 2; dim <= 140; dim += 2)
        for (size_t adjacent = 0; adjacent < 2; adjacent++)
            for (size_t i = 0; i < 4; i++)
                op->run(s, op,
                        (const size_t[DIMS]){sweep_between(s, 1, 4), dim + sweep_between(s, 0, 1) * i, dim,
                                             adjacent},
                        sweep_turn(s));
}

static bool has_rope(const assay_kernels *kernels, const sweep_op *op)
{
    (void)op;
    return kernels->rope != NULL;
}

static bool allows_rope(const sweep *s, const sweep_op *op, const size_t *shape)
{
    (void)s;
    (void)op;
    return sweep_in(shape, DIM, 1, 1000) && sweep_in(shape + DIM, 1, 2, shape[HEAD_DIM]) &&
           shape[DIM] % 2 == 0 && shape[ADJACENT] <= 1;
}

/* An even number of elements is rotated, at most those of a head. */
static void fit_rope(const sweep *s, const sweep_op *op, size_t *shape)
{
    (void)s;
    (void)op;
    shape[DIM] += shape[DIM] % 2;
    if (shape[HEAD_DIM] < shape[DIM]) shape[HEAD_DIM] = shape[DIM];
}

static const sweep_dim ROPE_DIMS[DIMS] = {[N_HEADS] = {"heads", 4, 128},
                                          [HEAD_DIM] = {"head_dim", 64, 512},
                                          [DIM] = {"dim", 64, 512},
                                          [ADJACENT] = {NULL, 0, 1}};

const sweep_op SWEEP_ROPE[1] = {
    {"rope", 0, DIMS, ROPE_DIMS, has_rope, sweep_rope_shapes, fit_rope, allows_rope, run_rope}};
