/* Logits are bit-identical for any workers, batch neighbours, chunks and padding: for every bundled
 * checkpoint and every compute type, on prompts longer than a page and than any window, and with
 * limited caches. They are also close to those of the stateless reference, which has no special case
 * for such lengths and limits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "fastpath/session/steps.h"
#include "fastpath/tests/grid.h"

enum { LENGTH = 71, LONG = 330, N_DECODE = 3, N_SAMPLES = 3, PADDING = 5, WHOLE = 1000 };

static const size_t WORKERS[] = {1, 2, 4}, CHUNKS[] = {WHOLE, 1, 7, 64};

static assay_error err;

/* One cell of the grid. */
typedef struct cell {
    size_t chunk;
    bool has_neighbours;
    size_t padding;            /* before the sample that is compared, the middle one */
    size_t length;             /* of that sample */
    size_t limit, sink_tokens; /* of caches; limit 0: none */
} cell;

static size_t length_of(const cell *c, size_t sample)
{
    return sample == 0 ? 9 : sample == 1 ? c->length : 2;
}

static bool is_untouched(const float *row, size_t n)
{
    const unsigned char *bytes = (const unsigned char *)row;
    for (size_t i = 0; i < n * sizeof *row; i++)
        if (bytes[i] != 0xff) return false;
    return true;
}

/* The samples of a cell: sample b of the session has text first + b. */
typedef struct prompts {
    size_t n, first;
    int32_t tokens[N_SAMPLES][LONG + N_DECODE];
    size_t length[N_SAMPLES];
} prompts;

static prompts make_prompts(const cell *c, const plan *model)
{
    prompts p = {.n = c->has_neighbours ? N_SAMPLES : 1, .first = c->has_neighbours ? 0 : 1};
    for (size_t b = 0; b < p.n; b++) {
        p.length[b] = length_of(c, p.first + b);
        for (size_t t = 0; t < p.length[b] + N_DECODE; t++)
            p.tokens[b][t] = grid_token(model, p.first + b, t);
    }
    return p;
}

static fp_session *open_session(const fp_model *m, const cell *c, size_t n_samples)
{
    fp_session *s;
    size_t slot;
    ck_assert_int_eq(fp_session_open(m, &s, &err), ASSAY_OK);
    fp_session_chunk(s, c->chunk);
    ck_assert_int_eq(fp_session_limit(s, c->limit, c->sink_tokens, &err), ASSAY_OK);
    for (size_t i = 0; i < n_samples; i++) ck_assert_int_eq(fp_session_join(s, &slot, &err), ASSAY_OK);
    return s;
}

/* A session of a cell, and the rows of each sample so far: [length + N_DECODE + 1, vocab], of which the last
 * is not to be written. */
typedef struct run {
    prompts p;
    fp_session *session;
    fp_steps steps;
    float *rows[N_SAMPLES];
    size_t n_done[N_SAMPLES];
    size_t vocab;
} run;

/* A step of all samples, or all but the first, with n[b] tokens of sample b. */
static void take_step(run *r, bool first_rests, const size_t *n, size_t padded_width)
{
    assay_output outputs[N_SAMPLES];
    assay_step steps[N_SAMPLES];
    size_t n_steps = 0;
    for (size_t b = first_rests; b < r->p.n; b++) {
        outputs[n_steps] = (assay_output){"logits", n[b], r->rows[b] + r->n_done[b] * r->vocab};
        steps[n_steps] = (assay_step){.sample = b,
                                      .tokens = r->p.tokens[b] + r->n_done[b],
                                      .n_tokens = n[b],
                                      .outputs = &outputs[n_steps],
                                      .n_outputs = 1};
        n_steps++;
        r->n_done[b] += n[b];
    }
    ck_assert_msg(fp_steps_run(&r->steps, r->session, steps, n_steps, padded_width, NULL, &err) == ASSAY_OK,
                  "%s", err.text);
}

