/* assay schedule: options and engines that lack functions, and the command line.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/schedule/tests/helpers.h"

START_TEST(options_reach_every_model)
{
    write_case("asked");
    assert_code(schedule("--compute bf16"), 0);
    const support_output *o = schedule("--kernels fastpath");
    assert_code(o, 0);
    assert_holds(o->out, "1 programs, 4 runs\nwith the kernels of fastpath\n");
    o = schedule("--kernels fastpath --compute f32 --json -");
    assert_code(o, 0);
    assert_holds(o->out, "\"kernels\":\"fastpath\",\n  \"compute\":\"f32\"");
    o = schedule("--json -");
    assert_code(o, 1);
    assert_holds(o->out, "opened without what was asked for");
    assert_holds(o->out, "\"kernels\":null,\n  \"compute\":null");
}
END_TEST

/* A fault that occurs only with an option, the option that removes it, the message, and what the file
 * says. */
static const struct {
    const char *fault, *option, *instead, *says, *info;
} ASKED[] = {
    {"narrow-fails", "--compute bf16", "--compute f32", "There is no bfloat16 in current thread.",
     "engine     threaded.so\ncompute    bf16\nworkers "},
    {"narrow-fails", "--compute bf16 --allow-unknown 'a b' --allow-unknown c", "--compute f32",
     "There is no bfloat16 in current thread.", "engine     threaded.so\ncompute    bf16\nworkers "},
    {"kernels-fail", "--kernels fastpath", NULL, "There is no kernel in current thread.",
     "engine     threaded.so\nkernels    fastpath\nworkers "},
};

START_TEST(options_are_saved_and_replayed)
{
    char text[256];
    write_case(ASKED[_i].fault);
    assert_code(schedule("--seed 1"), 0);
    (void)snprintf(text, sizeof text, "cp %.200s threaded.so", engine);
    assert_code(support_shell(text), 0);
    const support_output *o =
        support_assay("schedule --engine threaded.so --seed 1 %s case.h5", ASKED[_i].option);
    assert_code(o, 1);
    assert_holds(o->out, ASKED[_i].says);
    (void)snprintf(
        text, sizeof text,
        "  REPRO: assay schedule %s --engine threaded.so --replay ./schedule-threaded-case-1.json\n",
        ASKED[_i].option);
    assert_holds(o->out, text);
    o = support_assay("info schedule-threaded-case-1.json");
    assert_holds(o->out, ASKED[_i].info);
    o = support_assay("schedule --engine threaded.so --replay schedule-threaded-case-1.json");
    assert_code(o, 1);
    assert_holds(o->out, ASKED[_i].says);
    if (!ASKED[_i].instead) return;
    o = support_assay("schedule --engine threaded.so %s --replay schedule-threaded-case-1.json",
                      ASKED[_i].instead);
    assert_code(o, 0);
}
END_TEST

/* The case has no recorded run in bfloat16; schedule does not need one. */
START_TEST(an_engine_without_the_option_is_skipped)
{
    write_case("sound");
    const support_output *o =
        support_assay("schedule -e %s -e %s --compute bf16 case.h5", engine, support_engine("old_table"));
    assert_code(o, 0);
    assert_holds(o->out, "by old_table.so: open failed: the type of activations cannot be chosen");
    assert_holds(o->out, "1 passed, 0 failed, 1 skipped");
    o = support_assay("schedule -e %s --kernels fastpath case.h5", support_engine("old_table"));
    assert_code(o, 77);
    assert_holds(o->out, "by old_table.so: open failed: kernels are not implemented");
    o = schedule("--compute int8");
    assert_code(o, 77);
    assert_holds(o->out, "by threaded.so: open failed: int8 is not implemented\n");
    o = schedule("--kernels fake32.so");
    assert_code(o, 99);
    o = support_assay("schedule -e %s --kernels %s case.h5", engine, support_engine("fake32"));
    assert_code(o, 99);
    assert_holds(o->err, "fake32.so: no kernel library: it does not export assay_kernels_v2");
}
END_TEST

