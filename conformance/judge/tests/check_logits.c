/* Distances, bounds, and the rules for rows of logits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/judge/logits.h"
#include "conformance/judge/noise.h"
#include "conformance/judge/token.h"
#include "conformance/tests/support.h"

/* Two rows of five; the recorded float32 run is off by 1/64 everywhere, with alternating signs. */
enum { R = 2, V = 5 };
#define NOISE (1.0 / 64)
static const double truth[R * V] = {1, 2, 3, -4, 0, 0.5, -0.5, 0.25, 6, -7};
static double float32[R * V], found[R * V];

static void setup(void)
{
    for (size_t i = 0; i < R * V; i++) float32[i] = truth[i] + (i % 2 ? NOISE : -NOISE);
    memcpy(found, truth, sizeof found);
}

static conf_logits_judgement judge32(void)
{
    conf_bounds b = conf_bounds_float32(truth, float32, R, V);
    return conf_logits_judge(truth, found, R, V, &b);
}

static conf_logits_judgement judge64(double relative)
{
    conf_bounds b = conf_bounds_float64(truth, R, V, relative);
    return conf_logits_judge(truth, found, R, V, &b);
}

START_TEST(the_truth_itself_agrees)
{
    conf_logits_judgement j = judge32();
    ck_assert_int_eq(j.rule, CONF_RULE_NONE);
    ck_assert_double_eq(j.multiple, 0);
    ck_assert_uint_eq(j.n_top1, R);
}
END_TEST

START_TEST(the_noise_is_the_largest_distance_of_the_float32_run_over_all_rows)
{
    float32[7] = truth[7] + 3 * NOISE;
    conf_bounds b = conf_bounds_float32(truth, float32, R, V);
    ck_assert_double_eq(b.max_abs, 3 * NOISE);
    ck_assert_double_eq_tol(b.rmse, NOISE * sqrt((4 + 9) / 5.0), 1e-15);
    ck_assert_double_eq(b.limit, 4);
}
END_TEST

START_TEST(rows_with_another_best_token_are_counted)
{
    found[1] = truth[1] + 1;
    found[2] = truth[2] - 0.5;
    found[V] = truth[V] + 1; /* still not the best of its row */
    ck_assert_uint_eq(judge32().n_top1, R - 1);
}
END_TEST

START_TEST(four_times_the_noise_agrees)
{
    found[8] = truth[8] + 4 * NOISE;
    conf_logits_judgement j = judge32();
    ck_assert_int_eq(j.rule, CONF_RULE_NONE);
    ck_assert_double_eq(j.multiple, 4);
}
END_TEST

START_TEST(more_than_four_times_the_noise_diverges)
{
    found[8] = truth[8] - 4.001 * NOISE;
    conf_logits_judgement j = judge32();
    ck_assert_int_eq(j.rule, CONF_RULE_MAX_ABS);
    ck_assert_uint_eq(j.row, 1);
    ck_assert_uint_eq(j.col, 3);
    ck_assert_double_eq_tol(j.multiple, 4.001, 1e-9);
}
END_TEST

START_TEST(a_distance_of_exactly_its_bound_agrees)
{
    found[8] = truth[8] + 1;
    found[5] = truth[5] + 3;
    const conf_distance d = conf_distance_of(truth + V, found + V, V);
    for (size_t i = 0; i < 4; i++) {
        static const conf_rule rules[] = {CONF_RULE_NONE, CONF_RULE_MAX_ABS, CONF_RULE_RMSE, CONF_RULE_KL};
        conf_bounds b = {.max_abs = d.max_abs, .rmse = d.rmse, .kl = d.kl, .limit = 1};
        double *bounds[] = {NULL, &b.max_abs, &b.rmse, &b.kl};
        if (i > 0) *bounds[i] *= 0.999;
        ck_assert_int_eq(conf_logits_judge(truth, found, R, V, &b).rule, rules[i]);
    }
}
END_TEST

START_TEST(the_first_diverging_row_and_the_worst_multiple_are_reported)
{
    found[0] += 5 * NOISE;
    found[9] += 50 * NOISE;
    conf_logits_judgement j = judge32();
    ck_assert_uint_eq(j.row, 0);
    ck_assert_uint_eq(j.col, 0);
    ck_assert_double_eq_tol(j.multiple, 50, 1e-9);
}
END_TEST

