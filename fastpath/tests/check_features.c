/* Images are evaluated once: how often the tower runs, and what the cache of features keeps. Errors of steps
 * with images, and taps of the tower.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/session/session.h"
#include "fastpath/tests/pictures.h"
#include "fastpath/tower/tower.h"

static fp_model *model;
static fp_session *session;
static assay_error err;
static size_t n_runs; /* of the tower */

__typeof__(fp_tower_run) __real_fp_tower_run, __wrap_fp_tower_run;

/* The linker sends calls here. */
assay_status __wrap_fp_tower_run(const fp_model *m, const medium *input, fp_features **out)
{
    n_runs++;
    return __real_fp_tower_run(m, input, out);
}

static void open_model(void)
{
    char path[4096];
    const char *top = getenv("top_srcdir");
    fp_options options = {.isa = getenv("ASSAY_ISA"), .n_workers = 2, .grain = 0};
    (void)snprintf(path, sizeof path, "%s/fixtures/qwen3_vl/base/model", top ? top : ".");
    ck_assert_msg(fp_model_open(path, &options, &model, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(fp_session_open(model, &session, &err), ASSAY_OK);
    n_runs = 0;
}

static void close_model(void)
{
    fp_session_free(session);
    fp_model_free(model);
}

static size_t join(fp_session *s)
{
    size_t slot;
    ck_assert_int_eq(fp_session_join(s, &slot, &err), ASSAY_OK);
    return slot;
}

/* A step with a whole text. logits: of the last token, or NULL. */
static assay_status step_text(fp_session *s, size_t slot, const picture_text *t, const fp_tracer *tracer,
                              float *logits)
{
    assay_item items[PICTURES_MAX];
    const fp_step step = {.slot = slot,
                          .tokens = t->tokens,
                          .n_tokens = t->n,
                          .items = items,
                          .n_items = pictures_items(t, 0, t->n, items),
                          .logits = logits,
                          .n_logits = logits != NULL};
    return fp_session_step(s, &step, 1, tracer, &err);
}

static void show(fp_session *s, size_t slot, const char *description)
{
    picture_text t = pictures_make(model->plan, description, 1);
    ck_assert_msg(step_text(s, slot, &t, NULL, NULL) == ASSAY_OK, "%s", err.text);
    pictures_free(&t);
}

static void expect_runs(size_t n)
{
    ck_assert_uint_eq(n_runs, n);
    n_runs = 0;
}

START_TEST(an_image_is_evaluated_once)
{
    open_model();
    const size_t a = join(session), b = join(session);
    size_t forked;
    show(session, a, "3 i2x3a 2 i1x2b 1");
    expect_runs(2);
    show(session, a, "1 i1x2b 2"); /* a later turn */
    show(session, b, "4 i2x3a 1 i2x3a 1");
    expect_runs(0);
    show(session, b, "1 i3x2a 1"); /* the same pixels in another grid */
    expect_runs(1);
    ck_assert_int_eq(fp_session_fork(session, a, session, &forked, &err), ASSAY_OK);
    show(session, forked, "1 i2x3a 1");
    ck_assert_int_eq(fp_session_rewind(session, a, 2, &err), ASSAY_OK);
    show(session, a, "1 i2x3a 1");
    ck_assert_int_eq(fp_session_leave(session, b, &err), ASSAY_OK);
    show(session, join(session), "4 i2x3a 1");
    expect_runs(0);
    close_model();
}
END_TEST

START_TEST(a_fork_in_another_session_brings_its_features)
{
    fp_session *other;
    size_t forked;
    open_model();
    ck_assert_int_eq(fp_session_open(model, &other, &err), ASSAY_OK);
    const size_t a = join(session);
    show(session, a, "3 i2x3a 2");
    ck_assert_int_eq(fp_session_fork(session, a, other, &forked, &err), ASSAY_OK);
    expect_runs(1);
    show(other, forked, "1 i2x3a 2");
    show(other, join(other), "1 i2x3a 2");
    expect_runs(0);
    fp_session *first = session;
    fp_session_free(first);
    session = other;
    show(other, forked, "1 i2x3a 2");
    expect_runs(0);
    close_model();
}
END_TEST

/* As if all memory went to the features of samples. */
START_TEST(features_that_a_sample_uses_are_never_evicted)
{
    open_model();
    fp_session_features(session, 0);
    const size_t a = join(session), b = join(session);
    show(session, a, "3 i2x3a 2 i2x2b 1");
    show(session, b, "3 i1x3c 2");
    expect_runs(3);
    show(session, b, "3 i2x3a 2 i2x2b 1");
    expect_runs(0);
    ck_assert_int_eq(fp_session_leave(session, a, &err), ASSAY_OK);
    show(session, b, "3 i2x3a 1 i1x3c 1");
    expect_runs(0);
    ck_assert_int_eq(fp_session_rewind(session, b, 0, &err), ASSAY_OK);
    show(session, b, "3 i2x3a 1 i1x3c 1");
    expect_runs(2);
    close_model();
}
END_TEST

/* Bytes of an image of h x w tokens: its features and its pixels. */
static size_t bytes_of(size_t h, size_t w)
{
    const plan_tower *t = &model->plan->vision;
    return h * w * sizeof(float) *
           ((1 + t->n_deepstack) * model->plan->hidden + t->merge * t->merge * t->patches.embed.weight.cols);
}

START_TEST(of_unused_features_those_used_last_the_longest_ago_are_evicted)
{
    open_model();
    fp_session_features(session, 3 * bytes_of(2, 2));
    const size_t a = join(session);
    show(session, a, "1 i2x2a 1 i2x2b 1 i2x2c 1");
    ck_assert_int_eq(fp_session_rewind(session, a, 0, &err), ASSAY_OK);
    show(session, a, "1 i2x2a 1");
    expect_runs(3);
    ck_assert_int_eq(fp_session_rewind(session, a, 0, &err), ASSAY_OK);
    show(session, a, "1 i2x2d 1"); /* evicts b */
    expect_runs(1);
    show(session, a, "1 i2x2a 1 i2x2c 1");
    expect_runs(0);
    show(session, a, "1 i2x2b 1");
    expect_runs(1);
    close_model();
}
END_TEST

START_TEST(a_refused_item_is_named_and_changes_no_sample)
{
    open_model();
    const size_t a = join(session), b = join(session);
    picture_text good = pictures_make(model->plan, "3 i2x3a 2", 1),
                 bad = pictures_make(model->plan, "2 i1x2b 1 i2x2c 1", 2);
    show(session, a, "2");
    show(session, b, "4 i1x1d 1");
    const size_t n_a = fp_session_length(session, a), n_b = fp_session_length(session, b);
    bad.pictures[1].tensors[0].shape[0]--;
    assay_item items[2][PICTURES_MAX];
    const fp_step steps[] = {{.slot = a,
                              .tokens = good.tokens,
                              .n_tokens = good.n,
                              .items = items[0],
                              .n_items = pictures_items(&good, 0, good.n, items[0])},
                             {.slot = b,
                              .tokens = bad.tokens,
                              .n_tokens = bad.n,
                              .items = items[1],
                              .n_items = pictures_items(&bad, 0, bad.n, items[1])}};
    ck_assert_int_eq(fp_session_step(session, steps, 2, NULL, &err), ASSAY_EINVAL);
    char named[64];
    (void)snprintf(named, sizeof named, "sample %zu: item 1: tensor 'pixel_values'", b);
    ck_assert_msg(strstr(err.text, named) != NULL, "'%s' is not in: %s", named, err.text);
    ck_assert(fp_session_length(session, a) == n_a && fp_session_length(session, b) == n_b);
    bad.pictures[1].tensors[0].shape[0]++;
    ck_assert_int_eq(fp_session_step(session, steps, 2, NULL, &err), ASSAY_OK);
    pictures_free(&good);
    pictures_free(&bad);
    close_model();
}
END_TEST

/* What a tap receives: names, and the rows of each. */
typedef struct tap_log {
    char names[64][32];
    size_t rows[64], cols[64], n;
    const char *zeroes, *stops_at;
} tap_log;

static bool log_tensor(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    tap_log *l = context;
    (void)sample;
    ck_assert_uint_lt(l->n, 64);
    (void)snprintf(l->names[l->n], sizeof l->names[l->n], "%s", tensor->name);
    l->rows[l->n] = tensor->shape[0];
    l->cols[l->n++] = tensor->shape[1];
    if (l->zeroes && strcmp(tensor->name, l->zeroes) == 0)
        memset(data, 0, tensor->shape[0] * tensor->shape[1] * sizeof(float));
    return !l->stops_at || strcmp(tensor->name, l->stops_at) != 0;
}

/* The last logits of a text in a sample of its own, which leaves. */
static void logits_of(const char *description, const fp_tracer *tracer, float *logits)
{
    picture_text t = pictures_make(model->plan, description, 1);
    const size_t slot = join(session);
    ck_assert_msg(step_text(session, slot, &t, tracer, logits) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(fp_session_leave(session, slot, &err), ASSAY_OK);
    pictures_free(&t);
}

static const char SHOWN[] = "3 i2x3a 2 i1x2b 1";
enum { TOKENS = 8, VOCAB = 97 };

START_TEST(a_tap_receives_the_tower_once_with_the_rows_of_all_images)
{
    open_model();
    const plan_tower *t = &model->plan->vision;
    tap_log l = {.n = 0};
    float plain[VOCAB], traced[VOCAB];
    const fp_tracer tracer = {.fn = log_tensor, .context = &l};
    logits_of(SHOWN, NULL, plain);
    logits_of(SHOWN, &tracer, traced);
    ck_assert_mem_eq(plain, traced, sizeof plain);
    const size_t n_patches = TOKENS * t->merge * t->merge;
    size_t at = 0;
    ck_assert_str_eq(l.names[at], "vision.patch");
    ck_assert(l.rows[at] == n_patches && l.cols[at++] == t->hidden);
    for (size_t i = 0, k = 0; i < t->n_layers; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "vision.%02zu.out", i);
        ck_assert_str_eq(l.names[at], name);
        ck_assert(l.rows[at] == n_patches && l.cols[at++] == t->hidden);
        if (k == t->n_deepstack || t->deepstack[k].tower_layer != i) continue;
        (void)snprintf(name, sizeof name, "vision.deepstack.%zu", k++);
        ck_assert_str_eq(l.names[at], name);
        ck_assert(l.rows[at] == TOKENS && l.cols[at++] == model->plan->hidden);
    }
    ck_assert_str_eq(l.names[at], "vision.merged");
    ck_assert(l.rows[at] == TOKENS && l.cols[at++] == model->plan->hidden);
    ck_assert_str_eq(l.names[at], "embed");
    close_model();
}
END_TEST

/* The sample keeps what was overwritten, in later steps as well; nobody else sees it. */
START_TEST(what_a_tap_overwrites_in_the_tower_changes_its_sample_alone)
{
    static const char *const NAMES[] = {"vision.patch", "vision.01.out", "vision.deepstack.1",
                                        "vision.merged"};
    open_model();
    float plain[VOCAB], traced[VOCAB], later[VOCAB], again[VOCAB];
    tap_log l = {.zeroes = NAMES[_i]};
    const fp_tracer tracer = {.fn = log_tensor, .context = &l, .names = &NAMES[_i], .n_names = 1};
    logits_of(SHOWN, NULL, plain);
    logits_of(SHOWN, &tracer, traced);
    ck_assert_uint_eq(l.n, 1);
    ck_assert_int_ne(memcmp(plain, traced, sizeof plain), 0);
    logits_of(SHOWN, NULL, later);
    ck_assert_mem_eq(plain, later, sizeof plain);
    picture_text t = pictures_make(model->plan, SHOWN, 1);
    const size_t slot = join(session);
    size_t forked;
    fp_session *other;
    ck_assert_int_eq(step_text(session, slot, &t, &tracer, NULL), ASSAY_OK);
    ck_assert_int_eq(fp_session_rewind(session, slot, t.n - 1, &err), ASSAY_OK);
    const fp_step last = {
        .slot = slot, .tokens = t.tokens + t.n - 1, .n_tokens = 1, .logits = again, .n_logits = 1};
    ck_assert_int_eq(fp_session_step(session, &last, 1, NULL, &err), ASSAY_OK);
    ck_assert_mem_eq(traced, again, sizeof traced);
    ck_assert_int_eq(fp_session_open(model, &other, &err), ASSAY_OK);
    ck_assert_int_eq(fp_session_fork(session, slot, other, &forked, &err), ASSAY_OK);
    const size_t fresh = join(other);
    ck_assert_int_eq(step_text(other, fresh, &t, NULL, later), ASSAY_OK);
    ck_assert_mem_eq(plain, later, sizeof plain);
    fp_session_free(other);
    pictures_free(&t);
    close_model();
}
END_TEST

START_TEST(a_tap_that_stops_in_the_tower_leaves_the_sample_as_it_was)
{
    open_model();
    float plain[VOCAB], again[VOCAB];
    tap_log l = {.stops_at = "vision.01.out"};
    const fp_tracer tracer = {.fn = log_tensor, .context = &l};
    picture_text t = pictures_make(model->plan, SHOWN, 1);
    logits_of(SHOWN, NULL, plain);
    const size_t slot = join(session);
    ck_assert_int_eq(step_text(session, slot, &t, &tracer, NULL), ASSAY_ESTOPPED);
    ck_assert_uint_eq(fp_session_length(session, slot), 0);
    ck_assert_str_eq(l.names[l.n - 1], "vision.01.out");
    ck_assert_int_eq(step_text(session, slot, &t, NULL, again), ASSAY_OK);
    ck_assert_mem_eq(plain, again, sizeof plain);
    pictures_free(&t);
    close_model();
}
END_TEST

/* Also if the sample's images were evaluated before. */
START_TEST(a_tap_without_names_of_the_tower_uses_the_cache)
{
    static const char *const NAMES[] = {"norm"};
    open_model();
    float logits[VOCAB];
    tap_log l = {.n = 0};
    const fp_tracer tracer = {.fn = log_tensor, .context = &l, .names = NAMES, .n_names = 1};
    logits_of(SHOWN, &tracer, logits);
    expect_runs(2);
    logits_of(SHOWN, &tracer, logits);
    expect_runs(0);
    ck_assert_uint_eq(l.n, 2);
    close_model();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/features");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, an_image_is_evaluated_once);
    tcase_add_test(tc, a_fork_in_another_session_brings_its_features);
    tcase_add_test(tc, features_that_a_sample_uses_are_never_evicted);
    tcase_add_test(tc, of_unused_features_those_used_last_the_longest_ago_are_evicted);
    tcase_add_test(tc, a_refused_item_is_named_and_changes_no_sample);
    tcase_add_test(tc, a_tap_receives_the_tower_once_with_the_rows_of_all_images);
    tcase_add_loop_test(tc, what_a_tap_overwrites_in_the_tower_changes_its_sample_alone, 0, 4);
    tcase_add_test(tc, a_tap_that_stops_in_the_tower_leaves_the_sample_as_it_was);
    tcase_add_test(tc, a_tap_without_names_of_the_tower_uses_the_cache);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