/* Logits of the sample: [length + N_DECODE, vocab], to be freed. All prompts in one step, then one token of
 * each sample; with batch neighbours the first rests at the second step. Checks that the rows are written,
 * and nothing else. */
static float *run_cell(const fp_model *m, const cell *c)
{
    static const size_t ONE[N_SAMPLES] = {1, 1, 1};
    run r = {.p = make_prompts(c, m->plan), .vocab = m->plan->vocab};
    const size_t index = r.p.n == 1 ? 0 : 1;
    r.session = open_session(m, c, r.p.n);
    for (size_t b = 0; b < r.p.n; b++) r.rows[b] = grid_blank((r.p.length[b] + N_DECODE + 1) * r.vocab);
    take_step(&r, false, r.p.length, c->padding ? c->length + c->padding : 0);
    for (size_t i = 0; i < N_DECODE; i++) take_step(&r, r.p.n > 1 && i == 1, ONE, 0);
    for (size_t b = 0; b < r.p.n; b++) {
        ck_assert(!is_untouched(r.rows[b] + (r.n_done[b] - 1) * r.vocab, r.vocab));
        ck_assert(is_untouched(r.rows[b] + r.n_done[b] * r.vocab, r.vocab));
        if (b != index) free(r.rows[b]);
    }
    fp_session_free(r.session);
    fp_steps_free(&r.steps);
    return r.rows[index];
}

static void expect_cell(const fp_model *m, const cell *c, const float *expected)
{
    size_t vocab = m->plan->vocab;
    float *out = run_cell(m, c);
    for (size_t r = 0; r < c->length + N_DECODE; r++)
        ck_assert_msg(memcmp(out + r * vocab, expected + r * vocab, vocab * sizeof *out) == 0,
                      "%s in %s: %zu workers, chunk %zu, %s, padding %zu, limit %zu, kept %zu: row %zu has "
                      "other bits",
                      m->plan->dir, dtype_name(m->packer.compute), fp_pool_workers(m->pool), c->chunk,
                      c->has_neighbours ? "with neighbours" : "alone", c->padding, c->limit, c->sink_tokens,
                      r);
    free(out);
}

static void expect_grid(int index, assay_dtype compute)
{
    float *expected = NULL;
    for (size_t w = 0; w < sizeof WORKERS / sizeof *WORKERS; w++) {
        fp_model *m = grid_open(index, compute, WORKERS[w]);
        if (!expected) expected = run_cell(m, &(cell){.chunk = WHOLE, .length = LENGTH});
        for (size_t k = 0; k < sizeof CHUNKS / sizeof *CHUNKS; k++)
            for (size_t j = 0; j < 4; j++)
                expect_cell(m, &(cell){CHUNKS[k], j / 2 == 1, j % 2 ? PADDING : 0, .length = LENGTH},
                            expected);
        fp_model_free(m);
    }
    free(expected);
}

START_TEST(logits_are_batch_invariant_for_any_workers_chunks_and_padding)
{
    expect_grid(_i, ASSAY_F32);
}
END_TEST

START_TEST(logits_are_batch_invariant_in_bfloat16)
{
    expect_grid(_i, ASSAY_BF16);
}
END_TEST

/* Without weights in groups nothing would be computed in int8. */
START_TEST(logits_are_batch_invariant_in_int8)
{
    if (strstr(grid_dir(_i), "/mlx-")) expect_grid(_i, ASSAY_I8);
}
END_TEST

/* The types must not be one. */
START_TEST(results_differ_between_types)
{
    static const assay_dtype types[] = {ASSAY_F32, ASSAY_BF16, ASSAY_I8};
    float *logits[3];
    size_t n = 0, n_types = strstr(grid_dir(_i), "/mlx-") ? 3 : 2;
    for (size_t t = 0; t < n_types; t++) {
        fp_model *m = grid_open(_i, types[t], 1);
        n = (LENGTH + N_DECODE) * m->plan->vocab;
        logits[t] = run_cell(m, &(cell){.chunk = WHOLE, .length = LENGTH});
        for (size_t k = 0; k < t; k++) ck_assert_int_ne(memcmp(logits[k], logits[t], n * sizeof(float)), 0);
        fp_model_free(m);
    }
    for (size_t t = 0; t < n_types; t++) free(logits[t]);
}
END_TEST

