/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/sweep/attention_truth.h"
#include "conformance/sweep/parts.h"
#include "conformance/sweep/threads.h"

/* KEYS: the last row attends to position KEYS - 1. */
enum { N_ROWS, N_HEADS, HEAD_DIM, KEYS, RANGES, EXTRAS, DIMS };

/* Which positions the rows attend to. */
enum { SAME, CAUSAL, WINDOWS, ANY, N_RANGES };

/* Numbers of all pages of keys of a call. */
enum { MOST_PAGES = 4 << 20 };

/* Bits of EXTRAS. */
enum { CAP = 1, SINKS = 2, STRIDES = 4, SINK_TOKENS = 8, N_EXTRAS = 16 };

/* Number of attention sink tokens: often at most 5, as in practice, otherwise any number. */
static size_t draw_sink_tokens(sweep_attention *a, size_t end)
{
    return sweep_between(a->s, 1, sweep_bits(a->s) % 2 && end > 5 ? 5 : end);
}

/* Draws the ranges of the rows. Without attention sink tokens the lowest first position is in page
 * 0. */
static void draw_ranges(sweep_attention *a, const size_t *shape)
{
    const size_t n = shape[N_ROWS], end = shape[KEYS];
    size_t window = sweep_between(a->s, 1, end), lowest = end;
    if (shape[EXTRAS] & SINK_TOKENS) a->call.sink_tokens = draw_sink_tokens(a, end);
    for (size_t r = 0; r < n; r++) {
        size_t last = end > n - r ? end - (n - r) : 0;
        a->first[r] = 0;
        a->last[r] = shape[RANGES] == SAME ? end - 1 : last;
        if (shape[RANGES] == WINDOWS && last >= window) a->first[r] = last - window + 1;
        if (shape[RANGES] == ANY) {
            a->last[r] = r + 1 == n ? end - 1 : sweep_between(a->s, 0, end - 1);
            a->first[r] = sweep_between(a->s, 0, a->last[r]);
        }
        if (a->first[r] < lowest) lowest = a->first[r];
    }
    for (size_t r = 0; a->call.sink_tokens == 0 && lowest >= ASSAY_PAGE && r < n; r++) {
        a->first[r] -= lowest / ASSAY_PAGE * ASSAY_PAGE;
        a->last[r] -= lowest / ASSAY_PAGE * ASSAY_PAGE;
    }
}

/* Pages of small calls are arrays of their own, each with its wall; those of large calls share one, the last
 * first, so that no page follows the one before it. Both keys and values must fit. */
enum { PAGES_ALONE = 6 };

static void *alloc_page(sweep_attention *a, size_t page, bool is_key, size_t n_bytes)
{
    const char *name = is_key ? "k" : "v";
    if (a->n_pages <= PAGES_ALONE) return sweep_alloc_aligned(a->s, name, n_bytes, ASSAY_ALIGNMENT);
    if (page == 0) a->shared_pages = sweep_alloc_aligned(a->s, name, a->n_pages * n_bytes, ASSAY_ALIGNMENT);
    return a->shared_pages ? a->shared_pages + (a->n_pages - 1 - page) * n_bytes : NULL;
}

static bool is_attended(const sweep_attention *a, size_t position)
{
    for (size_t r = 0; r < a->call.n_rows; r++)
        if (sweep_attention_attends(a, r, position)) return true;
    return false;
}

/* Randomly puts into a page one NaN or, for keys, one infinity, or infinities that make the scores of
 * the whole page infinite with the sign of the query. Values get no infinities: those would require
 * exact weights near 0. */
static void add_specials(sweep *s, float *x, size_t n, bool is_key)
{
    switch (sweep_between(s, 0, 5)) {
    case 0:
    case 1: x[sweep_between(s, 0, n - 1)] = NAN; return;
    case 2:
        for (size_t i = 0; is_key && i < ASSAY_PAGE; i++) x[i] = INFINITY;
        return;
    case 3:
        if (is_key) x[sweep_between(s, 0, n - 1)] = INFINITY;
        return;
    default: return;
    }
}

