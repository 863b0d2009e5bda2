/* Observations that are judged in part, and what of them is left out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/diff/state.h"
#include "conformance/tests/compare.h"
#include "conformance/tests/engines/formula.h"

static compare_answer assert_outcome(conf_outcome outcome, const char *reason)
{
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_msg(x.status == ASSAY_OK, "%s", x.err.text);
    ck_assert_msg(x.v.outcome == outcome, "%s: %s %s", x.v.reason, x.v.where, x.v.notes);
    assert_holds(x.v.reason, reason);
    conf_strings_free(&x.unknown);
    return x;
}

/* Spoils each part of the observation. */
static void spoil_all(void)
{
    edit_element(compare_seen, "/observed/prefill", (size_t)2 * FORMULA_VOCAB, 100);
    edit_element(compare_seen, "/observed/tokens", 1, 4);
    edit_element(compare_seen, "/observed/trace/embed", 0, 100);
}

static void keep_only(const char *name)
{
    static const char *const members[] = {"/observed/prefill", "/observed/decode", "/observed/tokens",
                                          "/observed/trace"};
    for (size_t i = 0; i < 4; i++)
        if (strstr(members[i], name) == NULL) edit_remove(compare_seen, members[i]);
}

START_TEST(each_part_is_judged_by_itself)
{
    spoil_all();
    compare_parts = CONF_DIFF_LOGITS;
    compare_answer x = assert_outcome(CONF_FAILED, "largest error of the logits");
    assert_lacks(x.v.notes, "also");
    compare_parts = CONF_DIFF_TOKENS;
    x = assert_outcome(CONF_FAILED, "a greedy token differs");
    assert_lacks(x.v.notes, "also");
    compare_parts = CONF_DIFF_TRACES;
    x = assert_outcome(CONF_FAILED, "tensor");
    assert_holds(x.v.trace, "embed[0,0]: expected ");
}
END_TEST

START_TEST(unjudged_members_may_be_wrong)
{
    edit_element(compare_seen, "/observed/prefill", (size_t)2 * FORMULA_VOCAB, 100);
    compare_parts = CONF_DIFF_TOKENS | CONF_DIFF_TRACES;
    compare_answer x = assert_outcome(CONF_PASSED, "the greedy tokens agree");
    assert_holds(x.v.reason, "; not judged: logits");
    edit_element(compare_seen, "/observed/tokens", 1, 4);
    compare_parts = CONF_DIFF_TRACES;
    x = assert_outcome(CONF_PASSED, "2 of 2 recorded tensors agree");
    assert_holds(x.v.reason, "; not judged: logits and tokens");
}
END_TEST

START_TEST(unjudged_members_may_be_missing)
{
    keep_only("tokens");
    compare_parts = CONF_DIFF_TOKENS;
    (void)assert_outcome(CONF_PASSED, "the greedy tokens agree");
    compare_parts = CONF_DIFF_LOGITS | CONF_DIFF_TOKENS;
    assert_refused("seen.h5: /observed/prefill and /observed/decode are missing");
    (void)support_observe(compare_golden, "truth", compare_seen);
    keep_only("trace");
    compare_parts = CONF_DIFF_TRACES;
    (void)assert_outcome(CONF_PASSED, "2 of 2 recorded tensors agree");
    (void)support_observe(compare_golden, "float32", compare_seen);
    edit_remove(compare_seen, "/observed/tokens");
    compare_parts = CONF_DIFF_LOGITS;
    (void)assert_outcome(CONF_PASSED, "12 rows of 19 logits in float32 agree");
}
END_TEST

START_TEST(traces_without_logits_are_judged_by_their_own_type)
{
    keep_only("trace");
    compare_parts = CONF_DIFF_TRACES;
    edit_element(compare_seen, "/observed/trace/embed", 0, NAN);
    (void)assert_outcome(CONF_FAILED, "a tensor on the way does not agree");
    edit_remove(compare_seen, "/observed/trace");
    assert_refused("seen.h5: /observed/trace has none of the tensors of ");
}
END_TEST

START_TEST(a_part_that_the_golden_lacks_is_not_judged)
{
    edit_remove(compare_golden, "/trace");
    compare_parts = CONF_DIFF_TRACES;
    (void)assert_outcome(CONF_SKIPPED, "case.h5: the case has no recorded run to judge the traces by");
    ck_assert_int_eq(support_assay("diff --part traces case.h5 seen.h5")->code, 77);
    compare_parts = CONF_DIFF_TRACES | CONF_DIFF_TOKENS;
    compare_answer x = assert_outcome(CONF_PASSED, "the greedy tokens agree");
    assert_holds(x.v.notes, "the case has no recorded run to judge the traces by");
}
END_TEST

START_TEST(two_observations_are_compared_in_part)
{
    compare_golden = support_observe(compare_golden, "float32", support_path("other.h5"));
    spoil_all();
    compare_parts = CONF_DIFF_LOGITS;
    (void)assert_outcome(CONF_FAILED, "largest error of the logits");
    compare_parts = CONF_DIFF_TOKENS;
    (void)assert_outcome(CONF_FAILED, "a greedy token differs");
    compare_parts = CONF_DIFF_TRACES;
    (void)assert_outcome(CONF_FAILED, "tensor");
    keep_only("tokens");
    compare_parts = CONF_DIFF_TOKENS;
    (void)assert_outcome(CONF_FAILED, "a greedy token differs");
    edit_remove(compare_seen, "/observed/tokens");
    assert_refused("seen.h5: /observed/tokens is missing, and ");
}
END_TEST

START_TEST(the_program_takes_parts)
{
    spoil_all();
    const support_output *o = support_assay("diff --part tokens --part traces case.h5 seen.h5");
    ck_assert_int_eq(o->code, 1);
    assert_holds(o->out, "\n  REPRO: assay diff --part tokens --part traces case.h5 seen.h5\n");
    o = support_assay("diff --part token case.h5 seen.h5");
    ck_assert_int_eq(o->code, 2);
    assert_holds(o->err, "option --part: found token, expected one of logits, tokens, traces");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/diff/parts");
    TCase *tc = tcase_create("parts");
    tcase_add_checked_fixture(tc, compare_setup, support_teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, each_part_is_judged_by_itself);
    tcase_add_test(tc, unjudged_members_may_be_wrong);
    tcase_add_test(tc, unjudged_members_may_be_missing);
    tcase_add_test(tc, traces_without_logits_are_judged_by_their_own_type);
    tcase_add_test(tc, a_part_that_the_golden_lacks_is_not_judged);
    tcase_add_test(tc, two_observations_are_compared_in_part);
    tcase_add_test(tc, the_program_takes_parts);
    suite_add_tcase(s, tc);
    return support_run(s);
}
