/* The user interface of the program: exit codes, reports.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/support.h"

static void setup(void)
{
    support_setup();
    ck_assert_int_eq(unsetenv("ASSAY_ENGINE_PATH"), 0);
    support_write_cases();
}

static const char *fake(const char *name)
{
    return support_engine(name);
}

START_TEST(agreement_exits_0_with_a_table)
{
    const support_output *o = support_assay("run -e %s -e %s sound", fake("fake32"), fake("fake64"));
    assert_code(o, 0);
    ck_assert_str_eq(o->err, "");
    assert_holds(o->out, "x noise <= 4   x bound <= 1\n");
    assert_holds(o->out, "a/logits             0.00 pass      0.00 pass\n");
    assert_holds(o->out, "generate             0.00 pass      0.00 pass\n");
    assert_holds(o->out, "fake32.so  2 passed, 0 failed, 0 skipped\n");
    assert_holds(o->out, "4 passed, 0 failed, 0 skipped\n");
}
END_TEST

START_TEST(divergence_exits_1_with_its_place_and_command)
{
    const support_output *o = support_assay("run -e %s bad sound", fake("fake32"));
    assert_code(o, 1);
    assert_holds(o->out, "FAIL (logits) bad/off.h5 ");
    assert_holds(o->out, "  largest error of the logits is 5 times its bound");
    assert_holds(o->out, "  first:  sample 0, decode, step 1, id 6: expected ");
    assert_holds(o->out, "     20 FAIL\n");
    assert_holds(o->out, "2 passed, 1 failed, 0 skipped\n");
}
END_TEST

START_TEST(the_repro_line_reproduces_only_that_failure)
{
    support_mkdir(support_path("odd 'name"));
    (void)support_write_decoder(support_path("odd 'name/off.h5"), "logits", "off");
    (void)support_write_decoder(support_path("odd 'name/on.h5"), "logits", "ok");
    const support_output *o = support_assay("run -e %s \"odd 'name\"", fake("fake32"));
    assert_code(o, 1);
    const char *repro = strstr(o->out, "REPRO: assay run --engine ");
    ck_assert_ptr_nonnull(repro);
    char *line = strndup(repro + strlen("REPRO: "), strcspn(repro, "\n") - strlen("REPRO: "));
    o = support_shell(line);
    free(line);
    assert_code(o, 1);
    assert_holds(o->out, "REPRO: assay run --engine ");
    assert_holds(o->out, "0 passed, 1 failed, 0 skipped\n");
}
END_TEST

/* As for a program in a build tree that is not installed. */
START_TEST(the_repro_line_works_if_the_program_is_not_in_the_path)
{
    char command[8192];
    (void)snprintf(
        command, sizeof command,
        "PATH=/usr/bin:/bin; \"$ASSAY\" run --json json -e %s bad >first; command=$(sed -n 's/^  REPRO: "
        "//p' first); echo \"$command\"; sh -c \"$command\"",
        fake("fake32"));
    const support_output *o = support_shell(command);
    assert_code(o, 1);
    assert_holds(o->out, "/conformance/assay run --engine ");
    assert_holds(o->out, "0 passed, 1 failed, 0 skipped\n");
    o = support_shell("cat json");
    assert_holds(o->out, "\"repro\":\"/");
    (void)snprintf(command, sizeof command,
                   "ln -s \"$ASSAY\" assay; PATH=/usr/bin:/bin ./assay run -e %s bad", fake("fake32"));
    assert_holds(support_shell(command)->out, "REPRO: ./assay run --engine ");
    edit_element(support_observe(support_path("sound/a/logits.h5"), "float32", support_path("seen.h5")),
                 "/observed/prefill", 40, 100);
    o = support_shell("PATH=/usr/bin:/bin ./assay diff sound/a/logits.h5 seen.h5");
    assert_code(o, 1);
    assert_holds(o->out, "\n  REPRO: ./assay diff sound/a/logits.h5 seen.h5\n");
}
END_TEST

/* A name in a report is the path of the file, whatever other arguments there are. */
START_TEST(the_name_of_a_failure_can_be_pasted)
{
    static const char *const arguments[] = {"bad", "bad sound", "sound bad/", "bad/off.h5",
                                            "-f off bad sound"};
    support_mkdir(support_path("bad/it's"));
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        const support_output *o = support_assay("run -e %s %s", fake("fake32"), arguments[i]);
        assert_code(o, 1);
        assert_holds(o->out, "FAIL (logits) bad/off.h5 ");
    }
    (void)support_write_decoder(support_path("bad/it's/off.h5"), "logits", "off");
    const support_output *o = support_assay("run -e %s \"bad/it's\"", fake("fake32"));
    assert_holds(o->out, "FAIL (logits) 'bad/it'\\''s/off.h5' ");
}
END_TEST

