/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/judge/severity.h"

#include <check.h>
#include <math.h>

#include "conformance/tests/support.h"

/* The most severe first. */
static const conf_verdict order[] = {
    {.outcome = CONF_FAILED, .class = CONF_CLASS_MASK, .measured = true, .multiple = INFINITY},
    {.outcome = CONF_FAILED, .class = CONF_CLASS_LOGITS, .measured = true, .multiple = 4e5},
    {.outcome = CONF_FAILED, .class = CONF_CLASS_LOGITS, .float64 = true, .measured = true, .multiple = 7e4},
    {.outcome = CONF_FAILED,
     .class = CONF_CLASS_LOGITS,
     .measured = true,
     .multiple = 8,
     .n_rows = 4,
     .n_same_best = 1},
    {.outcome = CONF_FAILED,
     .class = CONF_CLASS_LOGITS,
     .measured = true,
     .multiple = 8,
     .n_rows = 8,
     .n_same_best = 7},
    {.outcome = CONF_FAILED, .class = CONF_CLASS_LOGITS, .measured = true, .multiple = 8},
    {.outcome = CONF_FAILED, .class = CONF_CLASS_TEXT},
    {.outcome = CONF_FAILED, .class = CONF_CLASS_CRASH},
    {.outcome = CONF_FAILED, .class = CONF_CLASS_REFUSED},
    {.outcome = CONF_BROKEN},
};

START_TEST(failures_have_one_order)
{
    const int n = (int)(sizeof order / sizeof *order);
    for (int i = 0; i < n; i++) {
        const int found = conf_severity_compare(&order[_i], &order[i]);
        ck_assert_msg(_i < i ? found < 0 : _i > i ? found > 0 : found == 0, "%d, %d: found %d", _i, i, found);
    }
}
END_TEST

START_TEST(severity_has_the_measures_that_there_are)
{
    char text[CONF_SEVERITY_MAX];
    ck_assert_str_eq(conf_severity_print(&order[1], text), "1e+05 times the bound");
    ck_assert_str_eq(conf_severity_print(&order[3], text),
                     "2 times the bound, another best token in 3 of 4 rows");
    ck_assert_str_eq(conf_severity_print(&order[7], text), "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/judge/severity");
    TCase *t = tcase_create("all");
    tcase_add_loop_test(t, failures_have_one_order, 0, (int)(sizeof order / sizeof *order));
    tcase_add_test(t, severity_has_the_measures_that_there_are);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
