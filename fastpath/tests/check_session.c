/* Samples that join, rest, are rewound and leave: all logits stay bit-identical.
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

START_TEST(steps_of_any_size_give_the_result_of_one_step)
{
    static const size_t SIZES[] = {1, 7, 64};
    sessions_open(MODELS[_i]);
    for (size_t k = 0; k < 3; k++) {
        size_t slot = sessions_join();
        for (size_t at = 0; at < LENGTH;) {
            size_t n = LENGTH - at < SIZES[k] ? LENGTH - at : SIZES[k];
            sessions_compare(slot, 0, at, at + n);
            at += n;
        }
        ck_assert_uint_eq(fp_session_length(session, slot), LENGTH);
        ck_assert_int_eq(fp_session_leave(session, slot, &err), ASSAY_OK);
    }
    sessions_close();
}
END_TEST

START_TEST(samples_join_rest_and_leave_while_others_continue)
{
    sessions_open(MODELS[_i]);
    float *logits = malloc(3 * vocab * sizeof *logits);
    ck_assert_ptr_nonnull(logits);
    size_t a = sessions_join(), b = sessions_join();
    fp_step steps[] = {
        {.slot = a, .tokens = sessions_text(0), .n_tokens = 20, .logits = logits, .n_logits = 1},
        {.slot = b, .tokens = sessions_text(1), .n_tokens = 5, .logits = logits + vocab, .n_logits = 1},
        {0}};
    ck_assert_int_eq(fp_session_step(session, steps, 2, NULL, &err), ASSAY_OK);
    sessions_expect_fresh(logits, 0, 20);
    sessions_expect_fresh(logits + vocab, 1, 5);
    size_t c = sessions_join();
    steps[1] = (fp_step){
        .slot = c, .tokens = sessions_text(2), .n_tokens = 30, .logits = logits + vocab, .n_logits = 1};
    steps[0] =
        (fp_step){.slot = a, .tokens = sessions_text(0) + 20, .n_tokens = 1, .logits = logits, .n_logits = 1};
    ck_assert_int_eq(fp_session_step(session, steps, 2, NULL, &err), ASSAY_OK); /* b rests */
    sessions_expect_fresh(logits, 0, 21);
    sessions_expect_fresh(logits + vocab, 2, 30);
    ck_assert_int_eq(fp_session_leave(session, a, &err), ASSAY_OK);
    ck_assert_uint_eq(sessions_join(), a); /* the slot is given again, with nothing in it */
    steps[0] =
        (fp_step){.slot = a, .tokens = sessions_text(3), .n_tokens = 3, .logits = logits, .n_logits = 1};
    steps[1] = (fp_step){
        .slot = b, .tokens = sessions_text(1) + 5, .n_tokens = 2, .logits = logits + vocab, .n_logits = 1};
    steps[2] = (fp_step){.slot = c,
                         .tokens = sessions_text(2) + 30,
                         .n_tokens = 1,
                         .logits = logits + 2 * vocab,
                         .n_logits = 1};
    ck_assert_int_eq(fp_session_step(session, steps, 3, NULL, &err), ASSAY_OK);
    sessions_expect_fresh(logits, 3, 3);
    sessions_expect_fresh(logits + vocab, 1, 7);
    sessions_expect_fresh(logits + 2 * vocab, 2, 31);
    free(logits);
    sessions_close();
}
END_TEST

START_TEST(a_rewound_sample_continues_like_one_that_was_never_longer)
{
    sessions_open(MODELS[_i]);
    size_t slot = sessions_join();
    (void)sessions_take(slot, sessions_text(1), LENGTH);
    for (size_t kept = LENGTH - 1; kept > 0; kept /= 2) { /* beyond windows and crossings, too */
        ck_assert_int_eq(fp_session_rewind(session, slot, kept, &err), ASSAY_OK);
        sessions_compare(slot, 1, kept, kept + 1);
    }
    ck_assert_int_eq(fp_session_rewind(session, slot, 0, &err), ASSAY_OK);
    sessions_compare(slot, 2, 0, 20);
    sessions_close();
}
END_TEST