/* Makes a page of keys or values; positions to which no row attends are always NaN. */
static const void *make_page(sweep_attention *a, size_t page, bool is_key, sweep_numbers numbers)
{
    static float wide[64 * SWEEP_MAX_HEAD_DIM];
    const size_t head_dim = a->call.head_dim, n = ASSAY_PAGE * head_dim;
    float *x = a->dtype == ASSAY_F32 ? alloc_page(a, page, is_key, n * sizeof *x) : wide;
    sweep_fill(a->s, x, n,
               numbers == SWEEP_INTEGERS || (numbers == SWEEP_LARGE && !is_key) ? numbers : SWEEP_RANDOM);
    if (numbers == SWEEP_SPECIAL || (numbers == SWEEP_ZEROS && is_key)) add_specials(a->s, x, n, is_key);
    for (size_t i = 0; i < ASSAY_PAGE; i++) {
        if (is_attended(a, page * ASSAY_PAGE + i)) continue;
        for (size_t d = 0; d < head_dim; d++) x[is_key ? d * ASSAY_PAGE + i : i * head_dim + d] = NAN;
    }
    if (a->dtype == ASSAY_F32) return x;
    uint16_t *narrow = alloc_page(a, page, is_key, n * sizeof *narrow);
    for (size_t i = 0; i < n; i++) dtype_from_f64(narrow + i, &(double){(double)x[i]}, ASSAY_BF16, 1);
    return narrow;
}

/* A call for some of the rows and heads, with its own arrays. */
typedef struct part_call {
    assay_attention_call call;
    const void *k[SWEEP_MAX_PAGES], *v[SWEEP_MAX_PAGES];
    size_t first[SWEEP_MAX_ROWS], last[SWEEP_MAX_ROWS];
} part_call;

/* Fills in a call for part of the rows and heads, without the pages to which those rows do not attend: the
 * pages between those of the attention sink tokens and the rows' own ranges. */
static void make_part(const sweep_attention *a, const sweep_part *part, part_call *to)
{
    const assay_attention_call *c = &a->call;
    const size_t n_before = (c->sink_tokens + ASSAY_PAGE - 1) / ASSAY_PAGE;
    size_t first = a->first[part->row], n_pages = 0;
    for (size_t r = 1; r < part->n_rows; r++)
        if (a->first[part->row + r] < first) first = a->first[part->row + r];
    const size_t page = first / ASSAY_PAGE, skipped = page > n_before ? page - n_before : 0;
    to->call = *c;
    to->call.out += part->row * c->ld_out + part->column * c->head_dim;
    to->call.q += part->row * c->ld_q + part->column * c->head_dim;
    to->call.n_rows = part->n_rows;
    to->call.n_heads = part->n_columns;
    to->call.sinks = c->sinks ? c->sinks + part->column : NULL;
    to->call.first = to->first;
    to->call.last = to->last;
    to->call.k = to->k;
    to->call.v = to->v;
    for (size_t r = 0; r < part->n_rows; r++) {
        to->first[r] = a->first[part->row + r] - skipped * ASSAY_PAGE;
        to->last[r] = a->last[part->row + r] - skipped * ASSAY_PAGE;
        if (to->last[r] / ASSAY_PAGE >= n_pages) n_pages = to->last[r] / ASSAY_PAGE + 1;
    }
    for (size_t i = 0; i < n_pages; i++) {
        to->k[i] = a->k[i < n_before ? i : i + skipped];
        to->v[i] = a->v[i < n_before ? i : i + skipped];
    }
}

/* A query must have the same bits without other rows, other heads, and pages to which it
 * does not attend. */
static void judge_batch_invariance(const sweep_query *a, assay_attention_fn *kernel)
{
    const assay_attention_call *c = &a->of->call;
    part_call alone;
    make_part(a->of, &(sweep_part){a->row, 1, a->head, 1}, &alone);
    alone.call.out = sweep_alloc_guarded(a->of->s, "out", c->head_dim * sizeof *alone.call.out);
    alone.call.ld_out = c->head_dim;
    kernel(&alone.call);
    for (size_t d = 0; d < c->head_dim; d++)
        (void)sweep_judge_same(a->of->s, alone.call.out[d],
                               c->out[a->row * c->ld_out + a->head * c->head_dim + d],
                               (a->row * c->n_heads + a->head) * c->head_dim + d);
}