START_TEST(without_noise_the_floor_is_used)
{
    memcpy(float32, truth, sizeof float32);
    conf_bounds b = conf_bounds_float32(truth, float32, R, V);
    ck_assert_double_eq(b.max_abs, 16 * ldexp(1, 2 - 23)); /* the ulp of max|t| = 7 is 2^(2-23) */
    found[0] += 63 * ldexp(1, 2 - 23);
    ck_assert_int_eq(judge32().rule, CONF_RULE_NONE);
    found[0] += 2 * ldexp(1, 2 - 23);
    ck_assert_int_eq(judge32().rule, CONF_RULE_MAX_ABS);
}
END_TEST

START_TEST(the_floor_is_sixteen_float32_ulps)
{
    ck_assert_double_eq(conf_noise_floor(1), 16 * (double)(nextafterf(1, 2) - 1));
    ck_assert_double_eq(conf_noise_floor(1.999), 16 * (double)(nextafterf(1, 2) - 1));
    ck_assert_double_eq(conf_noise_floor(2), 16 * (double)(nextafterf(2, 3) - 2));
    ck_assert_double_gt(conf_noise_floor(0), 0);
}
END_TEST

static const double non_finite[] = {NAN, INFINITY, -INFINITY};

START_TEST(a_non_finite_value_diverges_at_its_position)
{
    found[6] = non_finite[_i];
    conf_logits_judgement j = judge32();
    ck_assert_int_eq(j.rule, CONF_RULE_MASK);
    ck_assert_uint_eq(j.row, 1);
    ck_assert_uint_eq(j.col, 1);
    ck_assert(isinf(j.multiple));
    ck_assert(!j.worst.same_mask);
}
END_TEST

START_TEST(a_row_that_was_not_written_diverges)
{
    for (size_t v = 0; v < V; v++) found[V + v] = (double)NAN;
    conf_logits_judgement j = judge32();
    ck_assert_int_eq(j.rule, CONF_RULE_MASK);
    ck_assert_uint_eq(j.row, 1);
    ck_assert_uint_eq(j.n_top1, 1);
}
END_TEST

/* One element of the float32 run has all the noise: the bound of the largest error is then wide, the
 * bounds of RMSE and KL are narrow. */
static void concentrate_noise(void)
{
    memcpy(float32, truth, sizeof float32);
    float32[4] = truth[4] + NOISE;
}

START_TEST(many_small_errors_break_the_rmse)
{
    concentrate_noise();
    for (size_t v = 0; v < V; v++) found[v] = truth[v] + 3 * NOISE;
    conf_logits_judgement j = judge32();
    ck_assert_int_eq(j.rule, CONF_RULE_RMSE);
    ck_assert_double_eq_tol(j.multiple, 3 * sqrt(5), 1e-9);
    memcpy(found, truth, sizeof found);
    found[3] = truth[3] + 3 * NOISE;
    found[4] = truth[4] + 3 * NOISE;
    ck_assert_int_eq(judge32().rule, CONF_RULE_RMSE);
    found[4] = truth[4];
    ck_assert_int_eq(judge32().rule, CONF_RULE_NONE);
}
END_TEST

START_TEST(an_allowed_error_on_a_likely_token_breaks_kl)
{
    concentrate_noise();
    found[1] = truth[1] + 3 * NOISE; /* p = 0.24; the element with the noise has p = 0.03 */
    conf_logits_judgement j = judge32();
    ck_assert_int_eq(j.rule, CONF_RULE_KL);
    ck_assert_uint_eq(j.row, 0);
    found[1] = truth[1];
    found[4] = truth[4] + 3 * NOISE;
    ck_assert_int_eq(judge32().rule, CONF_RULE_NONE);
}
END_TEST

START_TEST(another_best_token_within_the_bound_is_counted)
{
    double t[3] = {1, 1 + NOISE, 0}, f[3] = {1 + NOISE, 1, 0}, c[3] = {1 + 2 * NOISE, 1, 0};
    conf_bounds b = conf_bounds_float32(t, f, 1, 3);
    conf_logits_judgement j = conf_logits_judge(t, c, 1, 3, &b);
    ck_assert_int_eq(j.rule, CONF_RULE_NONE);
    ck_assert_uint_eq(j.n_top1, 0);
    ck_assert(j.worst.same_mask);
    ck_assert(conf_is_near_tie(t, c, 1, 0, b.limit * b.max_abs));
}
END_TEST

START_TEST(another_best_token_beyond_a_tie_is_beyond_the_bound)
{
    double t[2] = {0, 1};
    conf_bounds b = {.max_abs = 0.1, .rmse = 100, .kl = 100, .limit = 4};
    for (int k = 0; k <= 40; k++) {
        double c[2] = {k / 20.0, 1 - (40 - k) / 20.0};
        bool flips = conf_argmax(c, 2) == 0, excused = conf_is_near_tie(t, c, 1, 0, b.limit * b.max_abs);
        if (flips && !excused) ck_assert_int_eq(conf_logits_judge(t, c, 1, 2, &b).rule, CONF_RULE_MAX_ABS);
    }
}
END_TEST