START_TEST(nothing_to_run_exits_77)
{
    support_mkdir(support_path("empty"));
    const support_output *o = support_assay("run -e %s empty", fake("fake32"));
    assert_code(o, 77);
    assert_holds(o->err, "assay: no case below empty\n");
    o = support_assay("run -e %s --filter nothing sound", fake("fake32"));
    assert_code(o, 77);
    assert_holds(o->err, "assay: no case id among 2 files matches nothing\n");
    o = support_assay("list empty");
    assert_code(o, 77);
    o = support_assay("run --tap - empty");
    assert_code(o, 77);
    ck_assert_str_eq(o->out, "1..0 # SKIP no case was found\n");
}
END_TEST

START_TEST(skipping_everything_exits_77_and_names_what_was_skipped)
{
    support_mkdir(support_path("skipped"));
    (void)support_write_decoder(support_path("skipped/sinks.h5"), "logits", "unsupported");
    support_write_sizes(support_path("skipped/sizes.json"));
    const support_output *o = support_assay("run -e %s skipped", fake("fake32"));
    assert_code(o, 77);
    assert_holds(o->out,
                 "skipped: it has no serving functions: it does not export assay_serving_v2:\n  sizes\n");
    assert_holds(o->out, "skipped: sinks are not implemented:\n  sinks\n");
    assert_holds(o->out, "0 passed, 0 failed, 2 skipped\n");
    assert_holds(o->err, "assay: nothing could be run\n");
}
END_TEST

START_TEST(a_skip_by_one_engine_names_that_engine)
{
    (void)support_write_rope(support_path("sound/rope.h5"), "{}");
    const support_output *o = support_assay("run -e %s -e %s sound", fake("fake32"), fake("no_rope"));
    assert_code(o, 0);
    assert_holds(o->out, "skipped: the engine has no rope of its own:\n  rope, by ");
    assert_holds(o->out, "no_rope.so\n");
    assert_holds(o->out, "5 passed, 0 failed, 1 skipped\n");
}
END_TEST

START_TEST(a_broken_fixture_exits_99_even_with_a_divergence)
{
    support_write_text(support_path("bad/text.h5"), "no HDF5");
    const support_output *o = support_assay("run -e %s bad", fake("fake32"));
    assert_code(o, 99);
    assert_holds(o->out, "ERROR bad/text.h5 ");
    assert_holds(o->out, "  bad/text.h5: not an HDF5 file (7 bytes)\n");
    assert_holds(o->out, "FAIL (logits) bad/off.h5 ");
    assert_holds(o->out, "0 passed, 1 failed, 0 skipped, 1 broken\n");
    o = support_assay("list bad");
    assert_code(o, 99);
    assert_holds(o->err, "assay: bad/text.h5: not an HDF5 file");
    assert_holds(o->out, "off   logits      What it is made to catch.\n");
    o = support_assay("info bad/text.h5");
    assert_code(o, 99);
    o = support_assay("run -e %s nowhere", fake("fake32"));
    assert_code(o, 99);
}
END_TEST

static const char *const no_engines[][2] = {
    {"ref46", "assay: engine ref46: did you mean ref64?"},
    {"another", "assay: engine another: there is no another.so in "},
    {"./none.so", "cannot open shared object file"},
    {"libm.so.6", "./libm.so.6: cannot open shared object file"},
    {"wrong_abi", "built for engine ABI 3, expected 2"},
    {"no_symbol", "does not export assay_engine_v2"},
    {"crash", "the engine was terminated by SIGABRT"},
    {"empty", "its table lacks"},
};

START_TEST(directories_nested_too_deep_exit_99)
{
    char command[8192];
    (void)snprintf(command, sizeof command,
                   "mkdir -p deep/$(printf 'd/%%.0s' $(seq 40)) && \"$ASSAY\" run -e %s deep",
                   fake("fake32"));
    const support_output *o = support_shell(command);
    assert_code(o, 99);
    assert_holds(o->err, "directories deep");
}
END_TEST

START_TEST(an_engine_that_cannot_be_loaded_exits_99)
{
    const bool is_name = _i < 4;
    const support_output *o =
        support_assay("run --engine %s sound", is_name ? no_engines[_i][0] : fake(no_engines[_i][0]));
    assert_code(o, 99);
    ck_assert_str_eq(o->out, "");
    assert_holds(o->err, no_engines[_i][1]);
}
END_TEST

