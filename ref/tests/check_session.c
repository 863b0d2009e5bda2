/* Samples of sessions of both reference engines: join, leave, rewind and fork.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "ref/tests/engines.h"

#include <stdlib.h>

enum { MANY = 200 };

START_TEST(a_sample_that_joins_begins_without_tokens)
{
    engines_open(_i);
    size_t joined = 77;
    ck_assert_int_eq(engines_step(session, 0, TEXT, 3, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 1, OTHER, 3, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engine->join(session, &joined, &err), ASSAY_OK);
    ck_assert_uint_eq(joined, N_SAMPLES);
    engines_expect_tokens(session, joined, NULL, 0);
    ck_assert_int_eq(engine->leave(session, 0, &err), ASSAY_OK);
    ck_assert_int_eq(engine->join(session, &joined, &err), ASSAY_OK);
    ck_assert_uint_eq(joined, 0);
    engines_expect_tokens(session, 0, NULL, 0);
    engines_expect_tokens(session, 1, OTHER, 3);
    engines_close();
}
END_TEST

START_TEST(many_samples_join_and_go_on_independently)
{
    engines_open(_i);
    for (size_t i = N_SAMPLES; i < MANY; i++) {
        size_t joined;
        ck_assert_int_eq(engine->join(session, &joined, &err), ASSAY_OK);
        ck_assert_uint_eq(joined, i);
        ck_assert_int_eq(engines_step(session, i, i % 2 ? TEXT : OTHER, 1 + i % 6, 0, NULL), ASSAY_OK);
    }
    for (size_t i = N_SAMPLES; i < MANY; i += 61)
        engines_expect_tokens(session, i, i % 2 ? TEXT : OTHER, 1 + i % 6);
    engines_close();
}
END_TEST

START_TEST(a_sample_that_has_left_is_unknown)
{
    engines_open(_i);
    size_t forked = 77;
    ck_assert_int_eq(engine->leave(session, 1, &err), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 1, TEXT, 1, 0, NULL), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "step: the session has no sample 1", NULL);
    ck_assert_int_eq(engine->leave(session, 1, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "leave: the session has no sample 1", NULL);
    ck_assert_int_eq(engine->rewind(session, 1, 0, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "rewind: the session has no sample 1", NULL);
    ck_assert_int_eq(engine->fork(session, 1, session, &forked, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "fork: the session has no sample 1", NULL);
    ck_assert_uint_eq(forked, 77);
    engines_close();
}
END_TEST

START_TEST(a_rewound_sample_gives_the_same_bits_again)
{
    engines_open(_i);
    const size_t row = engines_row_bytes();
    ck_assert_int_eq(engines_step(session, 0, TEXT, 3, 0, NULL), ASSAY_OK);
    char *once = engines_last(session, 0, TEXT + 3, 3);
    ck_assert_int_eq(engine->rewind(session, 0, 3, &err), ASSAY_OK);
    engines_expect_tokens(session, 0, TEXT, 3);
    char *again = engines_last(session, 0, TEXT + 3, 3);
    ck_assert_mem_eq(again, once, row);
    ck_assert_int_eq(engine->rewind(session, 0, 7, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "rewind: sample 0: found n_tokens 7, expected at most 6", NULL);
    ck_assert_int_eq(engine->rewind(session, 0, 6, &err), ASSAY_OK);
    engines_expect_tokens(session, 0, TEXT, 6);
    ck_assert_int_eq(engine->rewind(session, 0, 0, &err), ASSAY_OK);
    engines_expect_tokens(session, 0, NULL, 0);
    free(once);
    free(again);
    engines_close();
}
END_TEST

/* Forks sample 0 of the session, with three tokens, and expects that neither sample changes the other. */
static void fork_into(assay_session *into)
{
    size_t forked = 77;
    ck_assert_int_eq(engine->rewind(session, 0, 0, &err), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 0, TEXT, 3, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engine->fork(session, 0, into, &forked, &err), ASSAY_OK);
    engines_expect_tokens(into, forked, TEXT, 3);
    ck_assert_int_eq(engines_step(session, 0, OTHER, 2, 0, NULL), ASSAY_OK);
    engines_expect_tokens(into, forked, TEXT, 3);
    ck_assert_int_eq(engines_step(into, forked, TEXT + 3, 2, 0, NULL), ASSAY_OK);
    const int32_t joint[] = {TEXT[0], TEXT[1], TEXT[2], OTHER[0], OTHER[1]};
    engines_expect_tokens(session, 0, joint, 5);
    ck_assert_int_eq(engine->leave(session, 0, &err), ASSAY_OK);
    engines_expect_tokens(into, forked, TEXT, 5);
    ck_assert_int_eq(engine->join(session, &forked, &err), ASSAY_OK);
    ck_assert_uint_eq(forked, 0);
}

START_TEST(a_fork_and_its_origin_go_on_independently)
{
    engines_open(_i);
    assay_session *other;
    fork_into(session);
    ck_assert_int_eq(engine->session_open(model, NULL, &other, &err), ASSAY_OK);
    fork_into(other);
    engine->session_free(other);
    engines_close();
}
END_TEST

START_TEST(a_fork_outlives_the_session_of_its_origin)
{
    engines_open(_i);
    assay_session *other;
    size_t forked;
    ck_assert_int_eq(engine->session_open(model, NULL, &other, &err), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 0, TEXT, 4, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engine->fork(session, 0, other, &forked, &err), ASSAY_OK);
    engine->session_free(session);
    session = other;
    engines_expect_tokens(other, forked, TEXT, 4);
    engines_close();
}
END_TEST

START_TEST(a_fork_into_other_limits_or_another_model_is_refused)
{
    engines_open(_i);
    assay_session *first = session, *limited;
    assay_model *first_model = model;
    size_t forked = 77;
    const assay_session_options options = {.size = sizeof options, .limit = 4};
    ck_assert_int_eq(engine->session_open(model, &options, &limited, &err), ASSAY_OK);
    ck_assert_int_eq(engine->fork(session, 0, limited, &forked, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "different limits", NULL);
    engine->session_free(limited);
    engines_open(_i);
    ck_assert_int_eq(engine->fork(first, 0, session, &forked, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "different models", NULL);
    ck_assert_uint_eq(forked, 77);
    engines_close();
    session = first;
    model = first_model;
    engines_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/session");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_sample_that_joins_begins_without_tokens, 0, N_ENGINES);
    tcase_add_loop_test(all, many_samples_join_and_go_on_independently, 0, N_ENGINES);
    tcase_add_loop_test(all, a_sample_that_has_left_is_unknown, 0, N_ENGINES);
    tcase_add_loop_test(all, a_rewound_sample_gives_the_same_bits_again, 0, N_ENGINES);
    tcase_add_loop_test(all, a_fork_and_its_origin_go_on_independently, 0, N_ENGINES);
    tcase_add_loop_test(all, a_fork_outlives_the_session_of_its_origin, 0, N_ENGINES);
    tcase_add_loop_test(all, a_fork_into_other_limits_or_another_model_is_refused, 0, N_ENGINES);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
