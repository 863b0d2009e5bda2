/* Programs of threads through the program: what agrees, every rule that an engine may break, and what it must
 * not bring down.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/support.h"

#define VECTOR(id, more, steps, outcomes)                                                                    \
    "{\"id\":" #id "," more "\"input\":{\"program\":[" steps "]},\"expect\":{\"outcome\":[" outcomes "]}}"
#define ON(thread, rest) "{\"thread\":" #thread ",\"op\":" rest "}"
#define ARANGE(thread, name, n, more)                                                                        \
    ON(thread, "\"make\",\"as\":\"" name "\",\"fn\":\"arange\",\"n\":" #n more)
#define OF(fn, name, of) "\"make\",\"as\":\"" name "\",\"fn\":\"" fn "\",\"of\":" of
#define NO_STREAM(n)     "{\"error\":\"There is no Stream(cpu, " #n ") in current thread.\"}"

/* Handed from thread to thread. */
#define PASSED                                                                                               \
    VECTOR(1, "\"comment\":\"handed over deferred\",",                                                       \
           ARANGE(0, "a", 3, "") "," ON(1, "\"eval\",\"of\":[\"a\"]") "," ON(                                \
               0, "\"eval\",\"of\":[\"a\"]") "," ON(1, "\"read\",\"of\":\"a\"") "," ON(0, "\"exit\""),       \
           "\"ok\"," NO_STREAM(0) ",\"ok\",{\"value\":[0,1,2]},\"ok\"")
/* Every function. */
#define COMPUTED                                                                                                                       \
    VECTOR(                                                                                                                            \
        2, "",                                                                                                                         \
        ARANGE(0, "a", 3, "") "," ON(0, OF("negative", "b", "\"a\"")) "," ON(0, OF("square", "c", "[\"b\"]")) "," ON(                  \
            0,                                                                                                                         \
            OF("add", "d",                                                                                                             \
               "[\"b\",\"c\"]")) "," ON(0,                                                                                             \
                                        OF("abs", "e",                                                                                 \
                                           "\"d\"")) "," ON(0,                                                                         \
                                                            "\"read\",\"of\":\"b\"") "," ON(0,                                         \
                                                                                            "\"read\","                                \
                                                                                            "\"of\":["                                 \
                                                                                            "\"e\"]") "," ON(0,                        \
                                                                                                             "\"read\",\"of\":\"c\""), \
        "\"ok\",\"ok\",\"ok\",\"ok\",\"ok\",{\"value\":[-0.0,-1,-2]},{\"value\":[0,0,2]},{\"value\":[0,1,4]"                           \
        "}")
/* An error that is kept. */
#define KEPT                                                                                                 \
    VECTOR(                                                                                                  \
        3, "",                                                                                               \
        ARANGE(0, "a", 2, "") "," ON(0, OF("inverse", "b", "\"a\"")) "," ON(                                 \
            0, "\"async_eval\",\"of\":[\"b\"]") "," ON(0, "\"synchronize\"") "," ON(0, "\"synchronize\""),   \
        "\"ok\",\"ok\",\"ok\",{\"error\":\"[Inverse::eval_cpu] LU factorization failed with error code "     \
        "1\"},\"ok\"")