START_TEST(the_float64_bound_is_1e_11_of_the_largest_logit)
{
    found[9] = truth[9] + 6.9e-11;
    conf_logits_judgement j = judge64(CONF_FLOAT64_BOUND);
    ck_assert_int_eq(j.rule, CONF_RULE_NONE);
    ck_assert_double_eq_tol(j.multiple, 6.9 / 7, 1e-4);
    found[9] = truth[9] + 7.1e-11;
    ck_assert_int_eq(judge64(CONF_FLOAT64_BOUND).rule, CONF_RULE_MAX_ABS);
}
END_TEST

START_TEST(a_case_may_loosen_the_float64_bound)
{
    found[9] = truth[9] + 6.9e-9;
    ck_assert_int_eq(judge64(CONF_FLOAT64_BOUND).rule, CONF_RULE_MAX_ABS);
    ck_assert_int_eq(judge64(1e-9).rule, CONF_RULE_NONE);
}
END_TEST

START_TEST(float32_noise_does_not_excuse_a_float64_engine)
{
    memcpy(found, float32, sizeof found);
    ck_assert_int_eq(judge32().rule, CONF_RULE_NONE);
    ck_assert_int_eq(judge64(CONF_FLOAT64_BOUND).rule, CONF_RULE_MAX_ABS);
}
END_TEST

START_TEST(a_difference_that_overflows_diverges)
{
    double t[2] = {-1e308, 0}, c[2] = {1e308, 0};
    conf_bounds b = conf_bounds_float32(t, t, 1, 2);
    ck_assert_int_eq(conf_logits_judge(t, c, 1, 2, &b).rule, CONF_RULE_MAX_ABS);
}
END_TEST

/* A row of more than two blocks whose largest element, largest error and infinity are after the first
 * block. All values are exact in float32. near: the best token has a small error instead of the largest
 * one. */
enum { LONG = 1300 };
static double long_truth[LONG], long_found[LONG];
static float narrow_truth[LONG], narrow_found[LONG];

static void fill_long(bool near)
{
    for (size_t i = 0; i < LONG; i++) {
        long_truth[i] = (double)(i * 37 % 101) / 64;
        long_found[i] = long_truth[i] + (double)(i % 5) / 1024;
    }
    long_truth[1200] = 9;
    if (near) long_found[1200] = 8.75;
    long_found[1290] = long_truth[1290] - 0.5;
    long_truth[700] = long_found[700] = -INFINITY;
    for (size_t i = 0; i < LONG; i++) {
        narrow_truth[i] = (float)long_truth[i];
        narrow_found[i] = (float)long_found[i];
    }
}

START_TEST(float32_is_judged_as_the_double_of_the_same_value)
{
    fill_long(_i);
    const conf_row rows[2][2] = {{{ASSAY_F64, long_truth}, {ASSAY_F32, narrow_truth}},
                                 {{ASSAY_F64, long_found}, {ASSAY_F32, narrow_found}}};
    conf_distance d = conf_distance_of(long_truth, long_found, LONG);
    ck_assert_uint_eq(d.worst, _i ? 1290 : 1200);
    ck_assert_double_eq(conf_noise_largest(long_truth, long_found, 1, LONG), d.max_abs);
    ck_assert_double_eq(conf_noise_largest(long_truth, long_found, 3, LONG / 3), d.max_abs);
    for (size_t i = 0; i < 4; i++) {
        const conf_row *t = &rows[0][i / 2], *c = &rows[1][i % 2];
        conf_distance e = conf_row_distance(t, c, LONG);
        ck_assert_double_eq(e.max_abs, d.max_abs);
        ck_assert_double_eq(e.rmse, d.rmse);
        ck_assert_double_eq(e.kl, d.kl);
        ck_assert_uint_eq(e.worst, d.worst);
        ck_assert_uint_eq(conf_row_argmax(t, LONG), 1200);
        ck_assert_double_eq(conf_row_max_abs(t, LONG), 9);
        ck_assert_double_eq(conf_row_at(c, 1290), long_found[1290]);
    }
}
END_TEST

