/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/compare/change.h"

#include <check.h>
#include <math.h>

#include "conformance/tests/support.h"

#define PASS(x)                                                                                              \
    {                                                                                                        \
        .outcome = CONF_PASSED, .measured = true, .multiple = (x)                                            \
    }
#define FAIL(x)                                                                                              \
    {                                                                                                        \
        .outcome = CONF_FAILED, .class = CONF_CLASS_LOGITS, .measured = true, .multiple = (x)                \
    }
#define EXACT(x)                                                                                             \
    {                                                                                                        \
        .outcome = CONF_PASSED, .measured = true, .float64 = true, .multiple = (x)                           \
    }
#define SKIP                                                                                                 \
    {                                                                                                        \
        .outcome = CONF_SKIPPED                                                                              \
    }
#define BROKEN                                                                                               \
    {                                                                                                        \
        .outcome = CONF_BROKEN                                                                               \
    }
#define KNOWN                                                                                                \
    {                                                                                                        \
        .outcome = CONF_EXPECTED, .class = CONF_CLASS_LOGITS, .measured = true, .multiple = 9                \
    }
#define FIXED(x)                                                                                             \
    {                                                                                                        \
        .outcome = CONF_FAILED, .class = CONF_CLASS_FIXED, .measured = true, .multiple = (x)                 \
    }
#define TEXT                                                                                                 \
    {                                                                                                        \
        .outcome = CONF_PASSED                                                                               \
    }

static const struct {
    conf_verdict before, after;
    conf_change expected;
} rows[] = {
    {PASS(1), FAIL(9), CONF_CHANGE_FAILS},
    {SKIP, FAIL(9), CONF_CHANGE_FAILS},
    {PASS(1), BROKEN, CONF_CHANGE_FAILS},
    {FAIL(9), FAIL(9), CONF_CHANGE_STILL},
    {BROKEN, FAIL(9), CONF_CHANGE_STILL},
    {FAIL(9), PASS(1), CONF_CHANGE_PASSES},
    {BROKEN, PASS(1), CONF_CHANGE_PASSES},
    {FAIL(9), SKIP, CONF_CHANGE_STOPPED},
    {PASS(1), SKIP, CONF_CHANGE_STOPPED},
    {SKIP, SKIP, CONF_CHANGE_NONE},
    {SKIP, PASS(1), CONF_CHANGE_STARTED},
    {TEXT, TEXT, CONF_CHANGE_NONE},
    {TEXT, PASS(3), CONF_CHANGE_NONE},
    /* Both conditions at their limits: 4 times the noise is the bound, a tenth of it 0.4. */
    {PASS(0.3), PASS(2.9), CONF_CHANGE_DRIFTS},
    {PASS(2.9), PASS(0.3), CONF_CHANGE_NEARS},
    {PASS(0), PASS(0.4), CONF_CHANGE_DRIFTS},
    {PASS(0), PASS(0.39), CONF_CHANGE_NONE},
    {PASS(0.4), PASS(0.8), CONF_CHANGE_DRIFTS},
    {PASS(0.5), PASS(0.99), CONF_CHANGE_NONE},
    {PASS(2), PASS(3.9), CONF_CHANGE_NONE},
    {PASS(3.9), PASS(2), CONF_CHANGE_NONE},
    {PASS(0), PASS(0), CONF_CHANGE_NONE},
    /* A float64 engine: the bound is 1. */
    {EXACT(0), EXACT(0.125), CONF_CHANGE_DRIFTS},
    {EXACT(0), EXACT(0.0625), CONF_CHANGE_NONE},
    {PASS(0), EXACT(0.9), CONF_CHANGE_NONE},
    /* An expected failure is no failure of the run that has it, but of the one before. */
    {PASS(1), KNOWN, CONF_CHANGE_EXPECTED},
    {FAIL(9), KNOWN, CONF_CHANGE_EXPECTED},
    {KNOWN, KNOWN, CONF_CHANGE_EXPECTED},
    {KNOWN, FAIL(9), CONF_CHANGE_STILL},
    {KNOWN, PASS(1), CONF_CHANGE_PASSES},
    {KNOWN, FIXED(1), CONF_CHANGE_PASSES},
    {FAIL(9), FIXED(1), CONF_CHANGE_PASSES},
    {PASS(0.3), FIXED(2.9), CONF_CHANGE_DRIFTS},
    {FIXED(1), FAIL(9), CONF_CHANGE_FAILS},
    {FIXED(1), PASS(1), CONF_CHANGE_NONE},
};

START_TEST(two_verdicts_make_one_change)
{
    ck_assert_int_eq(conf_change_of(&rows[_i].before, &rows[_i].after), rows[_i].expected);
}
END_TEST

START_TEST(a_case_in_one_run_is_new_gone_or_newly_failing)
{
    const conf_verdict pass = PASS(1), fail = FAIL(INFINITY), skip = SKIP;
    ck_assert_int_eq(conf_change_of(NULL, &pass), CONF_CHANGE_NEW);
    ck_assert_int_eq(conf_change_of(NULL, &skip), CONF_CHANGE_NEW);
    ck_assert_int_eq(conf_change_of(NULL, &fail), CONF_CHANGE_FAILS);
    ck_assert_int_eq(conf_change_of(&pass, NULL), CONF_CHANGE_GONE);
    ck_assert_int_eq(conf_change_of(&fail, NULL), CONF_CHANGE_GONE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/compare/change");
    TCase *t = tcase_create("all");
    tcase_add_loop_test(t, two_verdicts_make_one_change, 0, (int)(sizeof rows / sizeof *rows));
    tcase_add_test(t, a_case_in_one_run_is_new_gone_or_newly_failing);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