/* Kinds of streams, scopes and defaults. */
#define STREAMS                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       \
    VECTOR(                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                           \
        4, "",                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        \
        ON(                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                           \
            0, "\"new_stream\",\"as\":\"s\",\"device\":\"cpu\"") "," ON(0,                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            \
                                                                        "\"new_thread_unsafe_stream\","                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               \
                                                                        "\"as\":\"u\"") "," ON(0,                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     \
                                                                                               "\"n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  \
                                                                                               "ew_"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  \
                                                                                               "thr"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  \
                                                                                               "ead"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  \
                                                                                               "_lo"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  \
                                                                                               "cal"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  \
                                                                                               "_st"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  \
                                                                                               "rea"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  \
                                                                                               "m\""                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  \
                                                                                               ",\""                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  \
                                                                                               "as"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
                                                                                               "\":"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  \
                                                                                               "\"l"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                  \
                                                                                               "\"") "," ON(0, "\"default_stream\",\"as\":\"d\"") "," ON(0, "\"enter_scope\","                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        \
                                                                                                                                                            "\"stream\":"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             \
                                                                                                                                                            "\"s\"") "," ON(0, "\"defa"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               \
                                                                                                                                                                               "ult_"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 \
                                                                                                                                                                               "stream"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               \
                                                                                                                                                                               "\"") "," ON(0, "\"enter_scope\",\"stream\":\"u\"") "," ON(0, "\"default_stream\"") "," ON(0, "\"leave_scope\"") "," ON(0,                                                                                                                                                                                                                                                                                                                                                                             \
                                                                                                                                                                                                                                                                                                       "\"leave_scope\"") "," ON(0, "\"default_stream\"") "," ON(0,                                                                                                                                                                                                                                                                                                                   \
                                                                                                                                                                                                                                                                                                                                                                 "\"set_default_stream\",\"stream\":\"s\"") "," ON(0,                                                                                                                                                                                                                                                                 \
                                                                                                                                                                                                                                                                                                                                                                                                                   "\"default_stream\"") "," ARANGE(0,                                                                                                                                                                                                                                \
                                                                                                                                                                                                                                                                                                                                                                                                                                                    "a",                                                                                                                                                                                                                              \
                                                                                                                                                                                                                                                                                                                                                                                                                                                    1,                                                                                                                                                                                                                                \
                                                                                                                                                                                                                                                                                                                                                                                                                                                    ",\"scope\":\"u\"") "," ARANGE(0,                                                                                                                                                                                                 \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   "b",                                                                                                                                                                                               \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   1,                                                                                                                                                                                                 \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   ",\"stream\":\"l\"") "," ON(1,                                                                                                                                                                     \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               "\"eval\",\"of\":[\"a\"]") "," ON(1,                                                                                                                                   \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 "\"eval\",\"of\":[\"b\"]") "," ON(0,                                                                                                 \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   "\"clear_streams\"") "," ON(0,                                                                     \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               "\"eval\",\"of\":[\"b\"]") "," ON(1,                                   \
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 "\"synchronize\",\"stream\":\"u\""), \
        "{\"index\":0},{\"index\":1},\"ok\",{\"index\":2},\"ok\",{\"index\":0},\"ok\",{\"index\":1},"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 \
        "\"ok\",\"ok\",{\"index\":2},\"ok\",{\"index\":0},\"ok\",\"ok\",\"ok\"," NO_STREAM(                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                           \
            3) ",\"ok\"," NO_STREAM(3) ",\"ok\"")
/* Devices that are not there. */
#define DEVICES                                                                                              \
    VECTOR(                                                                                                  \
        5, "",                                                                                               \
        ON(7, "\"new_stream\",\"as\":\"g\",\"device\":\"gpu\"") "," ON(                                      \
            7, "\"default_stream\",\"device\":\"gpu\"") "," ON(7,                                            \
                                                               "\"default_stream\",\"device\":\"cpu:1\""),   \
        "{\"error\":\"[new_stream] Cannot make gpu stream without gpu backend.\"},"                          \
        "{\"error\":\"[default_stream] Cannot get gpu stream without gpu backend.\"},"                       \
        "{\"error\":\"vector::_M_range_check: __n (which is 1) >= this->size() (which is 1)\"}")

static const char *const sound =
    "{\"schema\":\"assay/1\",\"kind\":\"threads\",\"catches\":\"streams of others\",\"groups\":[{\"name\":"
    "\"g\",\"vectors\":[" PASSED "," COMPUTED "," KEPT "," STREAMS "," DEVICES "]}]}";

