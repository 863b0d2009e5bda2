/* SPDX-License-Identifier: Apache-2.0 */
#include "server/evaluate/scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/tests/support.h"
#include "server/evaluate/round.h"
#include "server/tests/asking.h"
#include "server/tests/toy.h"

#define N_MIXED 12

/* Questions of many lengths, greedy and drawn, streamed and whole. */
static char *mixed_question(unsigned i)
{
    static const size_t lengths[] = {1, 2, 700, 3, 1500, 40, 513, 5, 512, 1, 90, 1024};
    char members[160];
    (void)snprintf(members, sizeof members, ",\"max_tokens\":%u,\"temperature\":%s,\"seed\":%u,\"stream\":%s",
                   3 + 5 * i, i % 2 ? "0.8" : "0", i, i % 3 ? "true" : "false");
    return asking_question(lengths[i], i + 1, members);
}

/* Each of n requests has been timed to its first token and to its end. */
static void expect_timed(server_metrics *m, unsigned n)
{
    static const char *const times[] = {"assay_time_to_first_token_seconds", "assay_request_seconds"};
    buffer text = {0};
    char line[80];
    ck_assert(server_metrics_write(m, &text) && buffer_append(&text, "", 1));
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(line, sizeof line, "\n%s_count %u\n", times[i], n);
        ck_assert_msg(strstr(text.data, line), "found no %s", line + 1);
    }
    buffer_free(&text);
}

START_TEST(answers_do_not_depend_on_the_batch)
{
    asking a;
    asked alone[N_MIXED], together[N_MIXED];
    toy_reset(false);
    asking_open(&a, &toy_engine, &asking_usual);
    for (unsigned i = 0; i < N_MIXED; i++) {
        asking_ask(&a, mixed_question(i), &alone[i]);
        asking_wait(&alone[i]);
        ck_assert_int_eq(alone[i].status, 200);
    }
    ck_assert_uint_eq(toy_count().most_samples, 1);
    toy_hold();
    for (unsigned i = 0; i < N_MIXED; i++) asking_ask(&a, mixed_question(i), &together[i]);
    toy_run();
    for (unsigned i = 0; i < N_MIXED; i++) {
        asking_wait(&together[i]);
        asking_expect_same(&alone[i], &together[i]);
        asking_free(&alone[i]);
        asking_free(&together[i]);
    }
    ck_assert_uint_ge(toy_count().most_samples, 4);
    ck_assert_int_gt(server_metrics_get(a.metrics, SERVER_COUNT_BATCHED_STEPS), 0);
    expect_timed(a.metrics, 2 * N_MIXED);
    asking_close(&a);
}
END_TEST

START_TEST(a_long_prompt_is_divided_and_a_short_one_does_not_wait_for_it)
{
    asking a;
    asked lengthy, brief;
    toy_reset(false);
    asking_open(&a, &toy_engine, &asking_usual);
    toy_hold();
    asking_ask(&a, asking_question(50 * SERVER_CHUNK, 1, ",\"max_tokens\":1"), &lengthy);
    asking_ask(&a, asking_question(10, 2, ",\"max_tokens\":3"), &brief);
    ck_assert(toy_wait_held());
    toy_allow(8);
    asking_wait(&brief);
    ck_assert(!asking_take(&lengthy));
    ck_assert_uint_le(toy_count().n_steps, 8);
    toy_run();
    asking_wait(&lengthy);
    ck_assert_uint_le(toy_count().longest_step, SERVER_CHUNK);
    asking_free(&lengthy);
    asking_free(&brief);
    asking_close(&a);
}
END_TEST

START_TEST(an_abandoned_sample_leaves_within_a_step)
{
    asking a;
    asked gone, stays;
    toy_reset(false);
    asking_open(&a, &toy_engine, &asking_usual);
    toy_hold();
    asking_ask(&a, asking_question(1000, 1, ",\"max_tokens\":100,\"stream\":true"), &gone);
    asking_ask(&a, asking_question(20, 2, ",\"max_tokens\":100,\"stream\":true"), &stays);
    ck_assert(toy_wait_held());
    toy_allow(2);
    ck_assert(toy_wait_held());
    server_exchange_abandon(gone.exchange);
    toy_allow(1);
    ck_assert(toy_wait_held());
    ck_assert_uint_eq(toy_count().n_samples, 1);
    toy_run();
    asking_wait(&stays);
    ck_assert_int_eq(server_metrics_get(a.metrics, SERVER_COUNT_ABANDONED), 1);
    asking_free(&gone);
    asking_free(&stays);
    asking_close(&a);
}
END_TEST

