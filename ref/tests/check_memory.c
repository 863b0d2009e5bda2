/* Sessions of the reference engine with each allocation failing in turn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>

#include "base/tests/deny.h"
#include "base/tests/support.h"
#include "ref/tests/pictures.h"

#include <stdio.h>
#include <stdlib.h>

const assay_engine *assay_engine_v2(void);

static const assay_engine *engine;
static assay_model *model;
static assay_session *session;
static double *logits;
static assay_error err;

enum { N_SAMPLES = 64 }; /* as many as a session has capacity for from the start */

static const int32_t POSITIONS[] = {2, 3};
static const int32_t TEXT[] = {1, 2, 3, 4, 5, 6}, NEXT[] = {42};

static assay_status step_one(size_t sample, const int32_t *tokens, size_t n, double *out)
{
    const assay_output output = {.name = "logits", .n_last = 1, .data = out};
    const assay_step step = {
        .sample = sample, .tokens = tokens, .n_tokens = n, .outputs = &output, .n_outputs = out ? 1 : 0};
    return engine->step(session, &step, 1, NULL, &err);
}

static void open_model(const char *name)
{
    char path[4096];
    const char *top = getenv("top_srcdir");
    (void)snprintf(path, sizeof path, "%s/fixtures/%s/model", top ? top : ".", name);
    engine = assay_engine_v2();
    ck_assert_msg(engine->model_open(path, NULL, &model, &err) == ASSAY_OK, "%s", err.text);
    const assay_session_options options = {.size = sizeof options, .n_samples = N_SAMPLES};
    ck_assert_int_eq(engine->session_open(model, &options, &session, &err), ASSAY_OK);
    logits = calloc(engine->model_vocab(model), sizeof *logits);
    ck_assert_ptr_nonnull(logits);
}

static void open_session(void)
{
    open_model("llama/base");
    ck_assert_int_eq(step_one(0, TEXT, 2, NULL), ASSAY_OK);
    ck_assert_int_eq(step_one(1, TEXT + 2, 3, NULL), ASSAY_OK);
}

static void close_session(void)
{
    free(logits);
    engine->session_free(session);
    engine->model_free(model);
}

/* The first logit of a sample's next token; the sample is as before afterwards. */
static double next_logit(size_t sample, size_t n_tokens)
{
    ck_assert_int_eq(step_one(sample, NEXT, 1, logits), ASSAY_OK);
    const double found = logits[0];
    ck_assert_int_eq(engine->rewind(session, sample, n_tokens + 1, &err), ASSAY_OK);
    ck_assert_int_eq(engine->rewind(session, sample, n_tokens + 2, &err), ASSAY_EINVAL);
    ck_assert_int_eq(engine->rewind(session, sample, n_tokens, &err), ASSAY_OK);
    return found;
}

START_TEST(a_step_that_is_out_of_memory_leaves_every_sample_as_it_was)
{
    open_session();
    const double before[] = {next_logit(0, 2), next_logit(1, 3)};
    double *out = calloc(engine->model_vocab(model), sizeof *out);
    ck_assert_ptr_nonnull(out);
    const assay_output output = {.name = "logits", .n_last = 1, .data = out};
    const assay_step steps[] = {
        {.sample = 0,
         .tokens = TEXT,
         .n_tokens = 2,
         .positions = POSITIONS,
         .n_axes = 1,
         .outputs = &output,
         .n_outputs = 1},
        {.sample = 1, .tokens = TEXT, .n_tokens = 2, .outputs = &output, .n_outputs = 1}};
    long n = 0;
    for (assay_status rc = ASSAY_ENOMEM; rc != ASSAY_OK; n++) {
        deny(n);
        rc = engine->step(session, steps, 2, NULL, &err);
        const bool denied = deny_end();
        ck_assert_int_eq(rc, denied ? ASSAY_ENOMEM : ASSAY_OK);
        if (rc == ASSAY_OK) break;
        support_expect_error(&err, ASSAY_ENOMEM, "out of memory", NULL);
        ck_assert_double_eq(next_logit(0, 2), before[0]);
        ck_assert_double_eq(next_logit(1, 3), before[1]);
    }
    ck_assert_int_gt(n, 50);
    (void)next_logit(0, 4);
    (void)next_logit(1, 5);
    free(out);
    close_session();
}
END_TEST

/* The rest of the prompt, with its images. */
static assay_status step_images(size_t sample, size_t n_before, double *out)
{
    const assay_output output = {.name = "logits", .n_last = 1, .data = out};
    const assay_step step = {.sample = sample,
                             .tokens = PICTURES_PROMPT + n_before,
                             .n_tokens = PICTURES_TOKENS - n_before,
                             .items = pictures_items(),
                             .n_items = PICTURES_N,
                             .outputs = &output,
                             .n_outputs = 1};
    return engine->step(session, &step, 1, NULL, &err);
}