START_TEST(options_select_fastpath_by_default)
{
    write_case("sound");
    static const char *const options[] = {"--compute bf16", "--kernels fastpath"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const support_output *o = support_assay("schedule %s case.h5", options[i]);
        assert_code(o, 1); /* the checkpoint is empty */
        assert_holds(o->out, "fastpath");
        assert_lacks(o->out, "ref32");
        assert_lacks(o->out, "ref64");
    }
}
END_TEST

static const struct {
    const char *arguments;
    int code;
    const char *says;
} LINES[] = {
    {"--shape pol", 2, "option --shape: found pol, expected one of handover, pool,"},
    {"--threads 2,,4", 2, "option --threads: found 2,,4, expected at most 16 whole numbers from 1 to 64"},
    {"--threads 65", 2, "from 1 to 64, separated by commas"},
    {"--threads 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", 2, "at most 16"},
    {"--draws 0", 2, "option --draws"},
    {"--compute bf17", 2, "option --compute: found bf17, expected one of f32, bf16, int8"},
    {"--for 0", 2, "option --for"},
    {"--times 5", 2, "--times needs --replay"},
    {"--replay x.json --seed 4", 2, "--replay draws nothing"},
    {"--replay x.json a b", 2, "--replay takes one engine and one case"},
    {"--replay nowhere.json", 99, "nowhere.json: No such file"},
    {"--replay broken.json", 99, "broken.json"},
    {"--replay samples.json", 99, "case.h5 has 2 samples, found prompt 7 in session 0"},
    {"--replay directory.json", 99, "expected a case, not a directory"},
    {"--engine nowhere case.h5", 99, "engine nowhere"},
};

#define PROGRAM(path, sample)                                                                                \
    "{\"schema\":\"assay/1\", \"kind\": \"schedule\", \"case\": \"" path "\", \"engine\": \"ref32\", "       \
    "\"workers\": 1, \"steps\": [{\"thread\": 0, \"op\": \"open\", \"model\": 0}, "                          \
    "{\"thread\": 0, \"op\": \"session\", \"session\": 0, \"model\": 0, \"prompts\": [" sample "]}, "        \
    "{\"thread\": 0, \"op\": \"free\", \"session\": 0}, {\"thread\": 0, \"op\": \"close\", \"model\": 0}]}"

static void write_program(const char *name, const char *program, const char *engine_named,
                          const char *kernels_named)
{
    char text[4096];
    const char *at = strstr(program, "\"ref32\"");
    (void)snprintf(text, sizeof text, "%.*s\"%s\"%s%s%s%s", (int)(at - program), program, engine_named,
                   kernels_named ? ", \"kernels\": \"" : "", kernels_named ? kernels_named : "",
                   kernels_named ? "\"" : "", at + strlen("\"ref32\""));
    support_write_text(support_path("%s", name), text);
}

/* An untrusted file must not cause a library to be loaded that the user has not named. */
START_TEST(a_program_may_name_only_bundled_libraries)
{
    write_case("sound");
    write_program("other.json", PROGRAM("case.h5", "0"), engine, NULL);
    write_program("kernels.json", PROGRAM("case.h5", "0"), "fastpath", "./kernels.so");
    const support_output *o = support_assay("schedule --times 1 --replay other.json");
    assert_code(o, 2);
    assert_holds(o->err, "assay: other.json: it names /");
    assert_holds(o->err,
                 "threaded.so, which is not bundled and would be loaded: say with --engine what to load\n");
    o = support_assay("schedule --times 1 --engine %s --replay other.json", engine);
    assert_code(o, 0);
    assert_lacks(o->out, "as other.json says");
    o = support_assay("schedule --times 1 --replay kernels.json");
    assert_code(o, 2);
    assert_holds(o->err, "it names ./kernels.so, which is not bundled and would be loaded: say with "
                         "--kernels what to load\n");
    write_program("ref.json", PROGRAM("case.h5", "0"), "ref32", NULL);
    o = support_assay("schedule --times 1 --replay ref.json");
    assert_holds(o->out, "engine ref32, as ref.json says\n");
}
END_TEST