START_TEST(a_job_that_waits_and_is_abandoned_is_never_evaluated)
{
    asking a;
    asked first, second;
    toy_reset(false);
    asking_open(&a, &toy_engine, &asking_one);
    toy_hold();
    asking_ask(&a, asking_question(3, 1, ",\"max_tokens\":2"), &first);
    asking_ask(&a, asking_question(100, 2, ",\"max_tokens\":2"), &second);
    ck_assert(toy_wait_held());
    server_exchange_abandon(second.exchange);
    toy_run();
    asking_wait(&first);
    WAIT_FOR(server_scheduler_is_idle(a.scheduler));
    ck_assert_uint_lt(toy_count().n_tokens, 100);
    asking_free(&first);
    asking_free(&second);
    asking_close(&a);
}
END_TEST

START_TEST(a_full_queue_refuses)
{
    asking a;
    asked q[5];
    toy_reset(false);
    asking_open(&a, &toy_engine, &asking_one);
    toy_hold();
    asking_ask(&a, asking_question(3, 1, ",\"max_tokens\":2"), &q[0]);
    ck_assert(toy_wait_held());
    for (unsigned i = 1; i < 5; i++) asking_ask(&a, asking_question(3, i, ",\"max_tokens\":2"), &q[i]);
    ck_assert_int_eq(q[2].submitted, SERVER_SUBMITTED);
    ck_assert_int_eq(q[3].submitted, SERVER_QUEUE_IS_FULL);
    ck_assert_int_eq(q[4].submitted, SERVER_QUEUE_IS_FULL);
    ck_assert(server_scheduler_is_full(a.scheduler));
    toy_run();
    for (unsigned i = 0; i < 3; i++) asking_wait(&q[i]);
    ck_assert(!server_scheduler_is_full(a.scheduler));
    ck_assert_uint_eq(toy_count().most_samples, 1);
    for (unsigned i = 0; i < 5; i++) asking_free(&q[i]);
    asking_close(&a);
}
END_TEST

START_TEST(a_sample_that_the_engine_fails_does_not_fail_others)
{
    asking a;
    asked alone, bad, good;
    char *question = asking_question(30, 1, ",\"max_tokens\":5");
    toy_reset(false);
    asking_open(&a, &toy_engine, &asking_usual);
    asking_ask(&a, asking_question(20, 2, ",\"max_tokens\":20"), &alone);
    asking_wait(&alone);
    toy_hold();
    memcpy(strchr(question, '[') + 1, "13,", 3); /* the first token becomes TOY_FAILS */
    char *rest = strchr(question, '[') + 4;
    while (*rest != ',') *rest++ = ' ';
    *rest = ' ';
    asking_ask(&a, question, &bad);
    asking_ask(&a, asking_question(20, 2, ",\"max_tokens\":20"), &good);
    toy_run();
    asking_wait(&bad);
    asking_wait(&good);
    ck_assert_int_eq(bad.status, 500);
    ck_assert_ptr_nonnull(memmem(bad.body.data, bad.body.n, "toy: found token 13", 19));
    asking_expect_same(&alone, &good);
    asking_free(&alone);
    asking_free(&bad);
    asking_free(&good);
    asking_close(&a);
}
END_TEST

START_TEST(a_failure_within_a_stream_is_its_last_event)
{
    asking a;
    asked q, next;
    toy_reset(false);
    asking_open(&a, &toy_engine, &asking_usual);
    toy_hold();
    asking_ask(&a, asking_question(24, 2, ",\"max_tokens\":20,\"stream\":true"), &q);
    ck_assert(toy_wait_held());
    toy_allow(8);
    ck_assert(toy_wait_held());
    toy_break();
    toy_run();
    asking_wait(&q);
    ck_assert_int_eq(q.status, 200);
    ck_assert_ptr_nonnull(memmem(q.body.data, q.body.n, "toy: it is broken", 17));
    WAIT_FOR(toy_count().n_samples == 0);
    toy_reset(false);
    asking_ask(&a, asking_question(20, 2, ",\"max_tokens\":20"), &next);
    asking_wait(&next);
    ck_assert_int_eq(next.status, 200);
    asking_free(&q);
    asking_free(&next);
    asking_close(&a);
}
END_TEST

/* A stream that would go on for a million tokens. */
static char *endless_question(void)
{
    return asking_question(1, 1, ",\"max_tokens\":1000000,\"stream\":true,\"ignore_eos\":true");
}