START_TEST(a_step_with_images_that_is_out_of_memory_leaves_its_sample_as_it_was)
{
    open_model("qwen3_vl/base");
    ck_assert_int_eq(step_images(0, 0, logits), ASSAY_OK);
    const double expected = logits[0];
    ck_assert_int_eq(step_one(1, PICTURES_PROMPT, 1, NULL), ASSAY_OK);
    long n = 0;
    for (assay_status rc = ASSAY_ENOMEM; rc != ASSAY_OK; n++) {
        deny(n);
        rc = step_images(1, 1, logits);
        const bool denied = deny_end();
        ck_assert_int_eq(rc, denied ? ASSAY_ENOMEM : ASSAY_OK);
        if (rc == ASSAY_OK) break;
        support_expect_error(&err, ASSAY_ENOMEM, n == 0 ? "1 samples" : "sample 1", "out of memory", NULL);
        ck_assert_int_eq(engine->rewind(session, 1, 1, &err), ASSAY_OK);
        ck_assert_int_eq(engine->rewind(session, 1, 2, &err), ASSAY_EINVAL);
    }
    ck_assert_int_gt(n, 200);
    ck_assert_double_eq_tol(logits[0], expected, 1e-12);
    close_session();
}
END_TEST

START_TEST(a_fork_or_positions_with_images_that_are_out_of_memory_change_nothing)
{
    size_t added = 77;
    int32_t position[3 * PICTURES_TOKENS], delta = 77;
    const assay_step step = {.tokens = PICTURES_PROMPT,
                             .n_tokens = PICTURES_TOKENS,
                             .n_axes = 3,
                             .items = pictures_grids(),
                             .n_items = PICTURES_N};
    open_model("qwen3_vl/base");
    ck_assert_int_eq(step_images(0, 0, logits), ASSAY_OK);
    long n = 0;
    for (assay_status rc = ASSAY_ENOMEM; rc != ASSAY_OK; n++) {
        deny(n);
        rc = engine->fork(session, 0, session, &added, &err);
        ck_assert_int_eq(rc, deny_end() ? ASSAY_ENOMEM : ASSAY_OK);
        ck_assert(rc == ASSAY_OK || added == 77);
    }
    n = 0;
    for (assay_status rc = ASSAY_ENOMEM; rc != ASSAY_OK; n++) {
        deny(n);
        rc = engine->positions(model, &step, position, &delta, &err);
        ck_assert_int_eq(rc, deny_end() ? ASSAY_ENOMEM : ASSAY_OK);
        ck_assert(rc == ASSAY_OK || delta == 77);
    }
    ck_assert_mem_eq(position, PICTURES_POSITIONS, sizeof position);
    close_session();
}
END_TEST

START_TEST(a_join_or_fork_that_is_out_of_memory_adds_no_sample)
{
    open_session();
    size_t added = 77;
    for (long n = 0; n < 2; n++) {
        deny(n);
        ck_assert_int_eq(engine->fork(session, 0, session, &added, &err), ASSAY_ENOMEM);
        ck_assert(deny_end());
        support_expect_error(&err, ASSAY_ENOMEM, "out of memory", NULL);
    }
    deny(0);
    ck_assert_int_eq(engine->join(session, &added, &err), ASSAY_ENOMEM);
    ck_assert(deny_end());
    ck_assert_uint_eq(added, 77);
    ck_assert_int_eq(step_one(N_SAMPLES, NEXT, 1, NULL), ASSAY_EINVAL);
    ck_assert_int_eq(engine->fork(session, 0, session, &added, &err), ASSAY_OK);
    ck_assert_uint_eq(added, N_SAMPLES);
    ck_assert_double_eq(next_logit(N_SAMPLES, 2), next_logit(0, 2));
    close_session();
}
END_TEST

START_TEST(a_session_that_is_out_of_memory_is_not_opened)
{
    open_session();
    assay_session *other = session;
    for (long n = 0; n < 2; n++) {
        deny(n);
        ck_assert_int_eq(engine->session_open(model, NULL, &other, &err), ASSAY_ENOMEM);
        ck_assert(deny_end());
        ck_assert_ptr_eq(other, session);
    }
    const assay_session_options options = {.size = sizeof options, .n_samples = SIZE_MAX};
    ck_assert_int_eq(engine->session_open(model, &options, &other, &err), ASSAY_ENOMEM);
    ck_assert_ptr_eq(other, session);
    close_session();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/memory");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 60);
    tcase_add_test(all, a_step_that_is_out_of_memory_leaves_every_sample_as_it_was);
    tcase_add_test(all, a_step_with_images_that_is_out_of_memory_leaves_its_sample_as_it_was);
    tcase_add_test(all, a_fork_or_positions_with_images_that_are_out_of_memory_change_nothing);
    tcase_add_test(all, a_join_or_fork_that_is_out_of_memory_adds_no_sample);
    tcase_add_test(all, a_session_that_is_out_of_memory_is_not_opened);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
