/* The rules for greedy tokens, for tensors and for rotated vectors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>

#include "conformance/judge/tensor.h"
#include "conformance/judge/token.h"
#include "conformance/tests/support.h"

/* In the truth token 2 is ahead of token 0 by 0.01 and of the others by 4 or more; 4 is the stop id. */
static double truth[5], found[5];
static const int32_t stops[] = {4};
static conf_token_step step;
static int32_t token;

static void setup(void)
{
    for (size_t i = 0; i < 5; i++) truth[i] = found[i] = -(double)i;
    truth[0] = found[0] = 3;
    truth[2] = found[2] = 3.01;
    step = (conf_token_step){.golden = 2,
                             .truth = truth,
                             .found = found,
                             .n = 5,
                             .stop_ids = stops,
                             .n_stop_ids = 1,
                             .epsilon = 0.02};
}

START_TEST(the_expected_token_is_the_same)
{
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_SAME);
    ck_assert_int_eq(token, 2);
}
END_TEST

START_TEST(a_reported_token_is_judged_like_the_largest_logit)
{
    found[0] = 3.02;
    ck_assert_int_eq(conf_token_judge_choice(&step, 2), CONF_TOKEN_SAME);
    ck_assert_int_eq(conf_token_judge_choice(&step, 0), CONF_TOKEN_TIE);
    ck_assert_int_eq(conf_token_judge_choice(&step, 1), CONF_TOKEN_OTHER);
    ck_assert_int_eq(conf_token_judge_choice(&step, 4), CONF_TOKEN_STOP_FLIP);
    ck_assert_int_eq(conf_token_judge_choice(&step, -1), CONF_TOKEN_OTHER);
    ck_assert_int_eq(conf_token_judge_choice(&step, 5), CONF_TOKEN_OTHER);
    step.found = NULL;
    ck_assert_int_eq(conf_token_judge_choice(&step, 0), CONF_TOKEN_OTHER);
}
END_TEST

START_TEST(a_flip_at_a_near_tie_is_excused)
{
    found[0] = 3.02;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_TIE);
    ck_assert_int_eq(token, 0);
}
END_TEST

START_TEST(a_near_tie_is_twice_epsilon_in_truth_and_candidate)
{
    truth[2] = 3.039;
    found[0] = 3.049;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_TIE);
}
END_TEST

START_TEST(a_flip_without_a_tie_in_the_truth_diverges)
{
    found[0] = 3.02;
    truth[2] = 3.05;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_OTHER);
}
END_TEST

START_TEST(a_flip_without_a_tie_in_the_candidate_diverges)
{
    found[0] = 3.06;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_OTHER);
}
END_TEST

START_TEST(a_flip_without_a_recorded_truth_diverges)
{
    found[0] = 3.02;
    step.truth = NULL;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_OTHER);
}
END_TEST

START_TEST(a_flip_to_a_stop_id_is_never_excused)
{
    truth[4] = 3.005;
    found[4] = 3.02;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_STOP_FLIP);
}
END_TEST

START_TEST(a_flip_from_a_stop_id_is_never_excused)
{
    truth[4] = found[4] = 3.015;
    found[2] = 3.02;
    step.golden = 4;
    step.ends = true;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_STOP_FLIP);
}
END_TEST

START_TEST(a_stop_id_ends_the_stream_where_the_truth_ends)
{
    truth[4] = found[4] = 9;
    step.golden = 4;
    step.ends = true;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_SAME);
}
END_TEST

START_TEST(a_stop_id_where_the_truth_continues_diverges)
{
    truth[4] = found[4] = 9;
    step.golden = 4;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_STOPS_EARLY);
}
END_TEST

START_TEST(any_stop_id_ends_a_stream_without_a_recorded_stop_id)
{
    step.golden = -1;
    step.truth = NULL;
    found[4] = 9;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_SAME);
}
END_TEST

START_TEST(continuing_where_the_truth_ends_diverges)
{
    step.golden = -1;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_GOES_ON);
}
END_TEST

START_TEST(non_finite_logits_determine_no_token)
{
    found[3] = (double)NAN;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_NOT_FINITE);
    step.truth = NULL;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_NOT_FINITE);
    found[3] = INFINITY;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_NOT_FINITE);
    for (size_t i = 0; i < 5; i++) found[i] = -INFINITY;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_NOT_FINITE);
    ck_assert_int_eq(token, -1);
}
END_TEST

START_TEST(an_excluded_token_is_allowed)
{
    found[3] = -INFINITY;
    step.truth = NULL;
    ck_assert_int_eq(conf_token_judge(&step, &token), CONF_TOKEN_SAME);
}
END_TEST