START_TEST(engines_are_found_by_name_in_the_users_directories)
{
    char command[8192];
    (void)snprintf(command, sizeof command,
                   "ASSAY_ENGINE_PATH=/nowhere:$(dirname %s) \"$ASSAY\" run --engine=fake32 sound",
                   fake("fake32"));
    const support_output *o = support_shell(command);
    assert_code(o, 0);
    assert_holds(o->out, "fake32  2 passed");
}
END_TEST

START_TEST(a_crash_is_a_divergence_and_the_run_continues)
{
    (void)support_write_decoder(support_path("sound/b.h5"), "logits", "crash");
    const support_output *o = support_assay("run -e %s sound", fake("fake32"));
    assert_code(o, 1);
    assert_holds(o->out, "the engine was terminated by SIGSEGV");
    assert_holds(o->out, "  - FAIL\n");
    assert_holds(o->out, "2 passed, 1 failed, 0 skipped\n");
}
END_TEST

START_TEST(observations_are_ignored_unless_named)
{
    const char *path = support_write_decoder(support_path("sound/seen.h5"), "logits", "ok");
    edit_remove(path, "/expect");
    edit_f64(path, "/observed/prefill", 1, (size_t[]){1}, (const double[]){1});
    const support_output *o = support_assay("run -e %s sound", fake("fake32"));
    assert_code(o, 0);
    assert_lacks(o->out, "seen");
    o = support_assay("list sound");
    assert_lacks(o->out, "seen");
    o = support_assay("run -e %s sound/seen.h5", fake("fake32"));
    assert_code(o, 99);
    assert_holds(o->out, "sound/seen.h5: an observation of an engine, not a case");
}
END_TEST

START_TEST(unknown_members_are_warned_of_and_counted)
{
    edit_attribute(support_path("sound/generate.h5"), "colour", "blue");
    const support_output *o = support_assay("run -e %s sound", fake("fake32"));
    assert_code(o, 0);
    ck_assert_str_eq(
        o->err,
        "assay: warning: sound/generate.h5: attribute colour is unknown to this version, and ignored\n");
    assert_holds(o->out, "1 warnings\n");
}
END_TEST

START_TEST(the_filter_selects_cases)
{
    const support_output *o = support_assay("run -e %s --filter 'a/*' sound", fake("fake32"));
    assert_code(o, 0);
    assert_lacks(o->out, "generate");
    o = support_assay("list -f gen sound");
    ck_assert_str_eq(o->out, "generate  generate    What it is made to catch.\n");
}
END_TEST

START_TEST(a_report_that_cannot_be_written_is_an_error)
{
    const support_output *o = support_assay("run -e %s sound >/dev/full", fake("fake32"));
    assert_code(o, 99);
    assert_holds(o->err, "assay: standard output: ");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/cli/run");
    TCase *program = tcase_create("program");
    tcase_add_checked_fixture(program, setup, support_teardown);
    tcase_set_timeout(program, 60);
    tcase_add_test(program, agreement_exits_0_with_a_table);
    tcase_add_test(program, divergence_exits_1_with_its_place_and_command);
    tcase_add_test(program, the_repro_line_reproduces_only_that_failure);
    tcase_add_test(program, the_repro_line_works_if_the_program_is_not_in_the_path);
    tcase_add_test(program, the_name_of_a_failure_can_be_pasted);
    tcase_add_test(program, nothing_to_run_exits_77);
    tcase_add_test(program, skipping_everything_exits_77_and_names_what_was_skipped);
    tcase_add_test(program, a_skip_by_one_engine_names_that_engine);
    tcase_add_test(program, a_broken_fixture_exits_99_even_with_a_divergence);
    tcase_add_test(program, directories_nested_too_deep_exit_99);
    tcase_add_loop_test(program, an_engine_that_cannot_be_loaded_exits_99, 0, 7);
    tcase_add_test(program, engines_are_found_by_name_in_the_users_directories);
    tcase_add_test(program, a_crash_is_a_divergence_and_the_run_continues);
    tcase_add_test(program, observations_are_ignored_unless_named);
    tcase_add_test(program, unknown_members_are_warned_of_and_counted);
    tcase_add_test(program, the_filter_selects_cases);
    tcase_add_test(program, a_report_that_cannot_be_written_is_an_error);
    suite_add_tcase(suite, program);

    return support_run(suite);
}
