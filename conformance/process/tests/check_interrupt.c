/* What the program leaves when a signal ends it, and where its standard output cannot be written.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/tests/support.h"

enum { INTERRUPTED = 128 + 2, TERMINATED = 128 + 15 };

static void setup(void)
{
    support_setup();
    support_mkdir(support_path("cases"));
    (void)support_write_decoder(support_path("cases/hang.h5"), "logits", "hang");
    (void)support_write_decoder(support_path("cases/sound.h5"), "logits", "ok");
}

/* A signal that ends the program after a while; timeout sends it to its child, and again to the process
 * group. A shell's background commands would ignore SIGINT. */
static const support_output *interrupt(const char *signal, const char *arguments)
{
    char command[8192];
    (void)snprintf(command, sizeof command, "timeout --preserve-status -s %s 3 \"$ASSAY\" %s", signal,
                   arguments);
    return support_shell(command);
}

static const char *read_report(const char *name)
{
    static char text[65536];
    FILE *f = fopen(support_path("%s", name), "r");
    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    ck_assert_int_eq(fclose(f), 0);
    return text;
}

START_TEST(a_run_that_is_interrupted_reports_what_is_finished)
{
    char arguments[4096];
    (void)snprintf(arguments, sizeof arguments,
                   "run -e %s -j 2 --tap tap --json json --junit junit --dump d cases",
                   support_engine("fake32"));
    support_mkdir(support_path("d"));
    support_mkdir(support_path("d/fake32"));
    support_write_text(support_path("d/fake32/hang.h5.part"), "half an observation");
    const support_output *o = interrupt("INT", arguments);
    assert_code(o, INTERRUPTED);
    assert_holds(o->out, "1 passed, 0 failed, 1 skipped\n");
    assert_holds(o->out, "skipped: interrupted:\n  hang\n");
    assert_holds(o->err, "assay: interrupted: 2 of 2 cases were begun\n");
    assert_holds(read_report("tap"), "ok 1 - hang ");
    assert_holds(read_report("tap"), " # SKIP interrupted\n");
    assert_holds(read_report("tap"), "\n1..2\n");
    assert_holds(read_report("json"), "\"reason\":\"interrupted\"");
    assert_holds(read_report("json"), "\"passed\":1");
    assert_holds(read_report("json"), "\"interrupted\":true");
    o = support_assay("merge json");
    assert_code(o, 99);
    assert_holds(o->err,
                 "assay: json: shard.interrupted: found true, expected false: shard 1/1 is incomplete");
    assert_holds(read_report("junit"), "</testsuites>");
    ck_assert_int_ne(access(support_path("d/fake32/hang.h5.part"), F_OK), 0);
    ck_assert_int_eq(access(support_path("d/fake32/sound.h5"), F_OK), 0);
}
END_TEST

START_TEST(other_fatal_signals_report_as_well)
{
    char arguments[4096];
    (void)snprintf(arguments, sizeof arguments, "run -e %s -j 2 cases", support_engine("fake32"));
    const support_output *o = interrupt("TERM", arguments);
    assert_code(o, 128 + 15);
    assert_holds(o->out, "1 passed, 0 failed, 1 skipped\n");
}
END_TEST

START_TEST(a_schedule_that_is_interrupted_reports_its_rounds)
{
    char arguments[4096];
    (void)snprintf(arguments, sizeof arguments,
                   "schedule -e %s --for 600 --tap tap --json json cases/sound.h5", support_engine("fake32"));
    const support_output *o = interrupt("INT", arguments);
    assert_code(o, INTERRUPTED);
    assert_holds(o->out, "\ntotal ");
    assert_holds(read_report("tap"), "1..1\n");
    assert_holds(read_report("json"), "\"totals\"");
}
END_TEST

/* `bench` may be interrupted before or after it has something to report. */
START_TEST(no_command_leaves_an_empty_report)
{
    char arguments[4096];
    (void)snprintf(
        arguments, sizeof arguments,
        "bench -e fastpath --repeat 1000 --prompt 500 --json json --model %s/fixtures/qwen3/base/model",
        getenv("top_srcdir"));
    assert_code(interrupt("INT", arguments), INTERRUPTED);
    if (access(support_path("json"), F_OK) == 0) assert_holds(read_report("json"), "\"schema\"");
    (void)unlink(support_path("json"));
    const support_output *o = support_assay("bench -e fastpath --model missing --json json");
    assert_code(o, 99);
    ck_assert_int_ne(access(support_path("json"), F_OK), 0);
}
END_TEST