static void setup(void)
{
    support_setup();
    support_mkdir(support_path("cases"));
    support_write_text(support_path("cases/all.json"), sound);
}

/* Runs the fake streams, which break the rule `fault`. */
static const support_output *run(const char *fault, const char *arguments)
{
    char command[8192];
    (void)snprintf(command, sizeof command,
                   "STREAMS_FAULT=%s ASSAY_ENGINE_PATH=$(dirname %s) \"$ASSAY\" run -e streams %s", fault,
                   support_engine("streams"), arguments);
    return support_shell(command);
}

START_TEST(sound_streams_agree)
{
    const support_output *o = run("none", "-v cases");
    assert_code(o, 0);
    assert_holds(o->out, "pass all streams\n  5 vectors\n");
    assert_holds(o->out, "1 passed, 0 failed, 0 skipped\n");
}
END_TEST

/* The first vector that tells, what is said of it, and how many do. */
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
    {"endless", "step 3 (thread 1, read a): expected 3 numbers, found more elements than there is room for\n",
     "g/1", "2 of 5"},
    {"dropped",
     "step 3 (thread 0, synchronize): expected error \"[Inverse::eval_cpu] LU factorization failed with "
     "error "
     "code 1\", found ok\n",
     "g/3", "1 of 5"},
    {"no-array", "step 0 (thread 0, make a): expected ok, found ok without an array\n", "g/1", "4 of 5"},
};

START_TEST(a_broken_rule_is_named_with_its_vector_and_step)
{
    char repro[256];
    const support_output *o = run(faults[_i].fault, "cases");
    assert_code(o, 1);
    assert_holds(o->out, "FAIL all streams\n");
    assert_holds(o->out, faults[_i].reason);
    assert_holds(o->out, faults[_i].notes);
    (void)snprintf(repro, sizeof repro, "  REPRO: assay run --engine streams --vector %s cases/all.json\n",
                   faults[_i].vector);
    assert_holds(o->out, repro);
    (void)snprintf(repro, sizeof repro, "--fail-class threads --vector %s cases/all.json", faults[_i].vector);
    o = run(faults[_i].fault, repro);
    assert_code(o, 1);
    assert_holds(o->out, faults[_i].reason);
    assert_holds(o->out, "1 of 1 vectors diverges\n");
}
END_TEST

START_TEST(a_comment_stands_beside_the_name_of_a_vector)
{
    const support_output *o = run("everywhere", "cases");
    assert_holds(o->out, "  first:  vector g/1, handed over deferred\n");
    o = run("sign", "cases");
    assert_holds(o->out, "  first:  vector g/2\n");
}
END_TEST

START_TEST(a_crash_is_that_of_its_vector_and_names_the_step)
{
    const support_output *o = run("crash", "cases");
    assert_code(o, 1);
    assert_holds(o->out, "  the engine died of SIGSEGV (Segmentation fault) in step 1 (thread 1, eval a)\n");
    assert_holds(o->out, "3 of 5 vectors diverge\n");
    assert_holds(o->out, " --vector g/1 ");
    o = run("crash", "--fail-class crash cases");
    assert_code(o, 1);
    o = run("exit", "cases");
    assert_code(o, 1);
    assert_holds(o->out, "  the engine ended the process with exit status 3 in step 1 (thread 1, eval a)\n");
    o = run("crash-late", "cases");
    assert_code(o, 1);
    assert_holds(o->out, "  the engine died of SIGSEGV (Segmentation fault) in array_free\n");
}
END_TEST

START_TEST(a_hang_is_that_of_its_vector_and_ends_the_case)
{
    const support_output *o = run("hang", "--timeout 0.5 cases");
    assert_code(o, 1);
    assert_holds(o->out,
                 "  the engine did not answer within 0.5 s and was killed in step 1 (thread 1, eval a)\n");
    assert_holds(o->out, "1 of 1 vectors diverges; 4 more were not replayed\n");
    assert_holds(o->out, "REPRO: assay run --engine streams --timeout 0.5 --vector g/1 cases/all.json\n");
}
END_TEST

