/* Exponentials in every way that this processor has, against those of long double.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "ref/arithmetic/exponential.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tests/support.h"

/* Below the smallest number, of numbers without full precision, to beyond the largest. */
#define N_STEPS 40001
#define STEP    (1520.0 / (N_STEPS - 1))

static double at_step(size_t i)
{
    return -760 + STEP * (double)i;
}

static void expect_near(const char *isa, double x, double found)
{
    const double nearest = (double)expl((long double)x);
    const bool is =
        found == nearest || found == nextafter(nearest, 0) || found == nextafter(nearest, HUGE_VAL);
    ck_assert_msg(is, "%s: exp(%a): %a, not %a", isa, x, found, nearest);
}

START_TEST(exponentials_are_off_by_one_unit_at_most)
{
    static double x[N_STEPS];
    const ref_exponential *e;
    for (size_t k = 0; (e = ref_exponential_at(k)); k++) {
        for (size_t i = 0; i < N_STEPS; i++) x[i] = at_step(i);
        (void)e->replace(x, N_STEPS, 0);
        for (size_t i = 0; i < N_STEPS; i++) expect_near(e->isa, at_step(i), x[i]);
        for (size_t i = 0; i < N_STEPS; i++) x[i] = at_step(i) / 2000;
        (void)e->replace(x, N_STEPS, 0);
        for (size_t i = 0; i < N_STEPS; i++) expect_near(e->isa, at_step(i) / 2000, x[i]);
    }
}
END_TEST

START_TEST(numbers_without_a_finite_exponential_are_those_of_exp)
{
    const double given[] = {-INFINITY, INFINITY, NAN, -1e300, 1e300, -0.0, 709.78, 709.79, -745.1, -745.2};
    enum { N = sizeof given / sizeof *given };
    const ref_exponential *e;
    for (size_t k = 0; (e = ref_exponential_at(k)); k++) {
        double x[N];
        memcpy(x, given, sizeof x);
        (void)e->replace(x, N, 0);
        for (size_t i = 0; i < N; i++)
            if (isnan(given[i])) ck_assert_msg(isnan(x[i]), "%s: exp(NaN): %a", e->isa, x[i]);
            else expect_near(e->isa, given[i], x[i]);
    }
}
END_TEST

START_TEST(rows_of_every_length_are_replaced_and_summed)
{
    enum { MOST = 20 };
    const ref_exponential *e;
    for (size_t k = 0; (e = ref_exponential_at(k)); k++)
        for (size_t n = 0; n < MOST; n++) {
            double x[MOST + 1], sum = 0;
            for (size_t i = 0; i <= MOST; i++) x[i] = (double)i / 4;
            const double found = e->replace(x, n, 3);
            for (size_t i = 0; i < n; i++) {
                expect_near(e->isa, (double)i / 4 - 3, x[i]);
                sum += x[i];
            }
            for (size_t i = n; i <= MOST; i++) ck_assert_double_eq(x[i], (double)i / 4);
            ck_assert_msg(fabs(found - sum) <= 1e-15 * sum, "%s: the sum of %zu: %a, not %a", e->isa, n,
                          found, sum);
        }
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("exponential");
    tcase_add_test(c, exponentials_are_off_by_one_unit_at_most);
    tcase_add_test(c, numbers_without_a_finite_exponential_are_those_of_exp);
    tcase_add_test(c, rows_of_every_length_are_replaced_and_summed);
    Suite *suite = suite_create("ref/exponential");
    suite_add_tcase(suite, c);
    return support_run(suite);
}