START_TEST(arrays_are_not_listed_after_an_interrupt)
{
    const support_output *o = support_shell(
        "\"$ASSAY\" arrays \"$top_srcdir/fixtures\" >list & until [ -s list ]; do sleep 0.01; done; "
        "kill -TERM $!; wait $!; code=$?; cat list; exit $code");
    assert_code(o, TERMINATED);
    const char *first = strstr(o->out, "interrupted");
    ck_assert(!first || !strstr(first + 1, "interrupted"));
    assert_holds(o->out, "\ntotal  ");
}
END_TEST

START_TEST(a_command_on_one_case_ends_immediately)
{
    char arguments[4096];
    (void)snprintf(arguments, sizeof arguments, "locate -e %s cases/hang.h5", support_engine("fake32"));
    assert_code(interrupt("INT", arguments), INTERRUPTED);
}
END_TEST

/* As a shell's background commands have it. */
START_TEST(an_ignored_signal_stays_ignored)
{
    char command[8192];
    (void)snprintf(command, sizeof command,
                   "\"$ASSAY\" run -e %s --timeout 2 cases & sleep 1; kill -INT $!; wait $!",
                   support_engine("fake32"));
    const support_output *o = support_shell(command);
    assert_code(o, 1);
    assert_holds(o->out, "1 passed, 1 failed, 0 skipped\n");
}
END_TEST

/* Commands that print something on standard output and would succeed. */
static const char *const COMMANDS[] = {"list cases", "info cases/sound.h5", "run -f sound cases -e",
                                       "--help",     "--version",           "kernels fastpath router",
                                       "run --help"};

START_TEST(an_output_that_cannot_be_written_is_an_error)
{
    static const char *const outputs[] = {">/dev/full", ">&-"};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const char *engine = strstr(COMMANDS[_i], " -e") ? support_engine("fake32") : "";
        const support_output *o = support_assay("%s %s %s", COMMANDS[_i], engine, outputs[i]);
        assert_code(o, 99);
        assert_holds(o->err, "assay: standard output: ");
        ck_assert_str_eq(o->out, "");
    }
}
END_TEST

/* A module whose path has a newline and a byte that is not UTF-8. */
START_TEST(reports_of_an_engine_with_a_strange_path_stay_valid)
{
    char command[8192];
    (void)snprintf(
        command, sizeof command,
        "d=\"$(printf 'a\\nok 9 - \\377')\"; mkdir \"$d\" && cp %s \"$d/e.so\" && \"$ASSAY\" run -e "
        "\"$d/e.so\" --timeout 1 --tap tap --json json cases",
        support_engine("fake32"));
    const support_output *o = support_shell(command);
    assert_code(o, 1);
    assert_holds(o->out, "FAIL (hang) cases/hang.h5 a ok 9 - ?/e.so\n");
    assert_holds(o->out, "REPRO: assay run --engine $'a\\012ok 9 - \\377/e.so' --timeout 1 cases/hang.h5\n");
    assert_holds(read_report("tap"), "not ok 1 - hang a ok 9 - ?/e.so\n");
    assert_lacks(read_report("tap"), "\nok 9");
    assert_holds(read_report("json"), "\"engine\":\"a ok 9 - ?/e.so\"");
    assert_holds(read_report("json"), "$'a\\\\012ok 9 - \\\\377/e.so'");
    o = support_shell(
        "command -v bash >/dev/null || exit 1; eval=$(sed -n 's/.*REPRO: //p' tap); bash -c \"$eval\"");
    assert_code(o, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/process/interrupt");
    TCase *tc = tcase_create("interrupt");
    tcase_add_checked_fixture(tc, setup, support_teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_run_that_is_interrupted_reports_what_is_finished);
    tcase_add_test(tc, other_fatal_signals_report_as_well);
    tcase_add_test(tc, a_schedule_that_is_interrupted_reports_its_rounds);
    tcase_add_test(tc, no_command_leaves_an_empty_report);
    tcase_add_test(tc, arrays_are_not_listed_after_an_interrupt);
    tcase_add_test(tc, a_command_on_one_case_ends_immediately);
    tcase_add_test(tc, an_ignored_signal_stays_ignored);
    tcase_add_loop_test(tc, an_output_that_cannot_be_written_is_an_error, 0,
                        (int)(sizeof COMMANDS / sizeof *COMMANDS));
    tcase_add_test(tc, reports_of_an_engine_with_a_strange_path_stay_valid);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
