/* Delta debugging finds the units that a failure needs, and how many, with few tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/support/delta.h"
#include "conformance/tests/support.h"

enum { N = 64 };

/* A failure that needs some units, and the tests that were run. most: tests that may be run. */
typedef struct failure {
    size_t needed[4], n_needed;
    size_t n_tests, most;
    size_t least; /* the number that it needs */
} failure;

static bool stays(void *context, const bool *kept, size_t n)
{
    failure *f = context;
    ck_assert_uint_eq(n, N);
    if (f->n_tests == f->most) return false;
    f->n_tests++;
    for (size_t i = 0; i < f->n_needed; i++)
        if (!kept[f->needed[i]]) return false;
    return true;
}

static bool stays_with(void *context, size_t n)
{
    failure *f = context;
    f->n_tests++;
    return n >= f->least;
}

static bool kept[N];

static size_t count_kept(void)
{
    size_t n = 0;
    for (size_t i = 0; i < N; i++) n += kept[i];
    return n;
}

static void setup(void)
{
    memset(kept, true, sizeof kept);
}

START_TEST(exactly_the_needed_units_stay)
{
    failure f = {.needed = {3, 17, 18, 63}, .n_needed = 4, .most = 1000};
    ck_assert(conf_delta_units(kept, N, 1, stays, &f));
    ck_assert_uint_eq(count_kept(), 4);
    for (size_t i = 0; i < f.n_needed; i++) ck_assert(kept[f.needed[i]]);
}
END_TEST

START_TEST(one_needed_unit_takes_about_two_tests_for_each_halving)
{
    failure f = {.needed = {40}, .n_needed = 1, .most = 1000};
    ck_assert(conf_delta_units(kept, N, 1, stays, &f));
    ck_assert_uint_eq(count_kept(), 1);
    ck_assert(kept[40]);
    ck_assert_uint_le(f.n_tests, 16);
}
END_TEST

START_TEST(groups_may_have_a_least_size)
{
    failure f = {.needed = {40}, .n_needed = 1, .most = 1000};
    ck_assert(conf_delta_units(kept, N, 10, stays, &f));
    ck_assert(kept[40]);
    ck_assert_uint_ge(count_kept(), 2);
    ck_assert_uint_le(count_kept(), 10);
    f = (failure){.needed = {0, 20, 40, 60}, .n_needed = 4, .most = 1000};
    memset(kept, true, sizeof kept);
    ck_assert(!conf_delta_units(kept, N, 32, stays, &f));
    ck_assert_uint_eq(f.n_tests, 3);
}
END_TEST

START_TEST(nothing_stays_if_nothing_is_needed)
{
    failure f = {.most = 1000};
    ck_assert(conf_delta_units(kept, N, 1, stays, &f));
    ck_assert_uint_eq(count_kept(), 0);
    ck_assert_uint_eq(f.n_tests, 1);
}
END_TEST

START_TEST(units_that_were_removed_before_do_not_come_back)
{
    failure f = {.needed = {5}, .n_needed = 1, .most = 1000};
    memset(kept, false, sizeof kept);
    kept[5] = kept[9] = true;
    ck_assert(conf_delta_units(kept, N, 1, stays, &f));
    ck_assert_uint_eq(count_kept(), 1);
    ck_assert(kept[5]);
    ck_assert(!conf_delta_units(kept, N, 1, stays, &f));
}
END_TEST

/* A unit that could not be removed at first may be later: the last pass is repeated until it removes none. */
static bool stays_with_pairs(void *context, const bool *units, size_t n)
{
    (void)context;
    (void)n;
    return units[0] && (!units[1] || units[2]); /* 2 can go only after 1 */
}

START_TEST(no_single_unit_is_left_that_can_be_removed)
{
    ck_assert(conf_delta_units(kept, 3, 1, stays_with_pairs, NULL));
    ck_assert(kept[0] && !kept[1] && !kept[2]);
}
END_TEST

START_TEST(what_was_reached_stays_when_no_test_may_be_run_any_more)
{
    failure f = {.needed = {40, 41}, .n_needed = 2, .most = 3};
    ck_assert(conf_delta_units(kept, N, 1, stays, &f));
    ck_assert_uint_eq(f.n_tests, 3);
    ck_assert(kept[40] && kept[41]);
    ck_assert_uint_eq(count_kept(), N / 2);
}
END_TEST

START_TEST(the_smallest_number_is_found_by_halving)
{
    failure f = {.least = 700};
    ck_assert_uint_eq(conf_delta_count(1, 1000, stays_with, &f), 700);
    ck_assert_uint_le(f.n_tests, 12);
    f = (failure){.least = 0};
    ck_assert_uint_eq(conf_delta_count(1, 1000, stays_with, &f), 1);
    ck_assert_uint_eq(f.n_tests, 1);
    f = (failure){.least = 1000};
    ck_assert_uint_eq(conf_delta_count(1, 1000, stays_with, &f), 1000);
    f = (failure){.least = 0};
    ck_assert_uint_eq(conf_delta_count(5, 5, stays_with, &f), 5);
    ck_assert_uint_eq(f.n_tests, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/support/delta");
    TCase *tcase = tcase_create("delta");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, exactly_the_needed_units_stay);
    tcase_add_test(tcase, one_needed_unit_takes_about_two_tests_for_each_halving);
    tcase_add_test(tcase, groups_may_have_a_least_size);
    tcase_add_test(tcase, nothing_stays_if_nothing_is_needed);
    tcase_add_test(tcase, units_that_were_removed_before_do_not_come_back);
    tcase_add_test(tcase, no_single_unit_is_left_that_can_be_removed);
    tcase_add_test(tcase, what_was_reached_stays_when_no_test_may_be_run_any_more);
    tcase_add_test(tcase, the_smallest_number_is_found_by_halving);
    suite_add_tcase(suite, tcase);
    return support_run(suite);
}
