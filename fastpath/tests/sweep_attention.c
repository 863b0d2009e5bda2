/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "fastpath/kernels/attention.h"
#include "fastpath/tests/sweep_parts.h"

enum { N_HEADS, HEAD_DIM, FIRST, LAST, DIMS };
enum { MAX_PAGES = 8 };

typedef struct query {
    size_t n_heads, head_dim, first, last;
    float scale, *q, *out;
    const void *k[MAX_PAGES], *v[MAX_PAGES];
} query;

static float key(const query *a, size_t position, size_t d)
{
    return ((const float *)a->k[position / ASSAY_PAGE])[d * ASSAY_PAGE + position % ASSAY_PAGE];
}

/* Infinite keys would ask of the softmax what nothing needs; NaN must arrive. What is not seen is NaN always.
 */
static const float *make_page(const query *a, sweep *s, size_t page, bool is_key, sweep_numbers numbers)
{
    size_t n = ASSAY_PAGE * a->head_dim;
    float *x = sweep_take_aligned(s, n * sizeof *x, 64);
    sweep_fill(s, x, n, numbers);
    for (size_t i = 0; i < n; i++) {
        size_t position = page * ASSAY_PAGE + (is_key ? i % ASSAY_PAGE : i / a->head_dim);
        if (position < a->first || position > a->last || isinf(x[i])) x[i] = NAN;
    }
    return x;
}

/* Scores of one head, and how far the float ones may be off, in units of u: rounding in the product, and in
 * what is subtracted from it. */
static void score_head(const query *a, size_t head, double *score, double *off)
{
    double top = -INFINITY;
    for (size_t j = a->first; j <= a->last; j++) {
        double sum = 0, magnitude = 0;
        for (size_t d = 0; d < a->head_dim; d++) {
            double term = (double)a->q[head * a->head_dim + d] * (double)key(a, j, d) * (double)a->scale;
            sum += term;
            magnitude += fabs(term);
        }
        score[j] = sum;
        off[j] = magnitude;
        if (!(sum <= top)) top = sum;
    }
    for (size_t j = a->first; j <= a->last; j++) {
        score[j] -= top;
        off[j] += fabs(score[j]);
    }
}

/* An error e of a score makes its share wrong by the factor 1 + e, and the sum that shares are divided by no
 * more than the largest such factor. */
static void judge_head(const query *a, sweep *s, size_t head)
{
    double score[MAX_PAGES * 64], off[MAX_PAGES * 64], sum = 0, sum_off = 0;
    score_head(a, head, score, off);
    for (size_t j = a->first; j <= a->last; j++) sum += exp(score[j]);
    for (size_t j = a->first; j <= a->last; j++) sum_off += exp(score[j]) / sum * off[j];
    for (size_t d = 0; d < a->head_dim; d++) {
        double truth = 0, magnitude = 0;
        for (size_t j = a->first; j <= a->last; j++) {
            double term = exp(score[j]) / sum *
                          (double)((const float *)a->v[j / ASSAY_PAGE])[j % ASSAY_PAGE * a->head_dim + d];
            truth += term;
            magnitude += fabs(term) * (1 + off[j] + sum_off);
        }
        if (!sweep_judge(s, a->out[head * a->head_dim + d], truth, magnitude, head * a->head_dim + d)) return;
    }
}

static void run(sweep *s, const sweep_op *op, size_t variant, const size_t *shape, sweep_numbers numbers)
{
    (void)op;
    sweep_begin(s, shape, DIMS, numbers);
    query a = {
        .n_heads = shape[N_HEADS], .head_dim = shape[HEAD_DIM], .first = shape[FIRST], .last = shape[LAST]};
    size_t n = a.n_heads * a.head_dim;
    assay_attention_fn *kernel = FP_ATTENTION[variant].f32;
    a.scale = 1 / sqrtf((float)a.head_dim);
    a.q = sweep_take(s, n * sizeof *a.q);
    sweep_fill(s, a.q, n, numbers == SWEEP_SPECIAL ? SWEEP_RANDOM : numbers);
    for (size_t page = 0; page <= a.last / ASSAY_PAGE; page++) {
        a.k[page] = make_page(&a, s, page, true, numbers);
        a.v[page] = make_page(&a, s, page, false, numbers);
    }
    a.out = sweep_take_guarded(s, n * sizeof *a.out);
    assay_attention_call call = {.out = a.out,
                                 .q = a.q,
                                 .ld_out = n,
                                 .ld_q = n,
                                 .n_rows = 1,
                                 .n_heads = a.n_heads,
                                 .head_dim = a.head_dim,
                                 .k = a.k,
                                 .v = a.v,
                                 .first = &a.first,
                                 .last = &a.last,
                                 .scale = a.scale};
    kernel(&call);
    for (size_t h = 0; h < a.n_heads; h++) judge_head(&a, s, h);
    size_t head = sweep_between(s, 0, a.n_heads - 1);
    float *alone = sweep_take_guarded(s, a.head_dim * sizeof *alone);
    call.out = alone;
    call.q = a.q + head * a.head_dim;
    call.n_heads = 1;
    kernel(&call);
    for (size_t d = 0; d < a.head_dim; d++)
        (void)sweep_judge_same(s, alone[d], a.out[head * a.head_dim + d], head * a.head_dim + d);
    sweep_end(s);
}

static void run_from(sweep *s, const sweep_op *op, size_t variant, size_t n_heads, size_t head_dim,
                     size_t last)
{
    size_t first = s->n_cases % 2 ? sweep_between(s, 0, last < ASSAY_PAGE ? last : ASSAY_PAGE - 1) : 0;
    op->run(s, op, variant, (const size_t[DIMS]){n_heads, head_dim, first, last}, sweep_turn(s));
}

/* Around vectors of 8 and 16, four of which are a column block, pages of 64 and groups of 16 heads. */
static void shapes(sweep *s, const sweep_op *op, size_t variant)
{
    static const size_t lasts[] = {0, 1, 6, 7, 8, 15, 16, 31, 32, 62, 63, 64, 65, 127, 128, 200};
    for (size_t i = 0; i < sizeof lasts / sizeof *lasts; i++)
        for (size_t j = 0; j < 6; j++)
            run_from(s, op, variant, sweep_between(s, 1, 4), sweep_between(s, 1, 130), lasts[i]);
    for (size_t head_dim = 1; head_dim <= 130; head_dim++)
        run_from(s, op, variant, 1 + head_dim % 3, head_dim, sweep_between(s, 0, 140));
    for (size_t n_heads = 15; n_heads <= 18; n_heads++) run_from(s, op, variant, n_heads, 24, 70);
    run_from(s, op, variant, 2, 256, 100);
}

static size_t n_variants(void)
{
    return FP_N_ATTENTION;
}

static fp_isa isa(size_t variant)
{
    return FP_ATTENTION[variant].isa;
}

const sweep_op SWEEP_ATTENTION[1] = {{"attention", 0, DIMS, n_variants, isa, shapes, run}};
