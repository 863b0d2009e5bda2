/* Forks of samples: within a session, into another session, and on other threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/session/session.h"
#include "fastpath/tests/sessions.h"

START_TEST(a_fork_diverges_from_its_origin)
{
    sessions_open(MODELS[_i]);
    int32_t other[LENGTH];
    memcpy(other, sessions_text(0), sizeof other);
    size_t a = sessions_join(), b, fork_of_fork;
    (void)sessions_take(a, sessions_text(0), 12);
    ck_assert_int_eq(fp_session_fork(session, a, session, &b, &err), ASSAY_OK);
    ck_assert_uint_eq(fp_session_length(session, b), 12);
    other[12] = 5;
    other[13] = 6;
    (void)sessions_take(b, other + 12, 2);
    sessions_compare(a, 0, 12, 70);
    ck_assert_int_eq(fp_session_fork(session, b, session, &fork_of_fork, &err), ASSAY_OK);
    ck_assert_int_eq(fp_session_leave(session, a, &err), ASSAY_OK);
    other[14] = 7;
    float *copy = malloc(vocab * sizeof *copy);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, sessions_take(b, other + 14, 1), vocab * sizeof *copy);
    ck_assert_mem_eq(sessions_take(fork_of_fork, other + 14, 1), copy, vocab * sizeof *copy);
    ck_assert_mem_eq(sessions_take(sessions_join(), other, 15), copy, vocab * sizeof *copy);
    free(copy);
    sessions_close();
}
END_TEST

static fp_session *open_session(const fp_model *of)
{
    fp_session *s;
    ck_assert_int_eq(fp_session_open(of, &s, &err), ASSAY_OK);
    return s;
}

START_TEST(a_fork_continues_in_another_session)
{
    sessions_open(MODELS[_i]);
    fp_session *own = session, *other = open_session(model);
    size_t a = sessions_join(), forked;
    (void)sessions_take(a, sessions_text(0), 68);
    ck_assert_int_eq(fp_session_fork(own, a, other, &forked, &err), ASSAY_OK);
    session = other;
    ck_assert_int_eq(fp_session_rewind(other, forked, 10, &err), ASSAY_OK); /* over a crossing */
    sessions_compare(forked, 0, 10, 12);
    sessions_compare(forked, 0, 12, 70);
    session = own;
    sessions_compare(a, 0, 68, 69);
    ck_assert_int_eq(fp_session_rewind(own, a, 30, &err), ASSAY_OK);
    sessions_compare(a, 0, 30, 31);
    fp_session_free(own);
    session = other;
    sessions_compare(forked, 0, 70, LENGTH);
    sessions_close();
}
END_TEST

/* One of two threads: its own session, in it a fork of the sample that both go on from. */
typedef struct thread_part {
    fp_session *session;
    size_t slot;
    int32_t tokens[LENGTH];
    float *logits; /* [vocab] */
    bool failed;
} thread_part;

enum { N_SHARED = 66, N_ALL = 72 };

static void *go_on(void *context)
{
    thread_part *part = context;
    for (size_t t = N_SHARED; t < N_ALL; t++) {
        size_t forked = 0;
        assay_error own = {0};
        fp_step step = {
            .slot = part->slot, .tokens = part->tokens + t, .n_tokens = 1, .logits = part->logits};
        step.n_logits = 1;
        part->failed |= fp_session_fork(part->session, part->slot, part->session, &forked, &own) != ASSAY_OK;
        part->failed |= fp_session_step(part->session, &step, 1, NULL, &own) != ASSAY_OK;
        step.slot = forked;
        part->failed |= fp_session_step(part->session, &step, 1, NULL, &own) != ASSAY_OK;
        part->failed |= fp_session_leave(part->session, forked, &own) != ASSAY_OK;
    }
    return NULL;
}

START_TEST(forks_go_on_in_threads_of_their_own)
{
    sessions_open(MODELS[_i]);
    thread_part part[2] = {0};
    pthread_t thread[2];
    size_t origin = sessions_join();
    (void)sessions_take(origin, sessions_text(0), N_SHARED);
    for (size_t i = 0; i < 2; i++) {
        part[i].session = open_session(model);
        memcpy(part[i].tokens, sessions_text(0), sizeof part[i].tokens);
        part[i].tokens[N_SHARED] = (int32_t)i;
        part[i].logits = malloc(vocab * sizeof(float));
        ck_assert_ptr_nonnull(part[i].logits);
        ck_assert_int_eq(fp_session_fork(session, origin, part[i].session, &part[i].slot, &err), ASSAY_OK);
    }
    for (size_t i = 0; i < 2; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, go_on, &part[i]), 0);
    sessions_compare(origin, 0, N_SHARED, N_ALL); /* a third thread */
    for (size_t i = 0; i < 2; i++) ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
    for (size_t i = 0; i < 2; i++) {
        ck_assert(!part[i].failed);
        ck_assert_mem_eq(sessions_take(sessions_join(), part[i].tokens, N_ALL), part[i].logits,
                         vocab * sizeof(float));
        fp_session_free(part[i].session);
        free(part[i].logits);
    }
    sessions_close();
}
END_TEST

START_TEST(a_fork_into_a_session_of_another_model_is_refused)
{
    sessions_open("llama/base");
    fp_model *first = model;
    fp_session *own = session;
    sessions_open("qwen3/base");
    size_t slot = sessions_join(), forked = 77;
    (void)sessions_take(slot, sessions_text(0), 3);
    ck_assert_int_eq(fp_session_fork(session, slot, own, &forked, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "another model", "llama/base", "qwen3/base", NULL);
    ck_assert_uint_eq(forked, 77);
    sessions_compare(slot, 0, 3, 4);
    size_t fresh_slot;
    ck_assert_int_eq(fp_session_join(own, &fresh_slot, &err), ASSAY_OK);
    ck_assert_uint_eq(fresh_slot, 0); /* nothing was left there */
    fp_session_free(own);
    fp_model_free(first);
    sessions_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/session_fork");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, a_fork_diverges_from_its_origin, 0, N_MODELS);
    tcase_add_loop_test(t, a_fork_continues_in_another_session, 0, N_MODELS);
    tcase_add_loop_test(t, forks_go_on_in_threads_of_their_own, 0, N_MODELS);
    tcase_add_test(t, a_fork_into_a_session_of_another_model_is_refused);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