/* 0.5 s are for one vector. */
START_TEST(the_time_of_a_case_is_that_of_its_vectors)
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
    const support_output *o = run("slow", "--timeout 0.5 -v cases");
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

START_TEST(a_vector_that_may_differ_may_not_crash)
{
    write_either("match");
    const support_output *o = run("none", "cases");
    assert_code(o, 1);
    write_either("either");
    o = run("none", "-v cases");
    assert_code(o, 0);
    assert_holds(o->out, "1 vector; 1 differ where they may\n");
    support_write_text(
        support_path("cases/all.json"),
        "{\"schema\":\"assay/1\",\"kind\":\"threads\",\"groups\":[{\"name\":\"g\",\"vectors\":["
        "{\"id\":1,\"verdict\":\"either\",\"reason\":\"varies\",\"input\":{\"program\":[" ARANGE(
            0, "a", 1, "") "," ON(0,
                                  "\"eval\",\"of\":[\"a\"]") "]},"
                                                             "\"expect\":{\"outcome\":[\"ok\",\"ok\"]}}]}]}");
    o = run("crash", "cases");
    assert_code(o, 1);
}
END_TEST

START_TEST(one_vector_is_asked_for_by_name)
{
    (void)support_write_decoder(support_path("cases/numbers.h5"), "logits", "ok");
    const support_output *o = run("none", "-v --vector g/4 cases");
    assert_code(o, 0);
    assert_holds(o->out, "pass all streams\n  1 vector\n");
    assert_holds(o->out, "skipped: it has no vectors:\n  numbers\n");
    o = run("none", "--vector g/9 cases");
    assert_code(o, 77);
    assert_holds(o->out, "skipped: it has no vector g/9:\n  all\n");
    o = run("none", "--vector= cases");
    assert_code(o, 2);
}
END_TEST

START_TEST(an_engine_without_streams_skips_the_case)
{
    const support_output *o = support_assay("run -e %s cases", support_engine("fake32"));
    assert_code(o, 77);
    assert_holds(o->out, "skipped: it has no streams: it does not export assay_streams_v1:\n  all\n");
}
END_TEST

START_TEST(what_has_no_part_in_textual_cases_skips_them)
{
    const support_output *o = support_assay("run -e %s --compute bf16 cases", support_engine("fake32"));
    assert_code(o, 77);
    assert_holds(o->out, "a textual case has no products: nothing of it is computed in bfloat16:\n  all\n");
    o = support_assay("run -e %s --kernels %s cases", support_engine("fake32"),
                      support_engine("broken_kernels"));
    assert_code(o, 77);
    assert_holds(o->out, "skipped: kernels have no part in a textual case:\n  all\n");
}
END_TEST

static const char *const tables[][2] = {
    {"no-table", "assay_streams_v1 returned no table"},
    {"abi", "built for stream ABI 2, expected 1"},
    {"size", "its table of streams has 24 bytes, expected at least"},
    {"lacks", "its table of streams lacks eval, which every one must have"},
};

START_TEST(a_broken_table_of_streams_is_an_error)
{
    const support_output *o = run(tables[_i][0], "cases");
    assert_code(o, 99);
    assert_holds(o->out, "ERROR all streams\n");
    assert_holds(o->out, tables[_i][1]);
}
END_TEST

