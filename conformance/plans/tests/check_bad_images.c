/* Images that do not fit their tokens, their grid or their pixels: every engine refuses them by the number of
 * their sample, and goes on with the other samples of the batch as if the refused one had never been there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dtype.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/open.h"
#include "conformance/abi/step.h"
#include "conformance/case/prompt.h"
#include "conformance/case/spans.h"
#include "conformance/evaluate/checkpoint.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/support.h"

static const char *const ENGINES[] = {"ref64", "ref32", "fastpath"};
enum { N_ENGINES = 3, MAX_CASES = 100, MAX_SAMPLES = 8, MAX_TOKENS = 512, MAX_TENSORS = 4 };

/* A case, an engine that has opened its checkpoint, and a sample with images whose input is spoiled. */
typedef struct setup {
    const assay_engine *engine;
    assay_model *model;
    size_t vocab;
    conf_case *c;
    conf_items items;
    conf_placeholders placeholders;
    size_t bad;
    int32_t tokens[MAX_TOKENS];       /* of the bad sample */
    assay_item item[MAX_SAMPLES];     /* of the bad sample; the first is spoiled */
    assay_tensor tensor[MAX_TENSORS]; /* of its first item, with data of their own */
} setup;

/* Paths: of each family that has one, the batch with images of its first checkpoint. */
static char *cases[MAX_CASES];
static size_t n_cases;

static void find_cases(void)
{
    static const char *const names[] = {"images-batch", "image-batch", "crops-batch"};
    const char *top = getenv("top_srcdir");
    char pattern[4096];
    glob_t checkpoints;
    (void)snprintf(pattern, sizeof pattern, "%s/fixtures/*/*", top ? top : ".");
    if (glob(pattern, 0, NULL, &checkpoints) != 0) abort();
    for (size_t i = 0; i < checkpoints.gl_pathc; i++) {
        const char *dir = checkpoints.gl_pathv[i];
        const size_t n_family = (size_t)(strrchr(dir, '/') + 1 - dir);
        if (n_cases > 0 && strncmp(cases[n_cases - 1], dir, n_family) == 0) continue;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            char *path = NULL;
            if (n_cases == MAX_CASES || asprintf(&path, "%s/%s.h5", dir, names[k]) < 0) abort();
            if (access(path, R_OK) == 0) {
                cases[n_cases++] = path;
                break;
            }
            free(path);
        }
    }
    globfree(&checkpoints);
    if (n_cases == 0) abort();
}

static const char *path_of_engine(size_t i)
{
    static char path[4096];
    const char *root = getenv("top_builddir");
    (void)snprintf(path, sizeof path, "%s/conformance/plans/changed_%s.so", root ? root : ".", ENGINES[i]);
    return path;
}

static size_t bytes_of(const assay_tensor *t)
{
    size_t n = dtype_size(t->dtype);
    for (size_t d = 0; d < t->rank; d++) n *= t->shape[d];
    return n;
}

/* Copies the tokens and the first item of the first sample with items. */
static void choose_sample(setup *s)
{
    const conf_decoder *d = &s->c->decoder;
    size_t n_items = 0;
    for (s->bad = 0; n_items == 0; s->bad++) (void)conf_items_of(&s->items, s->bad, &n_items);
    const assay_item *items = conf_items_of(&s->items, --s->bad, &n_items);
    memcpy(s->tokens, conf_prompt(d, s->bad), conf_prompt_length(d, s->bad) * sizeof *s->tokens);
    memcpy(s->item, items, n_items * sizeof *items);
    for (size_t k = 0; k < items->n_tensors; k++) {
        s->tensor[k] = items->tensors[k];
        void *copy = malloc(bytes_of(&s->tensor[k]));
        ck_assert_ptr_nonnull(copy);
        memcpy(copy, s->tensor[k].data, bytes_of(&s->tensor[k]));
        s->tensor[k].data = copy;
    }
    s->item[0].tensors = s->tensor;
}

/* Opens the engines before the processes of the tests are forked, so that not each of them loads OpenBLAS. */
static void open_engines(void)
{
    const assay_engine *engine;
    for (size_t i = 0; i < N_ENGINES; i++) {
        ck_assert_int_eq(conf_engine_open(path_of_engine(i), &engine, NULL), ASSAY_OK);
    }
}