START_TEST(a_long_row_follows_the_definitions)
{
    fill_long(_i);
    long double mass = 0, mass_found = 0, kl = 0, squares = 0;
    for (size_t i = 0; i < LONG; i++) {
        if (i == 700) continue;
        mass += expl(long_truth[i]);
        mass_found += expl(long_found[i]);
        squares += powl((long double)long_found[i] - long_truth[i], 2);
    }
    for (size_t i = 0; i < LONG; i++)
        if (i != 700)
            kl += expl(long_truth[i]) / mass *
                  ((long_truth[i] - logl(mass)) - (long_found[i] - logl(mass_found)));
    conf_distance d = conf_distance_of(long_truth, long_found, LONG);
    ck_assert_double_eq_tol(d.rmse, (double)sqrtl(squares / (LONG - 1)), 1e-15);
    ck_assert_double_eq_tol(d.kl, (double)sqrtl(2 * kl), 1e-12);
}
END_TEST

START_TEST(a_mask_difference_after_the_first_block_is_found)
{
    fill_long(false);
    narrow_found[1000] = INFINITY;
    const conf_row t = {ASSAY_F64, long_truth}, c = {ASSAY_F32, narrow_found};
    ck_assert_uint_eq(conf_row_mask_difference(&t, &c, LONG), 1000);
    ck_assert_uint_eq(conf_row_distance(&t, &c, LONG).worst, 1000);
}
END_TEST

START_TEST(rows_may_be_judged_in_any_order)
{
    const bool first_agrees = _i;
    if (!first_agrees) found[0] += 5 * NOISE;
    found[9] += 50 * NOISE;
    conf_bounds b = conf_bounds_float32(truth, float32, R, V);
    conf_logits_judgement j = {.worst = {.same_mask = true}};
    for (size_t r = R; r-- > 0;) {
        const conf_row t = {ASSAY_F64, truth + r * V}, c = {ASSAY_F64, found + r * V};
        conf_row_measure m = conf_row_measure_of(&t, &c, V);
        ck_assert(conf_logits_add(&j, r, &m, &b) == (r == 1 || !first_agrees));
    }
    conf_logits_end(&j, &b);
    conf_logits_judgement in_order = judge32();
    ck_assert_uint_eq(j.row, first_agrees ? 1 : 0);
    ck_assert_int_eq(j.rule, CONF_RULE_MAX_ABS);
    ck_assert_uint_eq(j.col, in_order.col);
    ck_assert_double_eq(j.multiple, in_order.multiple);
    ck_assert_uint_eq(j.n_top1, in_order.n_top1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/judge/logits");
    TCase *rows = tcase_create("rows");
    tcase_add_checked_fixture(rows, setup, NULL);
    tcase_add_test(rows, the_truth_itself_agrees);
    tcase_add_test(rows, the_noise_is_the_largest_distance_of_the_float32_run_over_all_rows);
    tcase_add_test(rows, rows_with_another_best_token_are_counted);
    tcase_add_test(rows, four_times_the_noise_agrees);
    tcase_add_test(rows, more_than_four_times_the_noise_diverges);
    tcase_add_test(rows, a_distance_of_exactly_its_bound_agrees);
    tcase_add_test(rows, the_first_diverging_row_and_the_worst_multiple_are_reported);
    tcase_add_test(rows, without_noise_the_floor_is_used);
    tcase_add_test(rows, the_floor_is_sixteen_float32_ulps);
    tcase_add_loop_test(rows, a_non_finite_value_diverges_at_its_position, 0, 3);
    tcase_add_test(rows, a_row_that_was_not_written_diverges);
    tcase_add_test(rows, many_small_errors_break_the_rmse);
    tcase_add_test(rows, an_allowed_error_on_a_likely_token_breaks_kl);
    tcase_add_test(rows, another_best_token_within_the_bound_is_counted);
    tcase_add_test(rows, another_best_token_beyond_a_tie_is_beyond_the_bound);
    tcase_add_test(rows, the_float64_bound_is_1e_11_of_the_largest_logit);
    tcase_add_test(rows, a_case_may_loosen_the_float64_bound);
    tcase_add_test(rows, float32_noise_does_not_excuse_a_float64_engine);
    tcase_add_test(rows, a_difference_that_overflows_diverges);
    tcase_add_loop_test(rows, float32_is_judged_as_the_double_of_the_same_value, 0, 2);
    tcase_add_loop_test(rows, a_long_row_follows_the_definitions, 0, 2);
    tcase_add_test(rows, a_mask_difference_after_the_first_block_is_found);
    tcase_add_loop_test(rows, rows_may_be_judged_in_any_order, 0, 2);
    suite_add_tcase(suite, rows);
    return support_run(suite);
}