START_TEST(the_error_of_a_tensor_is_that_of_its_worst_element)
{
    double t[3] = {1, 2, 3}, c[3] = {1, 2.5, 3.25};
    conf_tensor_judgement j = conf_tensor_judge(t, c, 3, 0.125);
    ck_assert_double_eq(j.multiple, 4);
    ck_assert_uint_eq(j.at, 1);
    ck_assert_double_eq(conf_tensor_judge(t, t, 3, 0.125).multiple, 0);
}
END_TEST

START_TEST(of_equal_errors_the_first_is_reported)
{
    double t[4] = {1, 2, 3, 4}, c[4] = {1, 2.5, 2.5, 4};
    ck_assert_uint_eq(conf_tensor_judge(t, c, 4, 0.125).at, 1);
}
END_TEST

START_TEST(a_tensor_with_nan_is_beyond_every_bound)
{
    double t[2] = {1, 2}, c[2] = {1, (double)NAN};
    conf_tensor_judgement j = conf_tensor_judge(t, c, 2, 1e300);
    ck_assert(isinf(j.multiple));
    ck_assert_uint_eq(j.at, 1);
}
END_TEST

START_TEST(a_tensor_of_zeros_must_be_zeros)
{
    double t[1] = {0}, c[1] = {1e-300};
    ck_assert_double_eq(conf_tensor_judge(t, t, 1, 0).multiple, 0);
    ck_assert(isinf(conf_tensor_judge(t, c, 1, 0).multiple));
}
END_TEST

START_TEST(the_unit_of_a_tensor_is_its_noise_or_sixteen_ulps)
{
    ck_assert_double_eq(conf_unit_float32(1e-3, 1), 1e-3);
    ck_assert_double_eq(conf_unit_float32(1e-12, 1), conf_noise_floor(1));
}
END_TEST

START_TEST(the_bound_of_a_rotated_row_grows_with_its_position)
{
    ck_assert_double_eq(conf_rope_bound_float32(2, 0), 4 * 16 * ldexp(2, -24));
    ck_assert_double_eq(conf_rope_bound_float32(2, 84), 4 * 100 * ldexp(2, -24));
    ck_assert_double_eq(conf_rope_bound_float32(2, -84), conf_rope_bound_float32(2, 84));
    ck_assert_double_eq(conf_rope_bound_float64(2, 0, 1e-11), 2e-11);
    ck_assert_double_eq_tol(conf_rope_bound_float64(2, 1e6, 1e-11), 2e-11 + 8e6 * ldexp(1, -53), 1e-24);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/judge/token");
    TCase *tokens = tcase_create("tokens");
    tcase_add_checked_fixture(tokens, setup, NULL);
    tcase_add_test(tokens, the_expected_token_is_the_same);
    tcase_add_test(tokens, a_reported_token_is_judged_like_the_largest_logit);
    tcase_add_test(tokens, a_flip_at_a_near_tie_is_excused);
    tcase_add_test(tokens, a_near_tie_is_twice_epsilon_in_truth_and_candidate);
    tcase_add_test(tokens, a_flip_without_a_tie_in_the_truth_diverges);
    tcase_add_test(tokens, a_flip_without_a_tie_in_the_candidate_diverges);
    tcase_add_test(tokens, a_flip_without_a_recorded_truth_diverges);
    tcase_add_test(tokens, a_flip_to_a_stop_id_is_never_excused);
    tcase_add_test(tokens, a_flip_from_a_stop_id_is_never_excused);
    tcase_add_test(tokens, a_stop_id_ends_the_stream_where_the_truth_ends);
    tcase_add_test(tokens, a_stop_id_where_the_truth_continues_diverges);
    tcase_add_test(tokens, any_stop_id_ends_a_stream_without_a_recorded_stop_id);
    tcase_add_test(tokens, continuing_where_the_truth_ends_diverges);
    tcase_add_test(tokens, non_finite_logits_determine_no_token);
    tcase_add_test(tokens, an_excluded_token_is_allowed);
    suite_add_tcase(suite, tokens);
    TCase *tensors = tcase_create("tensors");
    tcase_add_test(tensors, the_error_of_a_tensor_is_that_of_its_worst_element);
    tcase_add_test(tensors, of_equal_errors_the_first_is_reported);
    tcase_add_test(tensors, a_tensor_with_nan_is_beyond_every_bound);
    tcase_add_test(tensors, a_tensor_of_zeros_must_be_zeros);
    tcase_add_test(tensors, the_unit_of_a_tensor_is_its_noise_or_sixteen_ulps);
    tcase_add_test(tensors, the_bound_of_a_rotated_row_grows_with_its_position);
    suite_add_tcase(suite, tensors);
    return support_run(suite);
}