START_TEST(reports_for_programs_name_class_and_vector)
{
    const support_output *o = run("sign", "--json - cases");
    assert_code(o, 1);
    assert_holds(o->out, "\"class\":\"threads\"");
    assert_holds(o->out, "\"stage\":\"a vector\"");
    assert_holds(o->out, "\"vector\":\"g/2\"");
    assert_holds(o->out, "\"where\":\"vector g/2\"");
    assert_holds(o->out, "\"notes\":\"1 of 5 vectors diverges\"");
    assert_holds(o->out, "\"repro\":\"assay run --engine streams --vector g/2 cases/all.json\"");
    o = run("sign", "--junit - cases");
    assert_holds(o->out,
                 "<failure message=\"step 5 (thread 0, read b): expected element 1 to be -1, found 1\" "
                 "type=\"threads\">stage: a vector\nfirst: vector g/2\n");
    o = run("sign", "--tap - cases");
    assert_holds(o->out,
                 "not ok 1 - all streams\n# FAIL all streams\n#   step 5 (thread 0, read b): expected");
    o = run("none", "--json - cases");
    assert_holds(o->out, "\"vector\":\"\"");
    assert_holds(o->out, "\"where\":\"\"");
}
END_TEST

START_TEST(a_broken_case_is_an_error_that_names_the_member)
{
    support_write_text(support_path("cases/all.json"),
                       "{\"schema\":\"assay/1\",\"kind\":\"threads\",\"groups\":[1]}");
    const support_output *o = run("none", "cases");
    assert_code(o, 99);
    assert_holds(o->out, "  cases/all.json: groups[0]: found a whole number, expected an object\n");
    o = support_assay("list cases");
    assert_code(o, 99);
    assert_holds(o->err, "cases/all.json: groups[0]: found a whole number");
}
END_TEST

START_TEST(unknown_members_are_warnings)
{
    support_write_text(support_path("cases/all.json"),
                       "{\"schema\":\"assay/"
                       "1\",\"kind\":\"threads\",\"groups\":[{\"name\":\"g\",\"hue\":0,\"vectors\":[" VECTOR(
                           1, "", ON(0, "\"exit\""), "\"ok\"") "]}]}");
    const support_output *o = run("none", "cases");
    assert_code(o, 0);
    assert_holds(o->err,
                 "assay: warning: cases/all.json: groups[0].hue is unknown to this version, and ignored\n");
}
END_TEST

START_TEST(textual_cases_are_listed_and_shown)
{
    const support_output *o = support_assay("list cases");
    assert_code(o, 0);
    ck_assert_str_eq(o->out, "all  threads     streams of others\n");
    o = support_assay("info cases/all.json");
    assert_code(o, 0);
    assert_holds(o->out, "kind       threads\n");
    assert_holds(o->out, "vectors    5 in 1 group\n");
    o = support_assay("locate -e %s cases/all.json", support_engine("streams"));
    assert_code(o, 77);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/threads");
    TCase *t = tcase_create("threads");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, support_teardown);
    tcase_add_test(t, sound_streams_agree);
    tcase_add_loop_test(t, a_broken_rule_is_named_with_its_vector_and_step, 0,
                        sizeof faults / sizeof *faults);
    tcase_add_test(t, a_comment_stands_beside_the_name_of_a_vector);
    tcase_add_test(t, a_crash_is_that_of_its_vector_and_names_the_step);
    tcase_add_test(t, a_hang_is_that_of_its_vector_and_ends_the_case);
    tcase_add_test(t, the_time_of_a_case_is_that_of_its_vectors);
    tcase_add_test(t, a_vector_that_may_differ_may_not_crash);
    tcase_add_test(t, one_vector_is_asked_for_by_name);
    tcase_add_test(t, an_engine_without_streams_skips_the_case);
    tcase_add_test(t, what_has_no_part_in_textual_cases_skips_them);
    tcase_add_loop_test(t, a_broken_table_of_streams_is_an_error, 0, sizeof tables / sizeof *tables);
    tcase_add_test(t, reports_for_programs_name_class_and_vector);
    tcase_add_test(t, a_broken_case_is_an_error_that_names_the_member);
    tcase_add_test(t, unknown_members_are_warnings);
    tcase_add_test(t, textual_cases_are_listed_and_shown);
    suite_add_tcase(s, t);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_NORMAL);
    int n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_failed != 0;
}
