/* Output of a run without a terminal: the Test Anything Protocol, and text into a pipe.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "conformance/tests/stateful.h"
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
    assert_holds(o->out, "\nnot ok 9 - z fake32\n# FAIL (logits) sound/z.h5 fake32\n");
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

START_TEST(an_engine_without_a_tap_is_told_what_it_is_good_for)
{
    const support_output *o = support_assay("run -v -e %s sound/a/logits.h5", support_engine("old_table"));
    assert_code(o, 0);
    assert_holds(o->out, "; no tensor compared: the engine has no tap, with which a failure names the first "
                         "wrong tensor");
    assert_lacks(o->out, "0 of 2");
}
END_TEST

START_TEST(a_tap_that_gives_no_tensor_is_reported)
{
    (void)support_write_decoder(support_path("none.h5"), "logits", "trace-none");
    const support_output *o = support_assay("run -v -e %s none.h5", support_engine("fake32"));
    assert_code(o, 0);
    assert_holds(o->out, "; no tensor compared: the engine's tap gives none; manners: ");
    assert_lacks(o->out, "0 of 2");
}
END_TEST

/* Without --verbose, too: an engine that passes has not passed in these manners. */
START_TEST(manners_that_were_left_out_are_in_the_summary)
{
    (void)stateful_write("sound");
    (void)stateful_write("twin");
    const support_output *o = support_assay("run -e %s sound.h5 twin.h5", support_engine("stateful_minimal"));
    assert_code(o, 0);
    assert_holds(o->out,
                 "\nmanners  5 left out: late, early (the engine lacks join), rewind (the engine lacks "
                 "rewind), fork (the engine lacks fork), stopped (the engine lacks tap) in 2 cases\n"
                 "stateful_minimal.so  2 passed");
    o = support_assay("run -e %s -e %s sound.h5", support_engine("stateful_minimal"),
                      support_engine("stateful"));
    assert_holds(o->out, "\nmanners  stateful_minimal.so: 5 left out: late, early (the engine lacks join), ");
    assert_lacks(o->out, "manners  stateful.so");
    o = support_assay("run -e %s sound.h5", support_engine("stateful"));
    assert_lacks(o->out, "left out");
    o = support_assay("run --manner whole -e %s sound.h5", support_engine("stateful_minimal"));
    assert_lacks(o->out, "left out");
}
END_TEST

START_TEST(a_requested_manner_that_the_engine_lacks_is_one_clear_line)
{
    (void)stateful_write("sound");
    const support_output *o =
        support_assay("run --manner late -e %s sound.h5", support_engine("stateful_minimal"));
    assert_code(o, 77);
    ck_assert_str_eq(o->out, "");
    ck_assert_str_eq(o->err, "assay: nothing could be run: manner late: the engine lacks join (1 case)\n");
    (void)support_write_rope(support_path("rope.h5"), "{}");
    o = support_assay("run --manner late --json json -e %s rope.h5 sound.h5; c=$?; cat json; exit $c",
                      support_engine("stateful_minimal"));
    assert_code(o, 77);
    assert_holds(o->out, "\"reason\":\"manner late: the engine lacks join\"");
    assert_holds(o->out, " --manner late sound.h5\"");
    assert_lacks(o->out, "skipped: ");
    ck_assert_str_eq(o->err,
                     "assay: nothing could be run: manner late: the engine lacks join (1 case; 1 more "
                     "skipped for other reasons)\n");
    o = support_assay("run --manner late -e %s -e %s sound.h5", support_engine("stateful_minimal"),
                      support_engine("stateful"));
    assert_code(o, 0);
    assert_holds(o->out, "skipped: manner late: the engine lacks join:\n  sound, by stateful_minimal.so\n");
}
END_TEST

/* Names of files and engines may hold any bytes. */
START_TEST(messages_hold_only_valid_text)
{
    static const char *const lines[] = {
        "run \"$(printf 'a\\377')\"",
        "run -e \"$(printf 'a\\377')\" sound",
        "run \"$(printf -- '--\\377')\"",
        "\"$(printf 'a\\377')\"",
        "run -f \"$(printf 'a\\377')\" sound",
        "run --tap \"$(printf 'no/\\377')\" sound",
        "run --manner \"$(printf '\\377')\" sound",
        "run \"$(printf 'dir\\377')\"",
        "info \"$(printf 'a\\377')\"",
        "list \"$(printf 'a\\377')\"",
        "arrays \"$(printf 'a\\377')\"",
        "diff \"$(printf 'a\\377')\" \"$(printf 'b\\377')\"",
        "kernels \"$(printf './a\\377.so')\"",
        "locate -e ref32 \"$(printf 'a\\377')\"",
        "events --endpoint chat \"$(printf 'a\\377')\"",
        "bench --model \"$(printf 'a\\377')\"",
        "generate --prompt x --model \"$(printf 'a\\377')\"",
        "run --explain -e \"$(printf './a\\377.so')\" sound",
        "run --explain \"$(printf 'dir\\377.h5')\"",
        "schedule --replay \"$(printf 'a\\377')\" sound",
        "generate --prompt x --reasoning-parser \"$(printf 'a\\377')\" --model sound/ok",
        "events --endpoint chat --tool-parser \"$(printf 'a\\377')\" x"};
    (void)support_shell("mkdir \"$(printf 'dir\\377')\"; echo >\"$(printf 'dir\\377.h5')\"");
    const support_output *o = support_assay("%s", lines[_i]);
    ck_assert_msg(o->code != 0 && o->code != 1, "%s: %d", lines[_i], o->code);
    ck_assert_str_ne(o->err, "");
    for (const char *at = o->err; *at; at++)
        ck_assert_msg((unsigned char)*at < 0x80, "%s: %s", lines[_i], o->err);
}
END_TEST

