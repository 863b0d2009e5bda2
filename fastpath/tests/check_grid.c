/* Logits are bit-identical for any workers, batch neighbours, chunks and padding: for every bundled
 * checkpoint and every compute type, on prompts longer than a page and than any window, and with
 * limited caches. They are also close to those of the stateless reference, which has no special case
 * for such lengths and limits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <dlfcn.h>
#include <glob.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "fastpath/batch.h"

enum { LENGTH = 71, LONG = 330, N_DECODE = 3, N_SAMPLES = 3, PADDING = 5, WHOLE = 1000 };

static const size_t WORKERS[] = {1, 2, 4}, CHUNKS[] = {WHOLE, 1, 7, 64};

static glob_t found;
static assay_error err;

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value ? value : ".";
}

static fp_model *open_model(int index, assay_dtype compute, size_t n_workers)
{
    fp_model *m;
    fp_options options = {.compute = compute, .isa = getenv("ASSAY_ISA"), .n_workers = n_workers, .grain = 0};
    ck_assert_msg(fp_model_open(found.gl_pathv[index], &options, &m, &err) == ASSAY_OK, "%s", err.text);
    return m;
}

/* Text that depends on the sample and the position alone. */
static int32_t token_at(size_t n_token_ids, size_t sample, size_t pos)
{
    return (int32_t)((sample * 7919 + pos * pos * 31 + pos * 17 + 3) % n_token_ids);
}

