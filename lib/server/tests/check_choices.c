/* Several choices of a prompt, and prompts that are divided.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/evaluate/task.h"

#include <stdio.h>
#include <string.h>

#include "base/tests/support.h"
#include "server/evaluate/round.h"
#include "server/tests/asking.h"
#include "server/tests/toy.h"

/* Asks for four choices of a prompt of 100 tokens. */
static void ask_for_choices(const assay_engine *engine, asked *q, toy_counts *counts)
{
    asking a;
    toy_reset(false);
    asking_open(&a, engine, &asking_usual);
    asking_ask(&a, asking_question(100, 7, ",\"max_tokens\":9,\"n\":4,\"temperature\":1,\"seed\":3"), q);
    asking_wait(q);
    ck_assert_int_eq(q->status, 200);
    *counts = toy_count();
    asking_close(&a);
}

START_TEST(choices_are_copied_from_one_prefill_where_the_engine_can)
{
    asked copied, evaluated, alone;
    toy_counts counts;
    ask_for_choices(&toy_engine, &copied, &counts);
    ck_assert_uint_ge(counts.n_forked, 3);
    ck_assert_uint_le(counts.n_tokens, 100 + 4 * 8);
    ask_for_choices(&toy_engine_without_fork, &evaluated, &counts);
    ck_assert_uint_ge(counts.n_tokens, 400);
    ask_for_choices(&toy_engine_alone, &alone, &counts);
    ck_assert_uint_eq(counts.most_samples, 1);
    asking_expect_same(&copied, &evaluated);
    asking_expect_same(&copied, &alone);
    asking_free(&copied);
    asking_free(&evaluated);
    asking_free(&alone);
}
END_TEST

/* The first text in an answer, as JSON writes it: [*n]. */
static const char *first_text(const asked *q, size_t *n)
{
    static const char name[] = "\"text\":";
    const char *at = memmem(q->body.data, q->body.n, name, sizeof name - 1);
    ck_assert_ptr_nonnull(at);
    at += sizeof name - 1;
    const char *end = memmem(at, q->body.n - (size_t)(at - q->body.data), "\",\"", 3);
    ck_assert_ptr_nonnull(end);
    *n = (size_t)(end - at);
    return at;
}

START_TEST(choice_i_has_the_seed_plus_i)
{
    asking a;
    asked four, one;
    toy_counts counts;
    ask_for_choices(&toy_engine, &four, &counts);
    asking_open(&a, &toy_engine, &asking_usual);
    for (unsigned i = 0; i < 4; i++) {
        char members[80];
        size_t n;
        (void)snprintf(members, sizeof members, ",\"max_tokens\":9,\"temperature\":1,\"seed\":%u", 3 + i);
        asking_ask(&a, asking_question(100, 7, members), &one);
        asking_wait(&one);
        const char *text = first_text(&one, &n);
        ck_assert_ptr_nonnull(memmem(four.body.data, four.body.n, text, n));
        asking_free(&one);
    }
    asking_free(&four);
    asking_close(&a);
}
END_TEST

START_TEST(more_choices_than_run_at_once_are_all_answered)
{
    asking a;
    asked q, whole;
    toy_counts counts;
    toy_reset(false);
    ask_for_choices(&toy_engine, &whole, &counts);
    asking_open(&a, &toy_engine, &asking_one);
    asking_ask(&a, asking_question(100, 7, ",\"max_tokens\":9,\"n\":4,\"temperature\":1,\"seed\":3"), &q);
    asking_wait(&q);
    asking_expect_same(&whole, &q);
    asking_free(&q);
    asking_free(&whole);
    asking_close(&a);
}
END_TEST

START_TEST(an_engine_that_refuses_to_divide_a_prompt_gets_it_whole)
{
    asking a;
    asked divided, whole;
    asking_open(&a, &toy_engine, &asking_usual);
    toy_reset(false);
    asking_ask(&a, asking_question(1300, 7, ",\"max_tokens\":9"), &divided);
    asking_wait(&divided);
    toy_reset(true);
    asking_ask(&a, asking_question(1300, 7, ",\"max_tokens\":9"), &whole);
    asking_wait(&whole);
    ck_assert_uint_eq(toy_count().longest_step, 1300);
    asking_expect_same(&divided, &whole);
    asking_free(&divided);
    asking_free(&whole);
    asking_close(&a);
}
END_TEST

START_TEST(logprobs_of_a_prompt_do_not_depend_on_its_division)
{
    static const char members[] = ",\"max_tokens\":2,\"echo\":true,\"logprobs\":3,\"n\":2,\"temperature\":0";
    asking a;
    asked divided, whole, without_fork;
    toy_reset(false);
    asking_open(&a, &toy_engine, &asking_usual);
    asking_ask(&a, asking_question(1300, 7, members), &divided);
    asking_wait(&divided);
    ck_assert_uint_le(toy_count().longest_step, SERVER_CHUNK);
    ck_assert_int_eq(divided.status, 200);
    ck_assert_ptr_nonnull(memmem(divided.body.data, divided.body.n, "token_logprobs", 14));
    toy_reset(true);
    asking_ask(&a, asking_question(1300, 7, members), &whole);
    asking_wait(&whole);
    ck_assert_uint_eq(toy_count().longest_step, 1300);
    asking_expect_same(&divided, &whole);
    asking_close(&a);
    asking_open(&a, &toy_engine_without_fork, &asking_usual);
    asking_ask(&a, asking_question(1300, 7, members), &without_fork);
    asking_wait(&without_fork);
    asking_expect_same(&divided, &without_fork);
    asking_free(&divided);
    asking_free(&whole);
    asking_free(&without_fork);
    asking_close(&a);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("server/choices");
    TCase *t = tcase_create("choices");
    tcase_set_timeout(t, 60); /* of a machine that does other things, under a sanitizer */
    tcase_add_test(t, choices_are_copied_from_one_prefill_where_the_engine_can);
    tcase_add_test(t, choice_i_has_the_seed_plus_i);
    tcase_add_test(t, more_choices_than_run_at_once_are_all_answered);
    tcase_add_test(t, an_engine_that_refuses_to_divide_a_prompt_gets_it_whole);
    tcase_add_test(t, logprobs_of_a_prompt_do_not_depend_on_its_division);
    suite_add_tcase(s, t);
    return support_run(s);
}
