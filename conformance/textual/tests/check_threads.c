/* Cases of kind threads through assay run: a module that agrees, a module that breaks each rule in
 * turn, crashes, hangs and exits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/programs.h"
#include "conformance/tests/support.h"

START_TEST(valid_streams_agree)
{
    const support_output *o = programs_run("none", "-v cases");
    assert_code(o, 0);
    assert_holds(o->out, "pass cases/all.json streams\n  5 vectors\n");
    assert_holds(o->out, "1 passed, 0 failed, 0 skipped\n");
}
END_TEST

/* Faults, each with the message expected, the first vector that diverges, and the number of those that
 * do. */
static const struct {
    const char *fault, *reason, *vector, *notes;
} faults[] = {
    {"everywhere",
     "step 1 (thread 1, eval a): expected error \"There is no Stream(cpu, 0) in current thread.\", found "
     "ok\n",
     "g/1", "2 of 5 vectors diverge"},
    {"words",
     "step 1 (thread 1, eval a): expected error \"There is no Stream(cpu, 0) in current thread.\", found "
     "error "
     "\"no stream 0 here\" (ASSAY_ESTREAM)\n",
     "g/1", "2 of 5"},
    {"status", "thread.: an array\" (ASSAY_EINVAL)\n", "g/1", "2 of 5"},
    {"index", "step 3 (thread 0, default_stream d): expected index 2, found index 3\n", "g/4",
     "1 of 5 vectors diverges"},
    {"scope", "step 10 (thread 0, default_stream): expected index 2, found index 1\n", "g/4", "1 of 5"},
    {"sign", "step 5 (thread 0, read b): expected element 1 to be -1, found 1\n", "g/2", "1 of 5"},
    {"unwritten", "step 3 (thread 1, read a): expected element 2 to be 2, found nan\n", "g/1", "2 of 5"},
    {"short", "step 3 (thread 1, read a): expected 3 numbers, found 2\n", "g/1", "2 of 5"},
    {"endless",
     "step 3 (thread 1, read a): expected 3 numbers, found more elements than the buffer's capacity\n", "g/1",
     "2 of 5"},
    {"dropped",
     "step 3 (thread 0, synchronize): expected error \"[Inverse::eval_cpu] LU factorization failed with "
     "error "
     "code 1\", found ok\n",
     "g/3", "1 of 5"},
    {"no-array", "step 0 (thread 0, make a): expected ok, found status ok without an array\n", "g/1",
     "4 of 5"},
};

START_TEST(a_broken_rule_is_reported_with_its_vector_and_step)
{
    char repro[256];
    const support_output *o = programs_run(faults[_i].fault, "cases");
    assert_code(o, 1);
    assert_holds(o->out, "FAIL (threads) cases/all.json streams\n");
    assert_holds(o->out, faults[_i].reason);
    assert_holds(o->out, faults[_i].notes);
    (void)snprintf(repro, sizeof repro, "  REPRO: assay run --engine streams --vector %s cases/all.json\n",
                   faults[_i].vector);
    assert_holds(o->out, repro);
    (void)snprintf(repro, sizeof repro, "--fail-class threads --vector %s cases/all.json", faults[_i].vector);
    o = programs_run(faults[_i].fault, repro);
    assert_code(o, 1);
    assert_holds(o->out, faults[_i].reason);
    assert_holds(o->out, "1 of 1 vectors diverges\n");
}
END_TEST

START_TEST(a_comment_follows_the_name_of_a_vector)
{
    const support_output *o = programs_run("everywhere", "cases");
    assert_holds(o->out, "  first:  vector g/1, handed over deferred\n");
    o = programs_run("sign", "cases");
    assert_holds(o->out, "  first:  vector g/2\n");
}
END_TEST

START_TEST(a_crash_fails_its_vector_and_names_the_step)
{
    const support_output *o = programs_run("crash", "cases");
    assert_code(o, 1);
    assert_holds(
        o->out, "  the engine was terminated by SIGSEGV (Segmentation fault) in step 1 (thread 1, eval a)\n");
    assert_holds(o->out, "3 of 5 vectors diverge\n");
    assert_holds(o->out, " --vector g/1 ");
    o = programs_run("crash", "--fail-class crash cases");
    assert_code(o, 1);
    o = programs_run("exit", "cases");
    assert_code(o, 1);
    assert_holds(o->out, "  the engine ended the process with exit status 3 in step 1 (thread 1, eval a)\n");
    o = programs_run("crash-late", "cases");
    assert_code(o, 1);
    assert_holds(o->out, "  the engine was terminated by SIGSEGV (Segmentation fault) in array_free\n");
}
END_TEST