/* Shared by threads: the same call with another out. */
typedef struct shared_attention {
    sweep_attention attention;
    assay_attention_fn *kernel;
} shared_attention;

static void compute_part(const void *context, const sweep_part *part)
{
    const shared_attention *shared = context;
    part_call some;
    make_part(&shared->attention, part, &some);
    shared->kernel(&some.call);
}

static void judge_threads(const sweep_attention *a, assay_attention_fn *kernel, size_t n_out)
{
    if (!a->s->on_threads) return;
    const assay_attention_call *c = &a->call;
    shared_attention shared = {*a, kernel};
    shared.attention.call.out = sweep_alloc_guarded(a->s, "out", n_out * sizeof *c->out);
    sweep_judge_threads(a->s, &(sweep_work){.n_rows = c->n_rows,
                                            .n_columns = c->n_heads,
                                            .compute = compute_part,
                                            .context = &shared,
                                            .outputs = {{"out", c->out, shared.attention.call.out, c->ld_out,
                                                         0, c->head_dim, c->n_heads * c->head_dim}},
                                            .n_outputs = 1});
}

/* The words between the rows of out must stay unchanged. */
static void judge_between(const sweep_attention *a)
{
    const assay_attention_call *c = &a->call;
    for (size_t r = 0; r + 1 < c->n_rows; r++)
        for (size_t i = c->n_heads * c->head_dim; i < c->ld_out; i++)
            if (!isnan(c->out[r * c->ld_out + i])) sweep_fail(a->s, "row %zu: written past its end", r);
}

/* Rounds q as an engine does before it calls a kernel for pages of bfloat16. */
static void round_queries(float *q, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t narrow;
        double wide = (double)q[i];
        dtype_from_f64(&narrow, &wide, ASSAY_BF16, 1);
        q[i] = sweep_page_number(&narrow, 0, ASSAY_BF16);
    }
}

/* Scores of large numbers are some hundreds, of either sign: their exponentials are infinite or 0 in float32.
 */
static void scale_scores(float *x, size_t n, float factor)
{
    for (size_t i = 0; i < n; i++) x[i] *= factor;
}

static void fill_queries(sweep_attention *a, size_t n, sweep_numbers numbers)
{
    if (numbers == SWEEP_ZEROS) sweep_fill_sparse(a->s, a->q, n);
    else sweep_fill(a->s, a->q, n, numbers == SWEEP_INTEGERS ? SWEEP_INTEGERS : SWEEP_RANDOM);
    if (numbers == SWEEP_LARGE) scale_scores(a->q, n, 600);
    if (a->dtype == ASSAY_BF16) round_queries(a->q, n);
}

/* Makes sinks as large as scores: at most 20 above the largest score of each row, so that no output is
 * subnormal in float32, or up to 180 below it. */
static void raise_sinks(sweep_attention *a)
{
    for (size_t h = 0; h < a->call.n_heads; h++) {
        double least = INFINITY;
        for (size_t r = 0; r < a->call.n_rows; r++)
            least = fmin(least, sweep_attention_largest(&(sweep_query){a, r, h, a->first[r], a->last[r]}));
        a->sinks[h] = (float)least + 20 - (float)sweep_between(a->s, 0, 200);
    }
}

