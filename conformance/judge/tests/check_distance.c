/* Distances between two rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <float.h>
#include <math.h>

#include "conformance/judge/distance.h"
#include "conformance/tests/support.h"

enum { V = 5 };
static const double truth[V] = {1, 2, 3, -4, 0};

START_TEST(the_largest_element_may_be_the_first)
{
    ck_assert_double_eq(conf_max_abs((double[]){-3, 2, NAN, -INFINITY}, 4), 3);
}
END_TEST

START_TEST(infinities_agree_only_with_the_same_sign)
{
    double t[3] = {1, -INFINITY, 2}, same[3] = {1, -INFINITY, 2}, other[3] = {1, INFINITY, 2},
           finite[3] = {1, -1e300, 2};
    ck_assert_uint_eq(conf_mask_difference(t, same, 3), 3);
    ck_assert_uint_eq(conf_mask_difference(t, other, 3), 1);
    ck_assert_uint_eq(conf_mask_difference(t, finite, 3), 1);
    conf_distance d = conf_distance_of(t, same, 3);
    ck_assert(d.same_mask);
    ck_assert_double_eq(d.max_abs, 0);
    ck_assert_double_eq(d.kl, 0);
}
END_TEST

START_TEST(a_shift_of_all_logits_has_no_kl)
{
    double c[V];
    for (size_t v = 0; v < V; v++) c[v] = truth[v] + 0.5;
    ck_assert_double_eq(conf_kl(truth, c, V), 0);
}
END_TEST

START_TEST(kl_is_accurate_for_rows_that_almost_agree)
{
    /* Two tokens of p = 1/2, one logit off by δ: KL = log cosh(δ/2), computed by its series. */
    double t[2] = {0, 0};
    for (int k = 1; k < 14; k++) {
        double delta = pow(10, -k), c[2] = {0, delta};
        double exact = delta * delta / 8 - pow(delta, 4) / 192 + pow(delta, 6) / 2880;
        ck_assert_double_eq_tol(conf_kl(t, c, 2) / exact, 1, 1e-9);
    }
}
END_TEST

START_TEST(the_series_of_kl_is_accurate_on_its_range)
{
    /* Three tokens of p = 1/3, one logit off by δ; extended precision is accurate enough without the
     * series. */
    const double t[3] = {0, 0, 0};
    for (int k = 1; k < 16; k++) {
        const double delta = k / 1024.0, c[3] = {0, 0, delta};
        const long double low = -(long double)delta / 3, high = 2 * (long double)delta / 3;
        const long double exact = log1pl((2 * (expm1l(low) - low) + expm1l(high) - high) / 3);
        ck_assert_double_eq_tol(conf_kl(t, c, 3) / (double)exact, 1, 4e-15);
    }
}
END_TEST

START_TEST(kl_follows_its_definition_for_rows_that_differ)
{
    static const double rows[][3] = {{1, 2, 3}, {3, 2, 1}, {-40, 0, 500}, {1e4, 0, -1e4}, {0, 0.5, 0.25}};
    for (size_t a = 0; a < 5; a++)
        for (size_t b = 0; b < 5; b++) {
            long double lt = 0, lc = 0, kl = 0, mt = 0, mc = 0;
            for (size_t i = 0; i < 3; i++) mt = fmaxl(mt, rows[a][i]), mc = fmaxl(mc, rows[b][i]);
            for (size_t i = 0; i < 3; i++) lt += expl(rows[a][i] - mt), lc += expl(rows[b][i] - mc);
            for (size_t i = 0; i < 3; i++)
                kl += expl(rows[a][i] - mt) / lt *
                      ((rows[a][i] - mt - logl(lt)) - (rows[b][i] - mc - logl(lc)));
            ck_assert_double_eq_tol(conf_kl(rows[a], rows[b], 3), (double)kl, 1e-12 * (1 + (double)kl));
        }
}
END_TEST

START_TEST(the_largest_element_is_not_nan_unless_all_are)
{
    const double nan = (double)NAN;
    ck_assert_uint_eq(conf_argmax((const double[]){nan, -2, nan, -1, -1}, 5), 3);
    ck_assert_uint_eq(conf_argmax((const double[]){nan, -INFINITY}, 2), 1);
    ck_assert_uint_eq(conf_argmax((const double[]){nan, nan}, 2), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/judge/distance");
    TCase *tests = tcase_create("distances");
    tcase_add_test(tests, the_largest_element_may_be_the_first);
    tcase_add_test(tests, the_largest_element_is_not_nan_unless_all_are);
    tcase_add_test(tests, infinities_agree_only_with_the_same_sign);
    tcase_add_test(tests, a_shift_of_all_logits_has_no_kl);
    tcase_add_test(tests, kl_is_accurate_for_rows_that_almost_agree);
    tcase_add_test(tests, the_series_of_kl_is_accurate_on_its_range);
    tcase_add_test(tests, kl_follows_its_definition_for_rows_that_differ);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