static void begin(setup *s, size_t engine, size_t which)
{
    assay_error err = {0};
    *s = (setup){0};
    ck_assert_msg(conf_case_read(cases[which], &s->c, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(conf_engine_open(path_of_engine(engine), &s->engine, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(s->engine->model_open(s->c->model, NULL, &s->model, &err) == ASSAY_OK, "%s", err.text);
    s->vocab = s->engine->model_vocab(s->model);
    ck_assert_int_eq(conf_items_divide(s->c->path, &s->c->decoder, &s->items, &err), ASSAY_OK);
    s->placeholders = conf_checkpoint_check(s->c).placeholders;
    conf_spans_find(&s->items, &s->c->decoder, &s->placeholders);
    choose_sample(s);
}

static void end(setup *s)
{
    for (size_t k = 0; k < s->item[0].n_tensors; k++) free((void *)(uintptr_t)s->tensor[k].data);
    s->engine->model_free(s->model);
    conf_items_free(&s->items);
    conf_case_free(s->c);
}

static assay_session *open_session(const setup *s)
{
    assay_session *session = NULL;
    assay_error err = {0};
    ck_assert_int_eq(conf_open_session(s->engine, s->model, s->c->decoder.n_samples, 0, (conf_cache_limit){0},
                                       &session, &err),
                     ASSAY_OK);
    return session;
}

/* The prompts of the samples, then the first forced token of each; the bad one only if `with_bad`. */
static size_t make_steps(const setup *s, bool with_bad, bool decodes, conf_sample_step *steps, char *logits)
{
    const conf_decoder *d = &s->c->decoder;
    const size_t row_bytes = s->vocab * dtype_size(s->engine->logits_dtype);
    size_t n = 0;
    for (size_t b = 0; b < d->n_samples; b++) {
        if (b == s->bad && !with_bad) continue;
        conf_sample_step *step = &steps[n];
        *step = (conf_sample_step){.sample = b, .n_last = 1, .n_tokens = 1, .logits = logits + n * row_bytes};
        n++;
        step->tokens = (const int32_t *)d->decode.data + b * d->n_decode;
        if (decodes) continue;
        step->tokens = b == s->bad ? s->tokens : conf_prompt(d, b);
        step->n_tokens = conf_prompt_length(d, b);
        step->items = conf_items_of(&s->items, b, &step->n_items);
        if (b == s->bad) step->items = s->item;
    }
    return n;
}

/* Of the samples besides the bad one: the last rows of the prompts, and of a token after them. */
static char *evaluate_others(const setup *s, assay_session *session)
{
    const size_t row_bytes = s->vocab * dtype_size(s->engine->logits_dtype);
    conf_sample_step steps[MAX_SAMPLES];
    assay_error err = {0};
    char *logits = calloc(2 * MAX_SAMPLES, row_bytes);
    ck_assert_ptr_nonnull(logits);
    for (size_t part = 0; part < 2; part++) {
        const size_t n = make_steps(s, false, part > 0, steps, logits + part * MAX_SAMPLES * row_bytes);
        ck_assert_msg(conf_step_run(s->engine, session, steps, n, 0, &err) == ASSAY_OK, "%s", err.text);
    }
    return logits;
}

/* With the spoiled input the step fails, and names the sample; the other samples then have the bits of a
 * session that never had the bad one. */
static void expect_refusal(const setup *s, const char *what)
{
    const size_t row_bytes = s->vocab * dtype_size(s->engine->logits_dtype);
    conf_sample_step steps[MAX_SAMPLES];
    assay_error err = {0};
    char sample[32];
    assay_session *session = open_session(s), *other = open_session(s);
    char *logits = calloc(MAX_SAMPLES, row_bytes);
    ck_assert_ptr_nonnull(logits);
    const size_t n = make_steps(s, true, false, steps, logits);
    const assay_status rc = conf_step_run(s->engine, session, steps, n, 0, &err);
    ck_assert_msg(rc == ASSAY_EINVAL, "%s, %s: status %d: %s", s->c->path, what, (int)rc, err.text);
    (void)snprintf(sample, sizeof sample, "sample %zu: ", s->bad);
    ck_assert_msg(strstr(err.text, sample) != NULL, "%s: \"%s\" does not name %s", what, err.text, sample);
    char *found = evaluate_others(s, session), *expected = evaluate_others(s, other);
    ck_assert_msg(memcmp(found, expected, 2 * MAX_SAMPLES * row_bytes) == 0, "%s, %s: other bits", s->c->path,
                  what);
    free(found);
    free(expected);
    free(logits);
    s->engine->session_free(session);
    s->engine->session_free(other);
}

/* The first item's tensor whose name ends so; NULL: it has none. */
static assay_tensor *tensor_of(setup *s, const char *end)
{
    for (size_t k = 0; k < s->item[0].n_tensors; k++) {
        const char *name = s->tensor[k].name;
        if (strlen(name) >= strlen(end) && strcmp(name + strlen(name) - strlen(end), end) == 0)
            return &s->tensor[k];
    }
    return NULL;
}

/* The index after the tokens of the first image; without a grid it has one. */
static size_t end_of_first(const setup *s)
{
    const conf_span *spans = conf_items_spans(&s->items, s->bad);
    size_t t = 0;
    if (spans) return spans->end;
    while (s->tokens[t] != s->placeholders.image) t++;
    return t + 1;
}

START_TEST(fewer_placeholder_tokens_than_features_are_refused)
{
    setup s;
    begin(&s, (size_t)_i % N_ENGINES, (size_t)_i / N_ENGINES);
    s.tokens[end_of_first(&s) - 1] = 1;
    expect_refusal(&s, "a placeholder token less");
    end(&s);
}
END_TEST

/* The step with all samples is evaluated. */
static void expect_success(const setup *s)
{
    conf_sample_step steps[MAX_SAMPLES];
    assay_error err = {0};
    assay_session *session = open_session(s);
    char *logits = calloc(MAX_SAMPLES, s->vocab * dtype_size(s->engine->logits_dtype));
    ck_assert_ptr_nonnull(logits);
    const size_t n = make_steps(s, true, false, steps, logits);
    ck_assert_msg(conf_step_run(s->engine, session, steps, n, 0, &err) == ASSAY_OK, "%s: %s", s->c->path,
                  err.text);
    free(logits);
    s->engine->session_free(session);
}

START_TEST(more_placeholder_tokens_than_features_are_refused_unless_they_may_be_text)
{
    setup s;
    begin(&s, (size_t)_i % N_ENGINES, (size_t)_i / N_ENGINES);
    s.tokens[end_of_first(&s)] = s.placeholders.image;
    if (s.placeholders.leads) expect_success(&s);
    else expect_refusal(&s, "a placeholder token more");
    end(&s);
}
END_TEST

/* Each side of the grid, as 0, as more than the pixels have, and as a number that no block divides. */
START_TEST(a_grid_with_a_zero_or_of_other_patches_is_refused)
{
    setup s;
    begin(&s, (size_t)_i % N_ENGINES, (size_t)_i / N_ENGINES);
    assay_tensor *grid = tensor_of(&s, "grid_thw");
    for (size_t axis = 0; grid && axis < 3; axis++) {
        int32_t *side = (int32_t *)(uintptr_t)grid->data + axis;
        const int32_t valid = *side,
                      others[] = {0, -1, valid + (int32_t)s.placeholders.side, valid + 1, INT32_MAX};
        ck_assert_int_eq(grid->dtype, ASSAY_I32);
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            char what[64];
            *side = others[i];
            (void)snprintf(what, sizeof what, "axis %zu of the grid is %d", axis, (int)others[i]);
            expect_refusal(&s, what);
        }
        *side = valid;
    }
    end(&s);
}
END_TEST

START_TEST(pixels_that_are_not_finite_are_refused)
{
    static const float others[] = {NAN, INFINITY, -INFINITY};
    setup s;
    begin(&s, (size_t)_i % N_ENGINES, (size_t)_i / N_ENGINES);
    assay_tensor *pixels = tensor_of(&s, "pixel_values");
    ck_assert_int_eq(pixels->dtype, ASSAY_F32);
    for (size_t i = 0; i < 3; i++) {
        float *first = (float *)(uintptr_t)pixels->data, valid = *first;
        *first = others[i];
        expect_refusal(&s, "a pixel is not finite");
        *first = valid;
    }
    end(&s);
}
END_TEST

START_TEST(pixels_that_are_missing_are_refused)
{
    setup s;
    begin(&s, (size_t)_i % N_ENGINES, (size_t)_i / N_ENGINES);
    assay_tensor *pixels = tensor_of(&s, "pixel_values");
    if (s.item[0].n_tensors == 1) { /* an image of any size */
        pixels->shape[pixels->rank - 3]--;
        expect_refusal(&s, "a channel is missing");
    } else {
        pixels->shape[pixels->rank - 1]--;
        expect_refusal(&s, "rows of pixels are too short");
        pixels->shape[pixels->rank - 1]++;
        pixels->shape[pixels->rank - 2]--;
        expect_refusal(&s, "a row of pixels is missing");
    }
    end(&s);
}
END_TEST

int main(void)
{
    find_cases();
    const int n = N_ENGINES * (int)n_cases;
    Suite *suite = suite_create("conformance/plans/bad_images");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 120);
    tcase_add_unchecked_fixture(t, open_engines, NULL);
    tcase_add_loop_test(t, fewer_placeholder_tokens_than_features_are_refused, 0, n);
    tcase_add_loop_test(t, more_placeholder_tokens_than_features_are_refused_unless_they_may_be_text, 0, n);
    tcase_add_loop_test(t, a_grid_with_a_zero_or_of_other_patches_is_refused, 0, n);
    tcase_add_loop_test(t, pixels_that_are_not_finite_are_refused, 0, n);
    tcase_add_loop_test(t, pixels_that_are_missing_are_refused, 0, n);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