START_TEST(a_hang_fails_its_vector_and_ends_the_case)
{
    const support_output *o = programs_run("hang", "--timeout 0.5 cases");
    assert_code(o, 1);
    assert_holds(o->out,
                 "  the engine did not answer within 0.5 s and was killed in step 1 (thread 1, eval a)\n");
    assert_holds(o->out, "1 of 1 vectors diverges; 4 more were not replayed\n");
    assert_holds(o->out, "REPRO: assay run --engine streams --timeout 0.5 --vector g/1 cases/all.json\n");
}
END_TEST

/* The timeout of 0.5 s applies to each vector. */
START_TEST(the_timeout_applies_to_each_vector)
{
    char *text = malloc(1 << 20);
    ck_assert_ptr_nonnull(text);
    size_t n =
        (size_t)sprintf(text, "{\"schema\":\"assay/1\",\"kind\":\"threads\",\"groups\":[{\"name\":\"g\","
                              "\"vectors\":[");
    for (int i = 0; i < 40; i++)
        n += (size_t)sprintf(text + n,
                             "%s{\"id\":%d,\"input\":{\"program\":[{\"thread\":0,\"op\":\"clear_streams\"}]},"
                             "\"expect\":{\"outcome\":[\"ok\"]}}",
                             i ? "," : "", i);
    (void)sprintf(text + n, "]}]}");
    support_write_text(support_path("cases/all.json"), text);
    free(text);
    const support_output *o = programs_run("slow", "--timeout 0.5 -v cases");
    assert_code(o, 0);
    assert_holds(o->out, "  40 vectors\n");
}
END_TEST

static void write_either(const char *verdict)
{
    char text[2048];
    (void)snprintf(
        text, sizeof text,
        "{\"schema\":\"assay/1\",\"kind\":\"threads\",\"groups\":[{\"name\":\"g\",\"vectors\":["
        "{\"id\":1,\"verdict\":\"%s\",\"reason\":\"varies\",\"input\":{\"program\":[{\"thread\":0,\"op\":"
        "\"default_stream\"}," ARANGE(0, "a", 1, "") "," ON(
            0, "\"eval\",\"of\":[\"a\"]") "]},"
                                          "\"expect\":{\"outcome\":[{\"index\":5},\"ok\",\"ok\"]}}]}]}",
        verdict);
    support_write_text(support_path("cases/all.json"), text);
}

START_TEST(a_vector_with_verdict_either_must_not_crash)
{
    write_either("match");
    const support_output *o = programs_run("none", "cases");
    assert_code(o, 1);
    write_either("either");
    o = programs_run("none", "-v cases");
    assert_code(o, 0);
    assert_holds(o->out, "1 vector; 1 differ where the format allows it\n");
    support_write_text(
        support_path("cases/all.json"),
        "{\"schema\":\"assay/1\",\"kind\":\"threads\",\"groups\":[{\"name\":\"g\",\"vectors\":["
        "{\"id\":1,\"verdict\":\"either\",\"reason\":\"varies\",\"input\":{\"program\":[" ARANGE(
            0, "a", 1, "") "," ON(0,
                                  "\"eval\",\"of\":[\"a\"]") "]},"
                                                             "\"expect\":{\"outcome\":[\"ok\",\"ok\"]}}]}]}");
    o = programs_run("crash", "cases");
    assert_code(o, 1);
}
END_TEST

static const char *const tables[][2] = {
    {"no-table", "assay_streams_v1 returned no table"},
    {"abi", "built for stream ABI 2, expected 1"},
    {"size", "its stream table has 24 bytes, expected at least"},
    {"lacks", "its stream table lacks the required eval"},
};

START_TEST(a_broken_table_of_streams_is_an_error)
{
    const support_output *o = programs_run(tables[_i][0], "cases");
    assert_code(o, 99);
    assert_holds(o->out, "ERROR cases/all.json streams\n");
    assert_holds(o->out, tables[_i][1]);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/textual/threads");
    TCase *t = tcase_create("threads");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, programs_setup, support_teardown);
    tcase_add_test(t, valid_streams_agree);
    tcase_add_loop_test(t, a_broken_rule_is_reported_with_its_vector_and_step, 0,
                        sizeof faults / sizeof *faults);
    tcase_add_test(t, a_comment_follows_the_name_of_a_vector);
    tcase_add_test(t, a_crash_fails_its_vector_and_names_the_step);
    tcase_add_test(t, a_hang_fails_its_vector_and_ends_the_case);
    tcase_add_test(t, the_timeout_applies_to_each_vector);
    tcase_add_test(t, a_vector_with_verdict_either_must_not_crash);
    tcase_add_loop_test(t, a_broken_table_of_streams_is_an_error, 0, sizeof tables / sizeof *tables);
    suite_add_tcase(s, t);
    return support_run(s);
}