START_TEST(only_the_last_rows_have_logits)
{
    sessions_open("qwen3/window");
    float *all = malloc(30 * vocab * sizeof *all), *some = malloc(11 * vocab * sizeof *some);
    ck_assert(all && some);
    fp_session_chunk(session, 4);
    fp_step step = {
        .slot = sessions_join(), .tokens = sessions_text(0), .n_tokens = 30, .logits = all, .n_logits = 30};
    ck_assert_int_eq(fp_session_step(session, &step, 1, NULL, &err), ASSAY_OK);
    step = (fp_step){
        .slot = sessions_join(), .tokens = sessions_text(0), .n_tokens = 30, .logits = some, .n_logits = 11};
    ck_assert_int_eq(fp_session_step(session, &step, 1, NULL, &err), ASSAY_OK);
    ck_assert_mem_eq(some, all + 19 * vocab, 11 * vocab * sizeof *some);
    step = (fp_step){.slot = sessions_join(), .tokens = sessions_text(0), .n_tokens = 30};
    ck_assert_int_eq(fp_session_step(session, &step, 1, NULL, &err), ASSAY_OK);
    sessions_compare(step.slot, 0, 30, 31);
    free(all);
    free(some);
    sessions_close();
}
END_TEST

/* Rewinds into the sink tokens, into positions that are still cached, and to a position from which the
 * sample is evaluated again; a fork continues. */
START_TEST(with_a_limit_a_rewound_or_forked_sample_continues_like_a_new_one)
{
    static const size_t BACK[] = {74, 73, 60, 20, 12, 11, 4, 3, 1, 0};
    sessions_open(MODELS[_i]);
    ck_assert_int_eq(fp_session_limit(session, 11, 4, &err), ASSAY_OK);
    size_t slot = sessions_join(), forked;
    sessions_compare(slot, 0, 0, LENGTH - 1);
    for (size_t i = 0; i < sizeof BACK / sizeof *BACK; i++) {
        ck_assert_int_eq(fp_session_rewind(session, slot, BACK[i], &err), ASSAY_OK);
        ck_assert_int_eq(fp_session_fork(session, slot, session, &forked, &err), ASSAY_OK);
        sessions_compare(slot, 0, BACK[i], LENGTH);
        sessions_compare(forked, 0, BACK[i], BACK[i] + 1);
        ck_assert_int_eq(fp_session_leave(session, forked, &err), ASSAY_OK);
    }
    sessions_close();
}
END_TEST

START_TEST(a_sample_may_be_longer_than_the_config_states)
{
    sessions_open("phi3/partial-old");
    ck_assert_uint_lt(model->plan->max_positions, LENGTH);
    size_t slot = sessions_join();
    sessions_compare(slot, 0, 0, model->plan->max_positions);
    sessions_compare(slot, 0, model->plan->max_positions, LENGTH);
    sessions_close();
}
END_TEST