/* One cell of the grid. */
typedef struct cell {
    size_t chunk;
    bool has_neighbours;
    size_t padding;
    size_t length;             /* of the sample that is looked at, the middle one */
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

static float *blank(size_t n)
{
    float *x = malloc(n * sizeof *x);
    ck_assert_ptr_nonnull(x);
    memset(x, 0xff, n * sizeof *x);
    return x;
}

/* A left-padded batch of the cell's samples. */
typedef struct prompts {
    size_t n, n_tokens, first; /* samples; the first of them */
    int32_t tokens[N_SAMPLES * (LONG + PADDING)], length[N_SAMPLES];
} prompts;

static prompts make_prompts(const cell *c, size_t n_token_ids)
{
    prompts p = {.n = c->has_neighbours ? N_SAMPLES : 1,
                 .n_tokens = c->length + c->padding,
                 .first = c->has_neighbours ? 0 : 1};
    for (size_t b = 0; b < p.n; b++) {
        size_t length = length_of(c, p.first + b);
        p.length[b] = (int32_t)length;
        for (size_t t = 0; t < p.n_tokens; t++)
            p.tokens[b * p.n_tokens + t] =
                t + length < p.n_tokens ? -7 : token_at(n_token_ids, p.first + b, t + length - p.n_tokens);
    }
    return p;
}

/* One token for each sample; with batch neighbours the first rests at the second step. */
static void decode(fp_batch *batch, const prompts *p, size_t step, size_t n_token_ids, float *logits)
{
    int32_t next[N_SAMPLES];
    for (size_t b = 0; b < p->n; b++)
        next[b] = token_at(n_token_ids, p->first + b, (size_t)p->length[b] + step);
    if (p->n > 1 && step == 1) next[0] = -1;
    ck_assert_msg(fp_batch_decode(batch, next, logits, &err) == ASSAY_OK, "%s", err.text);
}

static fp_batch *open_batch(const fp_model *m, const cell *c)
{
    fp_batch *batch;
    ck_assert_int_eq(fp_batch_open(m, &batch, &err), ASSAY_OK);
    fp_session_chunk(fp_batch_session(batch), c->chunk);
    if (c->limit)
        ck_assert_int_eq(fp_session_limit(fp_batch_session(batch), c->limit, c->sink_tokens, &err), ASSAY_OK);
    return batch;
}

/* Logits of the sample: [length + N_DECODE, vocab], to be freed. Checks that no padding was touched. */
static float *run_cell(const fp_model *m, const cell *c)
{
    size_t vocab = m->plan->vocab, ids = m->plan->n_token_ids;
    prompts p = make_prompts(c, ids);
    size_t at = p.n == 1 ? 0 : 1;
    float *prefill = blank(p.n * p.n_tokens * vocab), *step = blank(p.n * vocab);
    float *out = blank((c->length + N_DECODE) * vocab);
    fp_batch *batch = open_batch(m, c);
    const assay_batch given = {
        .n_samples = p.n, .n_tokens = p.n_tokens, .tokens = p.tokens, .length = p.length};
    ck_assert_msg(fp_batch_prefill(batch, &given, NULL, FP_WANTED_ALL, prefill, &err) == ASSAY_OK, "%s",
                  err.text);
    for (size_t b = 0; b < p.n; b++)
        ck_assert(is_untouched(prefill + b * p.n_tokens * vocab, (p.n_tokens - (size_t)p.length[b]) * vocab));
    memcpy(out, prefill + (at * p.n_tokens + c->padding) * vocab, c->length * vocab * sizeof *out);
    for (size_t i = 0; i < N_DECODE; i++) {
        memset(step, 0xff, p.n * vocab * sizeof *step);
        decode(batch, &p, i, ids, step);
        ck_assert(is_untouched(step, vocab) == (p.n > 1 && i == 1));
        memcpy(out + (c->length + i) * vocab, step + at * vocab, vocab * sizeof *out);
    }
    fp_batch_free(batch);
    free(prefill);
    free(step);
    return out;
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
        fp_model *m = open_model(index, compute, WORKERS[w]);
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
    if (strstr(found.gl_pathv[_i], "/mlx-")) expect_grid(_i, ASSAY_I8);
}
END_TEST

/* The types must not be one. */
START_TEST(results_differ_between_types)
{
    static const assay_dtype types[] = {ASSAY_F32, ASSAY_BF16, ASSAY_I8};
    float *logits[3];
    size_t n = 0, n_types = strstr(found.gl_pathv[_i], "/mlx-") ? 3 : 2;
    for (size_t t = 0; t < n_types; t++) {
        fp_model *m = open_model(_i, types[t], 1);
        n = (LENGTH + N_DECODE) * m->plan->vocab;
        logits[t] = run_cell(m, &(cell){.chunk = WHOLE, .length = LENGTH});
        for (size_t k = 0; k < t; k++) ck_assert_int_ne(memcmp(logits[k], logits[t], n * sizeof(float)), 0);
        fp_model_free(m);
    }
    for (size_t t = 0; t < n_types; t++) free(logits[t]);
}
END_TEST

/* Logits of a reference, "ref64" or "ref32", for the same tokens, [length + N_DECODE, vocab]:
 * prefilled, then step by step. */
static double *reference_logits(const char *name, const char *dir, const cell *c, size_t vocab,
                                size_t n_token_ids)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/ref/.libs/%s.so", environment("top_builddir"), name);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(handle != NULL, "%s", dlerror());
    assay_engine_fn *table;
    *(void **)&table = dlsym(handle, ASSAY_ENGINE_SYMBOL); /* POSIX: how a function is had from dlsym */
    const assay_engine *ref = table();
    assay_model *m;
    assay_session *s;
    prompts p = make_prompts(&(cell){.length = c->length}, n_token_ids);
    const assay_batch given = {
        .n_samples = 1, .n_tokens = p.n_tokens, .tokens = p.tokens, .length = p.length};
    const assay_session_options options = {
        .size = sizeof options, .limit = c->limit ? c->limit : SIZE_MAX, .sink_tokens = c->sink_tokens};
    const size_t n = (c->length + N_DECODE) * vocab, size = dtype_size(ref->logits_dtype);
    double *out = calloc(n, sizeof *out);
    char *logits = calloc(n, size);
    ck_assert(out && logits);
    ck_assert_msg(ref->model_open(dir, &m, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(ref->session_open_with(m, &options, &s, &err), ASSAY_OK);
    ck_assert_int_eq(ref->prefill(s, &given, logits, &err), ASSAY_OK);
    for (size_t i = 0; i < N_DECODE; i++) {
        int32_t next = token_at(n_token_ids, 1, c->length + i);
        ck_assert_int_eq(ref->decode(s, &next, logits + (c->length + i) * vocab * size, &err), ASSAY_OK);
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
    double *single = reference_logits("ref32", m->plan->dir, c, vocab, m->plan->n_token_ids), noise = 0;
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
    double *truth = reference_logits("ref64", m->plan->dir, c, vocab, m->plan->n_token_ids);
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
    fp_model *m = open_model(_i, ASSAY_F32, 2);
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
    fp_model *m = open_model(index, compute, 2);
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
    if (!is_limited_at_length(found.gl_pathv[_i])) return;
    for (size_t k = 0; k < sizeof LIMITS / sizeof *LIMITS; k++)
        expect_limit(_i, ASSAY_F32, LONG, LIMITS[k][0], LIMITS[k][1]);
}
END_TEST

int main(void)
{
    char pattern[4096];
    (void)snprintf(pattern, sizeof pattern, "%s/fixtures/*/*/model/config.json", environment("top_srcdir"));
    if (glob(pattern, 0, NULL, &found) != 0) return EXIT_FAILURE;
    for (size_t i = 0; i < found.gl_pathc; i++) *strrchr(found.gl_pathv[i], '/') = '\0';
    /* In one process: the leak sanitizer then runs once, and not five hundred times, while threads come
     * and go; its tracer has crashed from that on a loaded machine. */
    (void)setenv("CK_FORK", "no", 0);
    Suite *suite = suite_create("fastpath/grid");
    TCase *tc = tcase_create("bits");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, logits_are_batch_invariant_for_any_workers_chunks_and_padding, 0,
                        (int)found.gl_pathc);
    tcase_add_loop_test(tc, logits_are_batch_invariant_in_bfloat16, 0, (int)found.gl_pathc);
    tcase_add_loop_test(tc, logits_are_batch_invariant_in_int8, 0, (int)found.gl_pathc);
    tcase_add_loop_test(tc, results_differ_between_types, 0, (int)found.gl_pathc);
    tcase_add_loop_test(tc, long_prompts_agree_with_the_reference, 0, (int)found.gl_pathc);
    tcase_add_loop_test(tc, logits_are_batch_invariant_with_a_cache_limit, 0, (int)found.gl_pathc);
    tcase_add_loop_test(tc, logits_are_batch_invariant_after_pages_behind_the_sink_tokens_are_freed, 0,
                        (int)found.gl_pathc);
    suite_add_tcase(suite, tc);
    int status = support_run(suite);
    globfree(&found);
    return status;
}
