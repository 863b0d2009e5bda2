/* Sessions on different threads that share images, features and pages: all logits stay bit-identical.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/session/session.h"
#include "fastpath/tests/pictures.h"

enum { N_THREADS = 4, N_ROUNDS = 8 };
static const char *const TEXTS[] = {"3 i2x3a 2 i1x2b 4", "1 i1x2b 5"};

static fp_model *model;
static size_t vocab;
static picture_text texts[2];
static float *expected; /* of the last tokens of both texts, [2, vocab] */

/* Tokens from … end - 1 of a text, and the logits of the last of them. */
static assay_status step(fp_session *s, size_t slot, size_t text, size_t from, float *logits)
{
    assay_error err;
    assay_item items[PICTURES_MAX];
    const picture_text *t = &texts[text];
    const fp_step one = {.slot = slot,
                         .tokens = t->tokens + from,
                         .n_tokens = t->n - from,
                         .items = items,
                         .n_items = pictures_items(t, from, t->n, items),
                         .logits = logits,
                         .n_logits = 1};
    return fp_session_step(s, &one, 1, NULL, &err);
}

/* A thread, and its session with a fork of a sample of another one. A thread does not call the test library.
 */
typedef struct party {
    fp_session *session;
    size_t forked;
    size_t n_wrong;
    float *logits; /* [vocab] */
} party;

static void compare(party *p, assay_status rc, size_t text)
{
    if (rc != ASSAY_OK || memcmp(p->logits, expected + text * vocab, vocab * sizeof *expected) != 0)
        p->n_wrong++;
}

/* A new sample, which finds the features of the fork. */
static void show_again(party *p)
{
    size_t slot;
    if (fp_session_join(p->session, &slot, NULL) != ASSAY_OK) p->n_wrong++;
    else compare(p, step(p->session, slot, 1, 0, p->logits), 1);
    if (fp_session_leave(p->session, slot, NULL) != ASSAY_OK) p->n_wrong++;
}

/* Goes back into an image, before one, and to the end. */
static void go_back(party *p, size_t round)
{
    const size_t to[] = {texts[0].pictures[1].first + 1, 1, texts[0].n - 1}, n = to[round % 3];
    if (fp_session_rewind(p->session, p->forked, n, NULL) != ASSAY_OK) p->n_wrong++;
    compare(p, step(p->session, p->forked, 0, n, p->logits), 0);
}

static void *run_party(void *context)
{
    party *p = context;
    for (size_t round = 0; round < N_ROUNDS; round++) {
        fp_session_features(p->session, round % 2 ? FP_FEATURES_BYTES : 0);
        show_again(p);
        go_back(p, round);
    }
    fp_session_free(p->session);
    return NULL;
}

static void open_all(const char *name)
{
    char path[4096];
    assay_error err;
    const char *top = getenv("top_srcdir");
    const fp_options options = {.isa = getenv("ASSAY_ISA"), .n_workers = 2, .grain = 0};
    (void)snprintf(path, sizeof path, "%s/fixtures/%s/model", top ? top : ".", name);
    ck_assert_msg(fp_model_open(path, &options, &model, &err) == ASSAY_OK, "%s", err.text);
    vocab = model->plan->vocab;
    expected = calloc(2 * vocab, sizeof *expected);
    ck_assert_ptr_nonnull(expected);
    for (size_t i = 0; i < 2; i++) texts[i] = pictures_make(model->plan, TEXTS[i], 1);
}

static void close_all(void)
{
    for (size_t i = 0; i < 2; i++) pictures_free(&texts[i]);
    free(expected);
    fp_model_free(model);
}

/* Both texts as samples of a session. */
static fp_session *open_origin(void)
{
    fp_session *s;
    size_t slot;
    assay_error err;
    ck_assert_int_eq(fp_session_open(model, &s, &err), ASSAY_OK);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(fp_session_join(s, &slot, &err), ASSAY_OK);
        ck_assert_int_eq(step(s, slot, i, 0, expected + i * vocab), ASSAY_OK);
    }
    return s;
}

START_TEST(sessions_of_threads_share_images)
{
    static const char *const MODELS[] = {"qwen3_vl/base", "qwen2_5_vl/base"};
    pthread_t threads[N_THREADS];
    party parties[N_THREADS] = {0};
    assay_error err;
    open_all(MODELS[_i]);
    fp_session *origin = open_origin();
    for (size_t i = 0; i < N_THREADS; i++) {
        party *p = &parties[i];
        p->logits = calloc(vocab, sizeof *p->logits);
        ck_assert_ptr_nonnull(p->logits);
        ck_assert_int_eq(fp_session_open(model, &p->session, &err), ASSAY_OK);
        ck_assert_int_eq(fp_session_fork(origin, 0, p->session, &p->forked, &err), ASSAY_OK);
    }
    for (size_t i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_party, &parties[i]), 0);
    fp_session_free(origin);
    for (size_t i = 0; i < N_THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_uint_eq(parties[i].n_wrong, 0);
        free(parties[i].logits);
    }
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/threads_images");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, sessions_of_threads_share_images, 0, 2);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