START_TEST(a_sample_rests_while_its_client_is_slow)
{
    asking a;
    asked slow, other;
    toy_reset(false);
    asking_open(&a, &toy_engine, &asking_usual);
    asking_ask(&a, endless_question(), &slow);
    WAIT_FOR(server_exchange_waiting(slow.exchange) >= SERVER_EXCHANGE_WAITING_MAX);
    asking_ask(&a, asking_question(5, 2, ",\"max_tokens\":5"), &other);
    asking_wait(&other);
    const size_t waiting = server_exchange_waiting(slow.exchange);
    ck_assert_uint_lt(waiting, SERVER_EXCHANGE_WAITING_MAX + 4096);
    bool ended;
    char taken[65536];
    ck_assert_uint_eq(server_exchange_take(slow.exchange, taken, sizeof taken, &ended), sizeof taken);
    WAIT_FOR(server_exchange_waiting(slow.exchange) >= SERVER_EXCHANGE_WAITING_MAX); /* it goes on */
    asking_free(&slow);
    asking_free(&other);
    asking_close(&a);
}
END_TEST

START_TEST(a_client_that_takes_nothing_counts_as_gone)
{
    asking a;
    asked slow;
    server_scheduler_options options = asking_usual;
    options.stall_seconds = 0.2;
    toy_reset(false);
    asking_open(&a, &toy_engine, &options);
    asking_ask(&a, endless_question(), &slow);
    WAIT_FOR(server_exchange_is_abandoned(slow.exchange));
    WAIT_FOR(toy_count().n_samples == 0);
    asking_free(&slow);
    asking_close(&a);
}
END_TEST

START_TEST(after_stop_nothing_is_accepted_and_the_rest_is_finished)
{
    asking a;
    asked running, late;
    toy_reset(false);
    asking_open(&a, &toy_engine, &asking_usual);
    toy_hold();
    asking_ask(&a, asking_question(5, 2, ",\"max_tokens\":5"), &running);
    server_scheduler_stop(a.scheduler);
    asking_ask(&a, asking_question(5, 2, ",\"max_tokens\":5"), &late);
    ck_assert_int_eq(late.submitted, SERVER_IS_STOPPING);
    ck_assert(!server_scheduler_is_idle(a.scheduler));
    toy_run();
    asking_wait(&running);
    ck_assert_int_eq(running.status, 200);
    asking_free(&running);
    asking_free(&late);
    asking_close(&a);
}
END_TEST

START_TEST(jobs_that_are_in_progress_at_the_end_are_told)
{
    asking a;
    asked running, waiting;
    toy_reset(false);
    asking_open(&a, &toy_engine, &asking_one);
    asking_ask(&a, asking_question(5, 2, ",\"max_tokens\":1000000,\"ignore_eos\":true"), &running);
    asking_ask(&a, asking_question(5, 2, ",\"max_tokens\":5"), &waiting);
    WAIT_FOR(toy_count().n_steps > 3);
    asking_close(&a);
    ck_assert(asking_take(&running));
    ck_assert(asking_take(&waiting));
    ck_assert_int_eq(running.status, 503);
    ck_assert_int_eq(waiting.status, 503);
    asking_free(&running);
    asking_free(&waiting);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("server/scheduler");
    TCase *t = tcase_create("scheduler");
    tcase_set_timeout(t, 60); /* of a machine that does other things, under a sanitizer */
    tcase_add_test(t, answers_do_not_depend_on_the_batch);
    tcase_add_test(t, a_long_prompt_is_divided_and_a_short_one_does_not_wait_for_it);
    tcase_add_test(t, an_abandoned_sample_leaves_within_a_step);
    tcase_add_test(t, a_job_that_waits_and_is_abandoned_is_never_evaluated);
    tcase_add_test(t, a_full_queue_refuses);
    tcase_add_test(t, a_sample_that_the_engine_fails_does_not_fail_others);
    tcase_add_test(t, a_failure_within_a_stream_is_its_last_event);
    tcase_add_test(t, a_sample_rests_while_its_client_is_slow);
    tcase_add_test(t, a_client_that_takes_nothing_counts_as_gone);
    tcase_add_test(t, after_stop_nothing_is_accepted_and_the_rest_is_finished);
    tcase_add_test(t, jobs_that_are_in_progress_at_the_end_are_told);
    suite_add_tcase(s, t);
    return support_run(s);
}