enum { N_MESSAGES = 22 };

/* A case and a tensor whose names are not UTF-8: "off" fails, and has an unknown member. */
START_TEST(reports_and_warnings_hold_only_valid_text)
{
    char arguments[8192];
    const char *path = support_write_decoder(support_path("bad/\xff.h5"), "logits", "off-traced");
    edit_attribute(path, "colour", "blue");
    (void)snprintf(arguments, sizeof arguments,
                   "run -v --tap tap --junit junit --json json -e %s bad; c=$?; "
                   "cat tap junit json; exit $c",
                   support_engine("fake32"));
    const support_output *o = support_assay("%s", arguments);
    assert_code(o, 1);
    assert_holds(o->out, "FAIL (logits) $'bad/\\377.h5' ");
    assert_holds(o->err,
                 "assay: warning: bad/?.h5: attribute colour is unknown to this version, and ignored\n");
    assert_lacks(o->out, "\xff");
    assert_lacks(o->err, "\xff");
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
    assert_holds(o->out, "model_open failed: no such \\u001B[31mtensor at\\u202E all\n");
    assert_lacks(o->out, "\033");
}
END_TEST

START_TEST(an_engine_cannot_hide_characters_in_reports)
{
    char arguments[8192];
    (void)support_write_decoder(support_path("bad/refused.h5"), "logits", "refused");
    (void)snprintf(arguments, sizeof arguments,
                   "run --tap tap --junit junit --json json --html html -e %s bad; cat junit json tap html",
                   support_engine("fake32"));
    const support_output *o = support_assay("%s", arguments);
    assert_holds(o->out, "message=\"model_open failed: no such \\u001B[31mtensor at\\u202E all");
    assert_holds(o->out, "no such \\\\u001B[31mtensor at\\\\u202E all"); /* in JSON and TAP */
    assert_lacks(o->out, "\xE2\x80\xAE");
    assert_lacks(o->out, "\033");
}
END_TEST

START_TEST(a_page_has_each_failure_and_no_markup_of_an_engine)
{
    const char *name = "<script>alert(1)<!-- .so";
    char copy[8192];
    (void)snprintf(copy, sizeof copy, "ln -sf %s '%s'", support_engine("fake32"), support_path("%s", name));
    ck_assert_int_eq(system(copy), 0);
    const support_output *o = support_assay("run --html html -e './%s' bad sound; cat html", name);
    assert_holds(o->out, "<title>Assay: ");
    assert_holds(o->out, "&lt;script&gt;alert(1)&lt;!-- .so");
    assert_holds(o->out, "<code>assay run --engine ");
    assert_holds(o->out, "aria-label=\"Largest errors\"");
    assert_holds(o->out, "aria-label=\"Error by manner of evaluation\"");
    assert_holds(o->out, "aria-label=\"Logits by their error, against the noise\"");
    const char *page = strstr(o->out, "<!DOCTYPE html>");
    ck_assert_ptr_nonnull(page);
    assert_lacks(page, "<script>alert");
    assert_lacks(page, "<!--");
    assert_lacks(page, "src=");
}
END_TEST

/* Also one that is the default: a time-out that the user gives does not grow with the model. */
START_TEST(the_repro_line_has_a_timeout_that_was_given)
{
    static const char *const given[][2] = {
        {"", "run --engine fake32 bad/off.h5\n"},
        {"--timeout 60", "run --engine fake32 --timeout 60 bad/off.h5\n"},
        {"--timeout=61.5", "run --engine fake32 --timeout 61.5 bad/off.h5\n"}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        char command[8192], repro[256];
        (void)snprintf(command, sizeof command,
                       "ASSAY_ENGINE_PATH=$(dirname %s) \"$ASSAY\" run %s --json json -e fake32 bad",
                       support_engine("fake32"), given[i][0]);
        const support_output *o = support_shell(command);
        assert_code(o, 1);
        (void)snprintf(repro, sizeof repro, "REPRO: assay %s", given[i][1]);
        assert_holds(o->out, repro);
        o = support_shell("grep -c '\"timeout_fixed\":true' json");
        ck_assert_str_eq(o->out, given[i][0][0] ? "1\n" : "0\n");
    }
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
    tcase_add_test(output, an_engine_without_a_tap_is_told_what_it_is_good_for);
    tcase_add_test(output, a_tap_that_gives_no_tensor_is_reported);
    tcase_add_test(output, manners_that_were_left_out_are_in_the_summary);
    tcase_add_test(output, a_requested_manner_that_the_engine_lacks_is_one_clear_line);
    tcase_add_loop_test(output, messages_hold_only_valid_text, 0, N_MESSAGES);
    tcase_add_test(output, reports_and_warnings_hold_only_valid_text);
    tcase_add_test(output, output_to_a_pipe_has_no_escape_codes_and_no_progress_bar);
    tcase_add_test(output, an_engine_cannot_write_escape_codes_on_the_terminal);
    tcase_add_test(output, an_engine_cannot_hide_characters_in_reports);
    tcase_add_test(output, a_page_has_each_failure_and_no_markup_of_an_engine);
    tcase_add_test(output, the_repro_line_has_a_timeout_that_was_given);
    suite_add_tcase(suite, output);

    return support_run(suite);
}
