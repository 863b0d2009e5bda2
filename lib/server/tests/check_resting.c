/* SPDX-License-Identifier: Apache-2.0 */
#include "server/evaluate/scheduler.h"

#include <stdlib.h>

#include "base/tests/support.h"
#include "server/tests/asking.h"
#include "server/tests/toy.h"

/* A stream of some megabytes. */
static char *large_question(const char *members)
{
    char all[160];
    (void)snprintf(all, sizeof all,
                   ",\"max_tokens\":600,\"logprobs\":-1,\"seed\":3,\"stream\":true,\"ignore_eos\":true%s",
                   members);
    return asking_question(700, 1, all);
}

static const server_scheduler_options two_at_once = {.n_running = 2, .n_queued = 8, .stall_seconds = 30};

/* Submits it, and waits until its client is slow. */
static void ask_slowly(asking *a, const char *members, asked *slow)
{
    asking_ask(a, large_question(members), slow);
    WAIT_FOR(server_exchange_waiting(slow->exchange) >= SERVER_EXCHANGE_WAITING_MAX);
}

/* The answer to a slow client of which others have taken the sample is that of a quick one. */
static void compare_slow(const assay_engine *engine, bool refuses_division, const char *members)
{
    asking a;
    asked quick, slow, other[2];
    toy_reset(refuses_division);
    asking_open(&a, engine, &two_at_once);
    asking_ask(&a, large_question(members), &quick);
    asking_wait(&quick);
    ck_assert_uint_gt(quick.body.n, 2 * SERVER_EXCHANGE_WAITING_MAX);
    ask_slowly(&a, members, &slow);
    for (unsigned i = 0; i < 2; i++)
        asking_ask(&a, asking_question(600, i + 5, ",\"max_tokens\":40"), &other[i]);
    for (size_t i = 0; i < 2; i++) asking_wait(&other[i]);
    ck_assert_uint_ge(server_exchange_waiting(slow.exchange), SERVER_EXCHANGE_WAITING_MAX);
    asking_wait(&slow);
    asking_expect_same(&slow, &quick);
    ck_assert_uint_le(toy_count().most_samples, 4); /* two that run, and copies of their prompts */
    for (size_t i = 0; i < 2; i++) asking_free(&other[i]);
    asking_free(&slow);
    asking_free(&quick);
    asking_close(&a);
}

START_TEST(a_slow_client_gives_its_sample_to_others_and_its_answer_keeps_its_bits)
{
    compare_slow(&toy_engine, false, "");
    compare_slow(&toy_engine_without_fork, false, "");
    compare_slow(&toy_engine_alone, false, "");
}
END_TEST

START_TEST(so_it_is_with_an_engine_that_refuses_to_divide_a_prompt)
{
    compare_slow(&toy_engine, true, "");
}
END_TEST

START_TEST(so_it_is_with_logprobs_of_the_prompt)
{
    compare_slow(&toy_engine, false, ",\"prompt_logprobs\":2");
}
END_TEST

START_TEST(a_request_with_choices_whose_client_is_slow_stops_nobody)
{
    asking a;
    asked slow, other;
    toy_reset(false);
    asking_open(&a, &toy_engine, &asking_one);
    ask_slowly(&a, ",\"n\":3", &slow);
    asking_ask(&a, asking_question(5, 2, ",\"max_tokens\":5"), &other);
    asking_wait(&other);
    ck_assert_int_eq(other.status, 200);
    asking_wait(&slow);
    ck_assert_int_eq(slow.status, 200);
    ck_assert_ptr_nonnull(memmem(slow.body.data, slow.body.n, "\"index\":2", 9));
    asking_free(&slow);
    asking_free(&other);
    asking_close(&a);
}
END_TEST

START_TEST(of_more_slow_clients_than_samples_the_one_that_rests_longest_is_given_up)
{
    asking a;
    asked slow[2], other;
    toy_reset(false);
    asking_open(&a, &toy_engine, &asking_one);
    for (size_t i = 0; i < 2; i++) ask_slowly(&a, "", &slow[i]);
    asking_ask(&a, asking_question(5, 2, ",\"max_tokens\":5"), &other);
    asking_wait(&other);
    ck_assert(server_exchange_is_abandoned(slow[0].exchange));
    ck_assert(!server_exchange_is_abandoned(slow[1].exchange));
    ck_assert_int_eq(other.status, 200);
    for (size_t i = 0; i < 2; i++) asking_free(&slow[i]);
    asking_free(&other);
    asking_close(&a);
}
END_TEST

START_TEST(one_that_rests_may_vanish_and_the_server_may_end)
{
    asking a;
    asked slow[3];
    toy_reset(false);
    asking_open(&a, &toy_engine, &two_at_once);
    for (size_t i = 0; i < 3; i++) ask_slowly(&a, "", &slow[i]);
    server_exchange_abandon(slow[0].exchange); /* it rests */
    WAIT_FOR(server_metrics_get(a.metrics, SERVER_COUNT_ABANDONED) == 1);
    asking_close(&a);
    for (size_t i = 0; i < 3; i++) asking_free(&slow[i]);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("server/resting");
    TCase *t = tcase_create("resting");
    tcase_set_timeout(t, 240);
    tcase_add_test(t, a_slow_client_gives_its_sample_to_others_and_its_answer_keeps_its_bits);
    tcase_add_test(t, so_it_is_with_an_engine_that_refuses_to_divide_a_prompt);
    tcase_add_test(t, so_it_is_with_logprobs_of_the_prompt);
    tcase_add_test(t, a_request_with_choices_whose_client_is_slow_stops_nobody);
    tcase_add_test(t, of_more_slow_clients_than_samples_the_one_that_rests_longest_is_given_up);
    tcase_add_test(t, one_that_rests_may_vanish_and_the_server_may_end);
    suite_add_tcase(s, t);
    return support_run(s);
}
