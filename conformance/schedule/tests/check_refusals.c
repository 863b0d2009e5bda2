/* assay schedule with engines that refuse operations: what they answered before is compared, and the rest is
 * skipped by name.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/schedule/tests/helpers.h"

/* A session with a prompt, and a fork of its sample. */
#define FORKED                                                                                               \
    "{\"schema\":\"assay/1\", \"kind\": \"schedule\", \"case\": \"case.h5\", \"engine\": \"ref32\", "        \
    "\"workers\": 2, \"steps\": [{\"thread\": 0, \"op\": \"open\", \"model\": 0}, "                          \
    "{\"thread\": 0, \"op\": \"session\", \"session\": 0, \"model\": 0, \"prompts\": [0]}, "                 \
    "{\"thread\": 0, \"op\": \"step\", \"session\": 0, \"samples\": [0], \"rows\": \"all\"}, "               \
    "{\"thread\": 1, \"op\": \"fork\", \"session\": 0, \"sample\": 1, \"from\": 0, \"origin\": 0}, "         \
    "{\"thread\": 1, \"op\": \"step\", \"session\": 0, \"samples\": [0, 1], \"rows\": \"all\"}, "            \
    "{\"thread\": 0, \"op\": \"free\", \"session\": 0}, {\"thread\": 0, \"op\": \"close\", \"model\": 0}]}"

START_TEST(rows_before_a_refused_operation_are_compared)
{
    write_case("fork-unsupported-workers");
    const support_output *o = schedule("--seed 1 --shape prefix");
    assert_code(o, 1);
    assert_holds(o->out, "the serial run gives ");
    assert_holds(o->out, "with ASSAY_WORKERS=");
}
END_TEST

START_TEST(the_rest_of_a_program_is_skipped_by_name)
{
    write_case("fork-unsupported");
    const support_output *o = schedule("--shape prefix --draws 3 --tap tap");
    assert_code(o, 0);
    assert_holds(o->out, "\nskipped: the rest of 3 of 3 programs of case, by threaded.so: from step ");
    assert_holds(o->out, ", fork, session ");
    assert_holds(o->out, ") on: fork failed: forks are not supported\n");
    assert_holds(o->out, "1 passed, 0 failed, 0 skipped; 3 programs, 12 runs\n");
    o = support_shell("cat tap");
    assert_holds(o->out,
                 "ok 1 - case threaded.so, 12 runs\n# skipped: the rest of 3 of 3 programs of case, ");
    o = schedule("--shape prefix --draws 3 --json -");
    assert_code(o, 0);
    assert_holds(o->out, "\"skipped_programs\":0");
    assert_holds(o->out, "\"skip_reason\":null");
    assert_holds(o->out, "\"partial_programs\":3");
    assert_holds(o->out, "on: fork failed: forks are not supported\"");
}
END_TEST

START_TEST(a_replayed_program_is_run_up_to_the_refused_operation)
{
    write_case("fork-unsupported");
    support_write_text(support_path("forked.json"), FORKED);
    const support_output *o = schedule("--times 3 --replay forked.json");
    assert_code(o, 0);
    assert_holds(o->out, "3 runs agree with the serial run\n");
    assert_holds(o->out, "skipped: from step 4 (thread 1, fork, session 0) on: fork failed: forks are not "
                         "supported\n");
    write_case("fork-unsupported-workers");
    o = schedule("--times 3 --replay forked.json");
    assert_code(o, 1);
    assert_holds(o->out, "the serial run gives ");
    assert_holds(o->out, "step 3 (thread 0, step, session 0)");
}
END_TEST

START_TEST(generated_tokens_may_not_be_refused)
{
    write_case("decode-unsupported");
    const support_output *o = schedule("--shape handover --seed 1");
    assert_code(o, 1);
    assert_holds(o->out, "step failed: no decode");
    assert_holds(o->out, "on one thread, in the order of the list");
}
END_TEST

/* The shape has one or two samples. */
START_TEST(after_a_skipped_program_the_next_is_drawn)
{
    write_case("one-sample");
    const support_output *o = schedule("--shape handover --draws 20");
    assert_code(o, 0);
    assert_holds(o->out, " of 20 programs of case, by threaded.so: session failed: at most one sample\n");
    assert_holds(o->out, "1 passed, 0 failed, 0 skipped; ");
    assert_lacks(o->out, "; 20 programs");
    assert_lacks(o->out, "; 0 programs");
    const char *skipped = strstr(o->out, "skipped: "), *sum = strstr(o->out, "0 skipped; ");
    ck_assert(skipped && sum);
    const long n_skipped = strtol(skipped + strlen("skipped: "), NULL, 10);
    ck_assert_int_eq(n_skipped + strtol(sum + strlen("0 skipped; "), NULL, 10), 20);
}
END_TEST

START_TEST(a_case_whose_programs_are_all_skipped_is_skipped)
{
    write_case("unsupported");
    const support_output *o = schedule("--shape handover --draws 5 --json json");
    assert_code(o, 77);
    assert_holds(o->out, "skipped: case, by threaded.so: open failed: sinks are not implemented\n");
    assert_holds(o->out, "0 passed, 0 failed, 1 skipped; 0 programs, 0 runs\n");
    o = support_shell("tr -d ' \\n' <json");
    assert_holds(o->out, "\"skipped_programs\":5,\"skip_reason\":\"openfailed:sinksarenotimplemented\"");
}
END_TEST

/* Rounds without an answer do not hide the answers of others. */
START_TEST(rounds_of_which_some_are_skipped_pass)
{
    write_case("one-sample");
    const support_output *o = schedule("--shape handover --for 1.5 --threads 2");
    assert_code(o, 0);
    assert_holds(o->out, "1 passed, 0 failed, 0 skipped; ");
    assert_holds(o->out, " programs of case, by threaded.so: session failed: at most one sample\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/schedule/refusals");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, schedule_setup, support_teardown);
    tcase_set_timeout(all, 300);
    tcase_add_test(all, rows_before_a_refused_operation_are_compared);
    tcase_add_test(all, the_rest_of_a_program_is_skipped_by_name);
    tcase_add_test(all, a_replayed_program_is_run_up_to_the_refused_operation);
    tcase_add_test(all, generated_tokens_may_not_be_refused);
    tcase_add_test(all, after_a_skipped_program_the_next_is_drawn);
    tcase_add_test(all, a_case_whose_programs_are_all_skipped_is_skipped);
    tcase_add_test(all, rounds_of_which_some_are_skipped_pass);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
