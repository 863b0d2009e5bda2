/* The time of a replay grows with the cost of the model. Needs the fixtures ($top_srcdir).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "conformance/evaluate/checkpoint.h"
#include "conformance/evaluate/deadline.h"
#include "conformance/support/clock.h"
#include "conformance/tests/support.h"

START_TEST(seconds_grow_with_the_cost_unless_they_were_chosen)
{
    const conf_limits usual = {.seconds = 60}, chosen = {.seconds = 5, .fixed = true};
    ck_assert_double_eq(conf_evaluate_seconds(&usual, 0), 60);
    ck_assert_double_eq(conf_evaluate_seconds(&usual, 6e7), 60);
    ck_assert_double_eq(conf_evaluate_seconds(&usual, 6e8), 600); /* 0.6 billion parameters */
    ck_assert_double_eq(conf_evaluate_seconds(&chosen, 6e8), 5);
}
END_TEST

START_TEST(cost_is_that_of_the_plan)
{
    char model[4096];
    (void)snprintf(model, sizeof model, "%s/fixtures/llama/base/model", getenv("top_srcdir"));
    const conf_case c = {.kind = CONF_LOGITS, .model = model};
    conf_verdict v = {.checkpoint = conf_checkpoint_check(&c)};
    const conf_limits usual = {.seconds = 60};
    ck_assert_double_gt(v.checkpoint.multiplies, 1000);
    ck_assert_double_lt(v.checkpoint.multiplies, 1e6);
    const double before = conf_clock();
    conf_evaluate_allow(&v, &usual);
    ck_assert_double_eq(v.allowed, 60);
    ck_assert_double_ge(v.until, before + 60);
    ck_assert_double_le(v.until, conf_clock() + 60);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("deadline");
    tcase_add_test(c, seconds_grow_with_the_cost_unless_they_were_chosen);
    tcase_add_test(c, cost_is_that_of_the_plan);
    Suite *suite = suite_create("evaluate/deadline");
    suite_add_tcase(suite, c);
    return support_run(suite);
}