/* Logits of a reference, "ref64" or "ref32", for the same tokens, [length + N_DECODE, vocab]:
 * the prompt in one step, then token by token. */
static double *reference_logits(const char *name, const plan *model, const cell *c)
{
    const size_t vocab = model->vocab;
    char module[64];
    (void)snprintf(module, sizeof module, "ref/%s.so", name);
    const assay_engine *ref = support_load_engine(module);
    assay_model *m;
    assay_session *s;
    const prompts p = make_prompts(&(cell){.length = c->length}, model);
    const assay_session_options options = {
        .size = sizeof options, .n_samples = 1, .limit = c->limit, .sink_tokens = c->sink_tokens};
    const size_t n = (c->length + N_DECODE) * vocab, size = dtype_size(ref->logits_dtype);
    double *out = calloc(n, sizeof *out);
    char *logits = calloc(n, size);
    ck_assert(out && logits);
    ck_assert_msg(ref->model_open(model->dir, NULL, &m, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(ref->session_open(m, &options, &s, &err), ASSAY_OK);
    for (size_t done = 0, more = c->length; done < c->length + N_DECODE; done += more, more = 1) {
        const assay_output output = {"logits", more, logits + done * vocab * size};
        const assay_step step = {
            .sample = 0, .tokens = p.tokens[0] + done, .n_tokens = more, .outputs = &output, .n_outputs = 1};
        ck_assert_int_eq(ref->step(s, &step, 1, NULL, &err), ASSAY_OK);
    }
    ref->session_free(s);
    ref->model_free(m);
    dtype_to_f64(out, logits, ref->logits_dtype, n);
    free(logits);
    return out;
}

/* The largest |out - truth| of a row [vocab]; NaN counts as the largest. */
static double row_distance(const double *out, const double *truth, size_t vocab)
{
    double worst = 0;
    for (size_t v = 0; v < vocab; v++) {
        double off = fabs(out[v] - truth[v]);
        worst = off <= worst ? worst : off;
    }
    return worst;
}

/* The noise of float32 in a cell: the largest distance of ref32 from the truth. */
static double float32_noise(const fp_model *m, const cell *c, const double *truth)
{
    const size_t vocab = m->plan->vocab;
    double *single = reference_logits("ref32", m->plan, c), noise = 0;
    for (size_t r = 0; r < c->length + N_DECODE; r++)
        noise = fmax(noise, row_distance(single + r * vocab, truth + r * vocab, vocab));
    free(single);
    return noise;
}

/* In most tiny models the noise of float32 is some 1e-6 of the largest logit; the error of a wrong
 * position, window or page is 1e-2 or more. If the noise is more than 2e-4 of the largest logit, the
 * bound is four times the noise of the cell, as in the judge. out: [length + N_DECODE, vocab], of the
 * cell. */
static void expect_reference(const fp_model *m, const cell *c, const float *out)
{
    const size_t vocab = m->plan->vocab, n_rows = c->length + N_DECODE;
    double *truth = reference_logits("ref64", m->plan, c);
    double *ours = calloc(n_rows * vocab, sizeof *ours), noise = -1;
    ck_assert_ptr_nonnull(ours);
    dtype_to_f64(ours, out, ASSAY_F32, n_rows * vocab);
    for (size_t r = 0; r < n_rows; r++) {
        double top = 0, worst = row_distance(ours + r * vocab, truth + r * vocab, vocab);
        for (size_t v = 0; v < vocab; v++) top = fmax(top, fabs(truth[r * vocab + v]));
        if (worst <= 2e-4 * top) continue;
        if (noise < 0) noise = float32_noise(m, c, truth);
        ck_assert_msg(worst <= 4 * noise, "%s, limit %zu, kept %zu: row %zu is off by %g of %g, noise %g",
                      m->plan->dir, c->limit, c->sink_tokens, r, worst, top, noise);
    }
    free(ours);
    free(truth);
}

START_TEST(long_prompts_agree_with_the_reference)
{
    fp_model *m = grid_open(_i, ASSAY_F32, 2);
    const cell c = {.chunk = 7, .has_neighbours = true, .length = LENGTH};
    float *out = run_cell(m, &c);
    expect_reference(m, &c, out);
    free(out);
    fp_model_free(m);
}
END_TEST

/* Expects bit-identical logits in every cell with this limit, and in float32 logits close to the
 * reference. */
static void expect_limit(int index, assay_dtype compute, size_t length, size_t limit, size_t sink_tokens)
{
    static const size_t chunks[] = {1, 7, 64, WHOLE};
    fp_model *m = grid_open(index, compute, 2);
    const cell whole = {.chunk = WHOLE, .length = length, .limit = limit, .sink_tokens = sink_tokens};
    float *expected = run_cell(m, &whole);
    for (size_t k = 0; k < sizeof chunks / sizeof *chunks; k++) {
        cell c = whole;
        c.chunk = chunks[k];
        c.has_neighbours = k % 2 == 0;
        c.padding = k % 3 ? 0 : PADDING;
        expect_cell(m, &c, expected);
    }
    if (compute == ASSAY_F32) expect_reference(m, &whole, expected);
    free(expected);
    fp_model_free(m);
}

START_TEST(logits_are_batch_invariant_with_a_cache_limit)
{
    expect_limit(_i, ASSAY_F32, LENGTH, 23, 4);
    expect_limit(_i, ASSAY_BF16, LENGTH, 23, 4);
}
END_TEST

/* Whether the model has layers without a window, next to layers with one or with shared caches. */
static bool is_limited_at_length(const char *dir)
{
    static const char *const models[] = {"/llama/base/", "/qwen3/window/", "/gemma4/shared-kv/"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strstr(dir, models[i])) return true;
    return false;
}

/* The sink tokens end within the first page, at its end, or in the second page; pages between them and
 * the window have been freed, or the window covers everything. */
START_TEST(logits_are_batch_invariant_after_pages_behind_the_sink_tokens_are_freed)
{
    static const size_t LIMITS[][2] = {{11, 4}, {70, 4},   {65, 64},  {66, 65}, {128, 64},
                                       {80, 0}, {130, 70}, {200, 63}, {331, 4}, {1, 0}};
    if (!is_limited_at_length(grid_dir(_i))) return;
    for (size_t k = 0; k < sizeof LIMITS / sizeof *LIMITS; k++)
        expect_limit(_i, ASSAY_F32, LONG, LIMITS[k][0], LIMITS[k][1]);
}
END_TEST

int main(void)
{
    const int n = grid_find();
    if (n == 0) return EXIT_FAILURE;
    /* In one process: the leak sanitizer then runs once, and not five hundred times, while threads come
     * and go; its tracer has crashed from that on a loaded machine. */
    (void)setenv("CK_FORK", "no", 0);
    Suite *suite = suite_create("fastpath/grid");
    TCase *tc = tcase_create("bits");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, logits_are_batch_invariant_for_any_workers_chunks_and_padding, 0, n);
    tcase_add_loop_test(tc, logits_are_batch_invariant_in_bfloat16, 0, n);
    tcase_add_loop_test(tc, logits_are_batch_invariant_in_int8, 0, n);
    tcase_add_loop_test(tc, results_differ_between_types, 0, n);
    tcase_add_loop_test(tc, long_prompts_agree_with_the_reference, 0, n);
    tcase_add_loop_test(tc, logits_are_batch_invariant_with_a_cache_limit, 0, n);
    tcase_add_loop_test(tc, logits_are_batch_invariant_after_pages_behind_the_sink_tokens_are_freed, 0, n);
    suite_add_tcase(suite, tc);
    int status = support_run(suite);
    grid_free();
    return status;
}
