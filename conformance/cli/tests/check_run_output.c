/* Output of a run without a terminal: the Test Anything Protocol, and text into a pipe.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/support.h"

static void setup(void)
{
    support_setup();
    support_write_cases();
}

static const char *fake(const char *name)
{
    return support_engine(name);
}

START_TEST(tap_has_one_point_for_each_case_and_engine)
{
    (void)support_write_decoder(support_path("sound/#1.h5"), "logits", "unsupported");
    (void)support_write_decoder(support_path("sound/z.h5"), "logits", "off");
    (void)support_write_decoder(support_path("sound/talks.h5"), "logits", "prints");
    char command[8192];
    (void)snprintf(command, sizeof command,
                   "ASSAY_ENGINE_PATH=$(dirname %s) \"$ASSAY\" run -e fake32 -e fake64 --tap - sound",
                   fake("fake32"));
    const support_output *o = support_shell(command);
    assert_code(o, 1);
    assert_holds(o->out, "ok 1 - \\#1 fake32 # SKIP sinks are not implemented\n");
    assert_holds(o->out, "\nok 3 - a/logits fake32\n");
    assert_holds(o->out, "\nok 4 - a/logits fake64\n");
    assert_holds(o->out, "\nnot ok 9 - z fake32\n# FAIL z fake32\n");
    assert_holds(o->out, "#   REPRO: assay run --engine fake32 sound/z.h5\n");
    assert_holds(o->out, "\n1..10\n");
    assert_lacks(o->out, "999");
    const char *line = o->out;
    for (; *line; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strncmp(line, "ok ", 3) == 0 || strncmp(line, "not ok ", 7) == 0 || line[0] == '#' ||
                          strncmp(line, "1..", 3) == 0,
                      "%s", line);
}
END_TEST

START_TEST(tap_in_a_file_leaves_the_report_on_standard_output)
{
    const support_output *o = support_assay("run -e %s --tap tap sound && cat tap >&2", fake("fake32"));
    assert_code(o, 0);
    assert_holds(o->out, "2 passed, 0 failed");
    assert_holds(o->err, "ok 1 - a/logits ");
    assert_holds(o->err, "\n1..2\n");
    o = support_assay("run -e %s --tap none/tap sound", fake("fake32"));
    assert_code(o, 99);
    assert_holds(o->err, "none/tap: No such file or directory");
}
END_TEST

/* "pass" alone would look as if its tensors agreed. */
START_TEST(traces_of_other_names_are_reported_where_everything_passes)
{
    support_mkdir(support_path("odd"));
    (void)support_write_decoder(support_path("odd/a.h5"), "logits", "trace-names");
    (void)support_write_decoder(support_path("odd/b.h5"), "logits", "trace-names");
    const support_output *o = support_assay("run -e %s odd sound", fake("fake32"));
    assert_code(o, 0);
    assert_holds(
        o->out,
        "\nno tensor compared: the traces of fake32.so have other names, such as model.norm, than the "
        "recorded ones in 2 cases\n");
    o = support_assay("run -v -e %s odd/a.h5", fake("fake32"));
    assert_holds(o->out, "; 0 of 2 recorded tensors compared");
    o = support_assay("run -e %s sound", fake("fake32"));
    assert_lacks(o->out, "no tensor compared");
}
END_TEST

START_TEST(output_to_a_pipe_has_no_escape_codes_and_no_progress_bar)
{
    const support_output *o = support_assay("run -v -e %s bad sound", fake("fake32"));
    assert_lacks(o->out, "\033");
    assert_lacks(o->out, "\r");
    ck_assert_str_eq(o->err, "");
}
END_TEST

START_TEST(an_engine_cannot_write_escape_codes_on_the_terminal)
{
    (void)support_write_decoder(support_path("bad/refused.h5"), "logits", "refused");
    const support_output *o = support_assay("run -e %s bad", fake("fake32"));
    assert_holds(o->out, "model_open failed: no such  [31mtensor at all\n");
    assert_lacks(o->out, "\033");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/cli/run_output");
    TCase *output = tcase_create("output");
    tcase_add_checked_fixture(output, setup, support_teardown);
    tcase_set_timeout(output, 60);
    tcase_add_test(output, tap_has_one_point_for_each_case_and_engine);
    tcase_add_test(output, tap_in_a_file_leaves_the_report_on_standard_output);
    tcase_add_test(output, traces_of_other_names_are_reported_where_everything_passes);
    tcase_add_test(output, output_to_a_pipe_has_no_escape_codes_and_no_progress_bar);
    tcase_add_test(output, an_engine_cannot_write_escape_codes_on_the_terminal);
    suite_add_tcase(suite, output);

    return support_run(suite);
}
