/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "fastpath/kernels/rope.h"
#include "fastpath/tests/sweep_parts.h"

enum { N_HEADS, HEAD_DIM, DIM, ADJACENT, DIMS };

typedef struct rotation {
    size_t n_heads, head_dim, dim;
    bool adjacent;
    float *before, *x, *cosine, *sine;
} rotation;

static void judge_head(const rotation *r, sweep *s, size_t head)
{
    const float *x = r->before + head * r->head_dim, *y = r->x + head * r->head_dim;
    for (size_t i = 0; i < r->dim / 2; i++) {
        size_t a = r->adjacent ? 2 * i : i, b = r->adjacent ? a + 1 : i + r->dim / 2;
        double first = (double)x[a], second = (double)x[b], c = (double)r->cosine[i], t = (double)r->sine[i];
        if (!sweep_judge(s, y[a], first * c - second * t, fabs(first * c) + fabs(second * t), a) ||
            !sweep_judge(s, y[b], second * c + first * t, fabs(second * c) + fabs(first * t), b))
            return;
    }
    for (size_t i = r->dim; i < r->head_dim; i++) (void)sweep_judge_same(s, y[i], x[i], i);
}

static void run(sweep *s, const sweep_op *op, size_t variant, const size_t *shape, sweep_numbers numbers)
{
    (void)op;
    sweep_begin(s, shape, DIMS, numbers);
    rotation r = {shape[N_HEADS], shape[HEAD_DIM], shape[DIM], shape[ADJACENT] != 0, NULL, NULL, NULL, NULL};
    size_t n = r.n_heads * r.head_dim, n_bytes = n * sizeof *r.x;
    r.before = sweep_take(s, n_bytes);
    r.x = sweep_take_guarded(s, n_bytes);
    r.cosine = sweep_take(s, r.dim / 2 * sizeof *r.cosine);
    r.sine = sweep_take(s, r.dim / 2 * sizeof *r.sine);
    sweep_fill(s, r.before, n, numbers);
    sweep_fill(s, r.cosine, r.dim / 2, numbers);
    sweep_fill(s, r.sine, r.dim / 2, numbers);
    memcpy(r.x, r.before, n_bytes);
    FP_ROPE[variant].f32(r.x, r.n_heads, r.head_dim, r.dim, r.adjacent, r.cosine, r.sine);
    for (size_t h = 0; h < r.n_heads; h++) judge_head(&r, s, h);
    /* Products of floats are exact in double: there is but one right result. */
    float *scalar = sweep_take_guarded(s, n_bytes);
    memcpy(scalar, r.before, n_bytes);
    FP_ROPE[FP_N_ROPE - 1].f32(scalar, r.n_heads, r.head_dim, r.dim, r.adjacent, r.cosine, r.sine);
    for (size_t i = 0; i < n && numbers == SWEEP_INTEGERS; i++)
        (void)sweep_judge_same(s, r.x[i], scalar[i], i);
    /* The last head alone. */
    memcpy(scalar, r.before, n_bytes);
    FP_ROPE[variant].f32(scalar + n - r.head_dim, 1, r.head_dim, r.dim, r.adjacent, r.cosine, r.sine);
    for (size_t i = n - r.head_dim; i < n; i++) (void)sweep_judge_same(s, r.x[i], scalar[i], i);
    sweep_end(s);
}

static void shapes(sweep *s, const sweep_op *op, size_t variant)
{
    for (size_t dim = 2; dim <= 140; dim += 2)
        for (size_t adjacent = 0; adjacent < 2; adjacent++)
            for (size_t i = 0; i < 4; i++)
                op->run(s, op, variant,
                        (const size_t[DIMS]){sweep_between(s, 1, 4), dim + sweep_between(s, 0, 1) * i, dim,
                                             adjacent},
                        sweep_turn(s));
}

static size_t n_variants(void)
{
    return FP_N_ROPE;
}

static fp_isa isa(size_t variant)
{
    return FP_ROPE[variant].isa;
}

const sweep_op SWEEP_ROPE[1] = {{"rope", 0, DIMS, n_variants, isa, shapes, run}};
