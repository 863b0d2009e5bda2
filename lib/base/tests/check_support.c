/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <signal.h>
#include <stdlib.h>

enum { N_TIMES = 3 };

static int line_held; /* of the assertion in hold */

static void hold(void)
{
    line_held = __LINE__ + 1;
    for (int i = 0; i < N_TIMES; i++) ck_assert_int_lt(i, N_TIMES);
}

START_TEST(crashes_after_two_assertions)
{
    ck_assert_int_eq(_i, 0);
    hold();
    (void)raise(SIGKILL);
}
END_TEST

/* The latest assertion of the process that starts it is the same one. */
START_TEST(crashes_after_one_assertion)
{
    hold();
    (void)raise(SIGKILL);
}
END_TEST

/* The line with which Check reports the failure of a test; 0: of none. */
static int line_reported(const TTest *test)
{
    Suite *suite = suite_create("crash");
    TCase *tc = tcase_create("crash");
    tcase_add_test(tc, test);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_FORK);
    srunner_run_all(runner, CK_SILENT);
    TestResult **results = srunner_failures(runner);
    const int line = srunner_ntests_failed(runner) == 1 ? tr_lno(results[0]) : 0;
    free(results);
    srunner_free(runner);
    return line;
}

START_TEST(a_crash_is_reported_with_the_last_assertion_that_held)
{
    hold();
    const int after_one = line_reported(crashes_after_one_assertion),
              after_two = line_reported(crashes_after_two_assertions);
    ck_assert_int_eq(after_one, line_held);
    ck_assert_int_eq(after_two, line_held);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/support");
    TCase *tc = tcase_create("marks");
    tcase_add_test(tc, a_crash_is_reported_with_the_last_assertion_that_held);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