static void make_inputs(sweep_attention *a, const size_t *shape, sweep_numbers numbers)
{
    assay_attention_call *c = &a->call;
    const size_t width = c->n_heads * c->head_dim, n_q = (c->n_rows - 1) * c->ld_q + width;
    a->is_exact = numbers == SWEEP_INTEGERS && !(shape[EXTRAS] & CAP);
    c->scale = a->is_exact ? 256 : 1 / sqrtf((float)c->head_dim);
    c->cap = shape[EXTRAS] & CAP ? 1.5F : 0;
    a->share = sweep_alloc(a->s, NULL, shape[KEYS] * sizeof *a->share);
    a->off = sweep_alloc(a->s, NULL, shape[KEYS] * sizeof *a->off);
    c->q = a->q = sweep_alloc(a->s, "q", n_q * sizeof *a->q);
    fill_queries(a, n_q, numbers);
    for (size_t page = 0; page < a->n_pages; page++) {
        a->k[page] = make_page(a, page, true, numbers);
        a->v[page] = make_page(a, page, false, numbers);
    }
    if (!(shape[EXTRAS] & SINKS)) return;
    a->sinks = sweep_alloc(a->s, "sinks", c->n_heads * sizeof *a->sinks);
    sweep_fill(a->s, a->sinks, c->n_heads, numbers == SWEEP_INTEGERS ? SWEEP_INTEGERS : SWEEP_RANDOM);
    if (a->is_exact) scale_scores(a->sinks, c->n_heads, c->scale);
    if (numbers == SWEEP_LARGE) raise_sinks(a);
    c->sinks = a->sinks;
}

/* Kinds of operations. */
enum { KIND_F32, KIND_BF16, KIND_BF16_SHARES };

/* NULL if the library does not have it. */
static assay_attention_fn *kernel_of(const assay_kernels *kernels, const sweep_op *op)
{
    const assay_attention *a = op->kind == KIND_F32 ? kernels->attention_f32 : kernels->attention_bf16;
    return !a ? NULL : op->kind == KIND_BF16_SHARES ? a->bf16_shares : a->f32;
}

static void run_attention(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers)
{
    if (!sweep_begin(s, shape, DIMS, numbers)) return;
    const size_t width = shape[N_HEADS] * shape[HEAD_DIM], extra = shape[EXTRAS] & STRIDES ? 5 : 0;
    sweep_attention a = {.s = s,
                         .dtype = op->kind == KIND_F32 ? ASSAY_F32 : ASSAY_BF16,
                         .rounds_shares = op->kind == KIND_BF16_SHARES,
                         .n_pages = (shape[KEYS] + ASSAY_PAGE - 1) / ASSAY_PAGE,
                         .call = {.ld_out = width + extra,
                                  .ld_q = width + 2 * extra,
                                  .n_rows = shape[N_ROWS],
                                  .n_heads = shape[N_HEADS],
                                  .head_dim = shape[HEAD_DIM]}};
    assay_attention_fn *kernel = kernel_of(s->kernels, op);
    draw_ranges(&a, shape);
    make_inputs(&a, shape, numbers);
    a.call.k = sweep_alloc_copy(s, "k", a.k, a.n_pages * sizeof *a.k);
    a.call.v = sweep_alloc_copy(s, "v", a.v, a.n_pages * sizeof *a.v);
    a.call.first = sweep_alloc_copy(s, "first", a.first, a.call.n_rows * sizeof *a.first);
    a.call.last = sweep_alloc_copy(s, "last", a.last, a.call.n_rows * sizeof *a.last);
    const size_t n_out = (a.call.n_rows - 1) * a.call.ld_out + width;
    a.call.out = sweep_alloc_guarded(s, "out", n_out * sizeof *a.call.out);
    const assay_attention_call *call = sweep_alloc_copy(s, "the call", &a.call, sizeof a.call);
    sweep_lock_inputs(s);
    kernel(call);
    for (size_t r = 0; r < a.call.n_rows; r++)
        for (size_t h = 0; h < a.call.n_heads; h++)
            sweep_attention_judge(&(sweep_query){&a, r, h, a.first[r], a.last[r]});
    for (size_t i = 0; i < 3; i++) {
        size_t r = sweep_between(s, 0, a.call.n_rows - 1), h = sweep_between(s, 0, a.call.n_heads - 1);
        judge_batch_invariance(&(sweep_query){&a, r, h, a.first[r], a.last[r]}, kernel);
    }
    judge_between(&a);
    judge_threads(&a, kernel, n_out);
    sweep_end(s);
}

