/* Probes of a server that is right by construction, and of the same server with one fault planted at a time:
 * the report must name each.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "conformance/probe/tests/planted.h"
#include "conformance/probe/tests/probing.h"
#include "conformance/tests/support.h"

static void setup(void)
{
    support_setup();
    probing_serve();
}

/* The endpoint that a check is about, as a bit; 0: several. */
static unsigned endpoint_of(const char *check)
{
    for (probe_endpoint e = 0; e < PROBE_N_ENDPOINTS; e++) {
        char part[32];
        (void)snprintf(part, sizeof part, "/%s/", probe_endpoint_name(e));
        if (strstr(check, part) && strncmp(check, "discovery", 9) != 0) return 1U << e;
    }
    return 0;
}

START_TEST(planted_fault_is_named)
{
    const planted *f = &planted_faults[_i];
    oracle o = {.bug = f->bug, .from = f->from, .to = f->to, .streams = f->streams, .most = 20};
    probing p;
    probing_oracle(&p, &o, f->only ? f->only : f->check, endpoint_of(f->check), NULL);
    (void)probing_row(&p, f->check, f->verdict, f->part);
    for (size_t i = 0; i < p.run.findings.n; i++) {
        const probe_finding *row = &p.run.findings.at[i];
        if (row->verdict != PROBE_FAILED && row->verdict != PROBE_IGNORED) continue;
        ck_assert_msg(row->repro != NULL, "%s: no command", row->check);
        ck_assert_msg(strncmp(row->repro, "curl -sN http://127.0.0.1:", 26) == 0, "%s", row->repro);
    }
    probing_free(&p);
}
END_TEST

START_TEST(stream_that_differs_in_white_space_is_a_habit_and_one_that_differs_in_usage_departs)
{
    static const struct {
        const char *from, *to, *check, *text;
        probe_grade grade;
    } changes[] = {
        {"\"content\":\"It", "\"content\":\" It", "protocol/chat/stream/natural/same",
         "they differ at byte 0", PROBE_HABIT},
        {"\"content\":\"It", "\"content\":\"I", "protocol/chat/stream/natural/same", "they differ at byte 1",
         PROBE_BREAKS},
        {"\"input_tokens\":", "\"input_tokens\":9", "protocol/messages/stream/natural/same",
         "usage: ", PROBE_DEPARTS},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        oracle o = {.from = changes[i].from, .to = changes[i].to, .streams = 1};
        probing p;
        probing_oracle(&p, &o, "protocol", endpoint_of(changes[i].check), NULL);
        ck_assert_int_eq(probing_row(&p, changes[i].check, PROBE_FAILED, changes[i].text)->grade,
                         changes[i].grade);
        probing_free(&p);
    }
}
END_TEST

/* Changes a saved run, and expects an error or a row. */
START_TEST(user_is_asked_for_one_of_several_models_before_anything_else)
{
    oracle o = {.truth = &probing_known, .from = "{\"id\":\"oracle\"", .to = "{\"id\":\"a\"},{\"id\":\"b\""};
    probing p;
    assay_error err;
    oracle_start(&o);
    const probe_options options = probing_options(probing_url(&o), "", 0, NULL);
    ck_assert_int_eq(probe_run_all(&options, &p.truth, &p.run, NULL, NULL, &err), ASSAY_EINVAL);
    assert_holds(err.text, "found 2 models, none with the name of the checkpoint's directory: name one "
                           "with --model: a, b");
    ck_assert_uint_eq(probe_wire_count(p.run.wire), 1);
    oracle_stop(&o);
    probing_free(&p);
}
END_TEST

START_TEST(no_request_exceeds_the_positions_that_a_server_lists)
{
    oracle o = {.n_positions = 64};
    probing p;
    probing_oracle(&p, &o, "", 0, NULL);
    probing_agrees(&p);
    (void)probing_row(&p, "text/chat", PROBE_OK, "9 answers");
    (void)probing_row(&p, "numerics/echo/logprob", PROBE_OK, "");
    probing_free(&p);
}
END_TEST

START_TEST(command_reports_and_exits_by_what_it_found)
{
    oracle o = {.truth = &probing_known, .bug = ORACLE_NO_STOP_TEXT};
    oracle_start(&o);
    const support_output *out = support_assay(
        "probe http://127.0.0.1:%d --truth served --only protocol/chat/whole/stop "
        "--only protocol/no-such-check --json report.json "
        "--junit report.xml --annotations report.notes --summary report.md --sarif report.sarif "
        "> report.txt",
        o.port);
    ck_assert_int_eq(out->code, 1);
    static const char *const lines[] = {
        "'^ignored, breaks  protocol/chat/whole/stop/content ' report.txt",
        "'^    REPRO: curl -sN http://127.0.0.1:' report.txt",
        "'\"schema\":\"assay-probe/1\"' report.json",
        "'\"check\":\"protocol/chat/whole/stop/content\"' report.json",
        "'\"verdict\":\"ignored\"' report.json",
        "'^not exercised    protocol/no-such-check ' report.txt",
        "'<failure message=\"the stop text' report.xml",
        "'^::error title=protocol/chat/whole/stop/content::the stop text' report.notes",
        "'^### assay probe: ' report.md",
        "'protocol/chat/whole/stop/content' report.sarif",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char command[256];
        (void)snprintf(command, sizeof command, "grep -q %s", lines[i]);
        ck_assert_msg(support_shell(command)->code == 0, "%s", command);
    }
    ck_assert_int_ne(support_shell("grep -q '^ok ' report.txt")->code, 0);
    ck_assert_int_ne(support_shell("grep -q 'protocol/chat/whole/[^s]\\|chat/stream' report.json")->code, 0);
    out = support_assay("probe http://127.0.0.1:%d --truth served --only discovery -v", o.port);
    assert_code(out, 0);
    assert_holds(out->out, "ok               discovery/models");
    oracle_stop(&o);
    out = support_assay("probe http://127.0.0.1:%d --truth served --only discovery", o.port);
    assert_code(out, 77);
    assert_holds(out->err, "http://127.0.0.1:");
    assert_code(support_assay("probe"), 2);
    assert_code(support_assay("probe http://h --truth served --only everything"), 2);
    assert_holds(support_assay("probe http://h --only everything")->err,
                 "found everything, expected one of discovery, protocol, numerics, batching, text");
    assert_code(support_assay("probe ftp://h --truth served"), 2);
    assert_holds(support_assay("probe http://h --api-key-env NO_SUCH_KEY")->err, "NO_SUCH_KEY is not set");
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("probe");
    tcase_set_timeout(c, 300);
    tcase_add_unchecked_fixture(c, probing_open, probing_close);
    tcase_add_checked_fixture(c, setup, support_teardown);
    tcase_add_loop_test(c, planted_fault_is_named, 0, (int)n_planted_faults);
    tcase_add_test(c, stream_that_differs_in_white_space_is_a_habit_and_one_that_differs_in_usage_departs);
    tcase_add_test(c, user_is_asked_for_one_of_several_models_before_anything_else);
    tcase_add_test(c, no_request_exceeds_the_positions_that_a_server_lists);
    tcase_add_test(c, command_reports_and_exits_by_what_it_found);
    Suite *suite = suite_create("probe/probe");
    suite_add_tcase(suite, c);
    return support_run(suite);
}