START_TEST(a_refused_step_changes_no_sample)
{
    sessions_open("gemma4/shared-kv");
    size_t a = sessions_join(), b = sessions_join();
    const int32_t bad[] = {1, 2, 100000}, negative[] = {-1};
    (void)sessions_take(a, sessions_text(0), 9);
    (void)sessions_take(b, sessions_text(1), 9);
    const fp_step refused[][2] = {
        {{.slot = a, .tokens = sessions_text(0) + 9, .n_tokens = 1},
         {.slot = b, .tokens = bad, .n_tokens = 3}},
        {{.slot = a, .tokens = sessions_text(0) + 9, .n_tokens = 1},
         {.slot = b, .tokens = negative, .n_tokens = 1}},
        {{.slot = a, .tokens = sessions_text(0) + 9, .n_tokens = 1},
         {.slot = b, .tokens = bad, .n_tokens = 0}},
        {{.slot = a, .tokens = sessions_text(0) + 9, .n_tokens = 1},
         {.slot = b, .tokens = bad, .n_tokens = (size_t)INT32_MAX - 8}},
        {{.slot = a, .tokens = sessions_text(0) + 9, .n_tokens = 1},
         {.slot = b, .tokens = bad, .n_tokens = SIZE_MAX}},
        {{.slot = a, .tokens = sessions_text(0) + 9, .n_tokens = 1},
         {.slot = a, .tokens = bad, .n_tokens = 1}},
        {{.slot = a, .tokens = sessions_text(0) + 9, .n_tokens = 1},
         {.slot = 77, .tokens = bad, .n_tokens = 1}},
    };
    static const char *const SAYS[] = {"token 100000",
                                       "token -1",
                                       "0 tokens",
                                       "2147483639 tokens, expected 1 to 2147483638",
                                       "tokens, expected 1 to 2147483638",
                                       "twice",
                                       "no sample"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ck_assert_int_eq(fp_session_step(session, refused[i], 2, NULL, &err), ASSAY_EINVAL);
        support_expect_error(&err, ASSAY_EINVAL, SAYS[i], NULL);
        ck_assert_uint_eq(fp_session_length(session, a), 9);
        ck_assert_uint_eq(fp_session_length(session, b), 9);
    }
    sessions_compare(a, 0, 9, 10);
    sessions_compare(b, 1, 9, 10);
    sessions_close();
}
END_TEST

START_TEST(an_unused_slot_is_refused)
{
    sessions_open("qwen3/base");
    size_t forked;
    ck_assert_int_eq(fp_session_leave(session, 0, &err), ASSAY_EINVAL);
    ck_assert_int_eq(fp_session_fork(session, 0, session, &forked, &err), ASSAY_EINVAL);
    ck_assert_int_eq(fp_session_rewind(session, 0, 0, &err), ASSAY_EINVAL);
    size_t slot = sessions_join();
    ck_assert_int_eq(fp_session_rewind(session, slot, 1, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "found length 1, expected at most 0", NULL);
    ck_assert_int_eq(fp_session_leave(session, slot, &err), ASSAY_OK);
    ck_assert_int_eq(fp_session_leave(session, slot, &err), ASSAY_EINVAL);
    ck_assert_uint_eq(fp_session_length(session, slot), 0);
    sessions_close();
}
END_TEST

/* Rows that go through pages together, against one after the other. */
START_TEST(pages_are_float_or_bfloat16_and_batch_invariant)
{
    static const assay_dtype TYPES[] = {ASSAY_F32, ASSAY_BF16, ASSAY_I8};
    compute = TYPES[_i];
    sessions_open("qwen3/window");
    ck_assert(model->caches[0].narrow == (compute == ASSAY_F32 ? NULL : model->kernels.narrow_bf16));
    float *expected = sessions_fresh(0, LENGTH);
    size_t slot = sessions_join();
    for (size_t t = 0; t + 1 < LENGTH; t++) (void)sessions_take(slot, sessions_text(0) + t, 1);
    ck_assert_mem_eq(sessions_take(slot, sessions_text(0) + LENGTH - 1, 1), expected,
                     vocab * sizeof *expected);
    free(expected);
    sessions_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/session");
    TCase *tc = tcase_create("session");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, steps_of_any_size_give_the_result_of_one_step, 0, N_MODELS);
    tcase_add_loop_test(tc, with_a_limit_a_rewound_or_forked_sample_continues_like_a_new_one, 0, N_MODELS);
    tcase_add_loop_test(tc, samples_join_rest_and_leave_while_others_continue, 0, N_MODELS);
    tcase_add_loop_test(tc, a_rewound_sample_continues_like_one_that_was_never_longer, 0, N_MODELS);
    tcase_add_test(tc, only_the_last_rows_have_logits);
    tcase_add_test(tc, a_sample_may_be_longer_than_the_config_states);
    tcase_add_test(tc, a_refused_step_changes_no_sample);
    tcase_add_test(tc, an_unused_slot_is_refused);
    tcase_add_loop_test(tc, pages_are_float_or_bfloat16_and_batch_invariant, 0, 3);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