static void run_with(sweep *s, const sweep_op *op, size_t n_rows, size_t n_heads, size_t head_dim,
                     size_t n_keys)
{
    op->run(s, op,
            (const size_t[DIMS]){n_rows, n_heads, head_dim, n_keys, s->n_cases / SWEEP_N_NUMBERS % N_RANGES,
                                 sweep_bits(s) % N_EXTRAS},
            sweep_turn(s));
}

/* Sizes around vectors of 8 and 16, strips of four or eight vectors, blocks of 1, 2, 4 and 6 queries,
 * pages of 64, and groups of 96 queries that share a pass over the pages. */
static void sweep_attention_shapes(sweep *s, const sweep_op *op)
{
    static const size_t keys[] = {1, 2, 7, 8, 9, 15, 16, 17, 32, 33, 63, 64, 65, 127, 128, 129, 201, 300};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (size_t j = 0; j < 12; j++)
            run_with(s, op, sweep_between(s, 1, 8), sweep_between(s, 1, 4), sweep_between(s, 1, 130),
                     keys[i]);
    for (size_t head_dim = 1; head_dim <= 130; head_dim++)
        run_with(s, op, 1 + head_dim % 7, 1 + head_dim % 3, head_dim, sweep_between(s, 1, 140));
    for (size_t n_rows = 1; n_rows <= 40; n_rows++)
        for (size_t j = 0; j < 3; j++)
            run_with(s, op, n_rows, sweep_between(s, 1, 4), sweep_between(s, 1, 40),
                     sweep_between(s, 1, 200));
    for (size_t n_heads = 5; n_heads <= 18; n_heads++) run_with(s, op, 2, n_heads, 24, 71);
    for (size_t j = 0; j < 6; j++) {
        run_with(s, op, 3, 2, 256, 101);
        run_with(s, op, 3, 1, 511 + j % 2, 66);
    }
}

static bool has_attention(const assay_kernels *kernels, const sweep_op *op)
{
    return kernel_of(kernels, op) != NULL;
}

static bool allows_attention(const sweep *s, const sweep_op *op, const size_t *shape)
{
    (void)s;
    (void)op;
    const size_t n_pages = (shape[KEYS] + ASSAY_PAGE - 1) / ASSAY_PAGE;
    return sweep_in(shape + N_ROWS, 1, 1, SWEEP_MAX_ROWS) &&
           sweep_in(shape + N_HEADS, 1, 1, SWEEP_MAX_HEADS) &&
           sweep_in(shape + HEAD_DIM, 1, 1, SWEEP_MAX_HEAD_DIM) &&
           sweep_in(shape + KEYS, 1, 1, SWEEP_MAX_KEYS) && shape[RANGES] < N_RANGES &&
           shape[EXTRAS] < N_EXTRAS && n_pages * shape[HEAD_DIM] * ASSAY_PAGE <= MOST_PAGES &&
           shape[N_ROWS] * shape[N_HEADS] * shape[HEAD_DIM] <= 1U << 20;
}

static const sweep_dim ATTENTION_DIMS[DIMS] = {[N_ROWS] = {"rows", 3, SWEEP_MAX_ROWS},
                                               [N_HEADS] = {"heads", 2, SWEEP_MAX_HEADS},
                                               [HEAD_DIM] = {"head_dim", 8, SWEEP_MAX_HEAD_DIM},
                                               [KEYS] = {"keys", 70, SWEEP_MAX_KEYS},
                                               [RANGES] = {NULL, 0, N_RANGES - 1},
                                               [EXTRAS] = {NULL, 0, N_EXTRAS - 1}};

#define ATTENTION(name, kind)                                                                                \
    {                                                                                                        \
        name, kind, DIMS, ATTENTION_DIMS, has_attention, sweep_attention_shapes, NULL, allows_attention,     \
            run_attention                                                                                    \
    }
const sweep_op SWEEP_ATTENTION[3] = {ATTENTION("attention_f32", KIND_F32),
                                     ATTENTION("attention_bf16", KIND_BF16),
                                     ATTENTION("attention_shares", KIND_BF16_SHARES)};