START_TEST(a_wrong_command_line_is_explained)
{
    write_case("sound");
    support_write_text(support_path("broken.json"), "{\"schema\": ");
    support_write_text(support_path("samples.json"), PROGRAM("case.h5", "7"));
    support_write_text(support_path("directory.json"), PROGRAM(".", "0"));
    const support_output *o = support_assay("schedule %s", LINES[_i].arguments);
    ck_assert_msg(o->code == LINES[_i].code, "%s: exit %d\n%s%s", LINES[_i].arguments, o->code, o->out,
                  o->err);
    ck_assert_msg(strstr(o->out, LINES[_i].says) || strstr(o->err, LINES[_i].says), "%s%s", o->out, o->err);
}
END_TEST

#define FORKED                                                                                               \
    "{\"schema\":\"assay/1\", \"kind\": \"schedule\", \"case\": \"case.h5\", \"engine\": \"ref32\", "        \
    "\"workers\": 1, \"steps\": [{\"thread\": 0, \"op\": \"open\", \"model\": 0}, "                          \
    "{\"thread\": 0, \"op\": \"session\", \"session\": 0, \"model\": 0, \"prompts\": [0]}, "                 \
    "{\"thread\": 1, \"op\": \"fork\", \"session\": 0, \"sample\": 1, \"from\": 0, \"origin\": 0}, "         \
    "{\"thread\": 0, \"op\": \"free\", \"session\": 0}, {\"thread\": 0, \"op\": \"close\", \"model\": 0}]}"

START_TEST(programs_are_drawn_without_the_functions_that_an_engine_lacks)
{
    write_case("sound");
    const support_output *o = support_assay("schedule -e %s -e %s --draws 3 --tap tap case.h5 case.h5",
                                            engine, support_engine("old_table"));
    assert_code(o, 0);
    assert_holds(o->out, "\nold_table.so lacks join, leave, rewind, fork: its programs were drawn without\n");
    assert_lacks(o->out, "threaded.so lacks");
    assert_code(
        support_shell("test $(grep -c '^# old_table.so lacks join, leave, rewind, fork: ' tap) -eq 1"), 0);
    (void)support_assay("schedule -e %s -e %s --json lacks case.h5", engine, support_engine("old_table"));
    o = support_shell("tr -d ' \\n' <lacks");
    assert_holds(o->out, "\"lacks\":[],");
    assert_holds(o->out, "\"lacks\":[\"join\",\"leave\",\"rewind\",\"fork\"],");
}
END_TEST

START_TEST(a_replayed_program_that_needs_a_missing_function_is_skipped)
{
    write_case("sound");
    support_write_text(support_path("forked.json"), FORKED);
    const support_output *o =
        support_assay("schedule --engine %s --replay forked.json", support_engine("old_table"));
    assert_code(o, 77);
    assert_holds(o->out, "the engine has no fork, which step 3 (thread 1, fork, session 0) calls\n");
    ck_assert_str_eq(o->err, "assay: nothing could be run\n");
    o = support_assay("schedule --engine %s --replay forked.json", engine);
    assert_code(o, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/schedule/options");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, schedule_setup, support_teardown);
    tcase_set_timeout(all, 300);
    tcase_add_test(all, a_program_may_name_only_bundled_libraries);
    tcase_add_test(all, options_reach_every_model);
    tcase_add_loop_test(all, options_are_saved_and_replayed, 0, sizeof ASKED / sizeof *ASKED);
    tcase_add_test(all, an_engine_without_the_option_is_skipped);
    tcase_add_test(all, options_select_fastpath_by_default);
    tcase_add_loop_test(all, a_wrong_command_line_is_explained, 0, sizeof LINES / sizeof *LINES);
    tcase_add_test(all, programs_are_drawn_without_the_functions_that_an_engine_lacks);
    tcase_add_test(all, a_replayed_program_that_needs_a_missing_function_is_skipped);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
