/* Probes of a server that is right by construction, and of the same server with one fault planted at a time:
 * the report must name each.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conformance/probe/print.h"
#include "conformance/probe/probe.h"
#include "conformance/probe/tests/oracle.h"
#include "conformance/probe/tests/planted.h"
#include "conformance/tests/support.h"

static probe_truth known; /* the oracle's own truth */
static char cases[4096];

/* Once for all tests: each runs in a child process, which has the memory of this one. */
static void read_truth(void)
{
    char dir[4096];
    assay_error err;
    (void)snprintf(dir, sizeof dir, "%s/fixtures/bundle/qwen3", getenv("top_srcdir"));
    const char *const paths[] = {dir};
    ck_assert_msg(probe_truth_read(paths, 1, PROBE_F32, &known, &err) == ASSAY_OK, "%s", err.text);
}

static void free_truth(void)
{
    probe_truth_free(&known);
}

static void setup(void)
{
    support_setup();
    const support_output *o = support_shell("mkdir served && cd \"$top_srcdir/fixtures/bundle/qwen3\" && "
                                            "cp -r model requests.json *.h5 \"$OLDPWD/served\"");
    assert_code(o, 0);
    (void)snprintf(cases, sizeof cases, "%s", support_path("served"));
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

/* The endpoints that are asked; 0: all. */
static unsigned asked_endpoints;

/* Probes a target with a group or a check; "" for all. */
static void probe(const char *target, const char *asked, const char *save, probe_truth *truth, probe_run *run)
{
    const char *const paths[] = {cases}, *const only[] = {asked};
    const probe_options options = {.target = target,
                                   .truth = paths,
                                   .n_truth = 1,
                                   .only = only,
                                   .n_only = asked[0] ? 1 : 0,
                                   .endpoints = asked_endpoints,
                                   .save = save,
                                   .seconds = 3};
    assay_error err;
    ck_assert_msg(probe_run_all(&options, truth, run, NULL, NULL, &err) == ASSAY_OK, "%s", err.text);
}

static void probe_oracle(oracle *o, const char *asked, probe_truth *truth, probe_run *run)
{
    char url[64];
    o->truth = &known;
    oracle_start(o);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d", o->port);
    probe(url, asked, NULL, truth, run);
    oracle_stop(o);
}

static void end_probe(probe_truth *truth, probe_run *run)
{
    probe_run_free(run);
    probe_truth_free(truth);
}

/* The row of a check with a verdict, whose text or rule contains `part`; NULL: there is none. */
static const probe_finding *find_row(const probe_run *run, const char *check, probe_verdict verdict,
                                     const char *part)
{
    for (size_t i = 0; i < run->findings.n; i++) {
        const probe_finding *f = &run->findings.at[i];
        if (strcmp(f->check, check) == 0 && f->verdict == verdict &&
            (strstr(f->text, part) || strstr(f->rule, part)))
            return f;
    }
    return NULL;
}

static void list_rows(const probe_run *run)
{
    for (size_t i = 0; i < run->findings.n; i++)
        if (run->findings.at[i].verdict != PROBE_OK)
            (void)fprintf(stderr, "# %s %s %s: %s\n", probe_verdict_name(run->findings.at[i].verdict),
                          run->findings.at[i].check, run->findings.at[i].rule, run->findings.at[i].text);
}

START_TEST(sound_server_fails_no_check)
{
    oracle o = {.bug = ORACLE_SOUND};
    probe_truth truth;
    probe_run run;
    probe_oracle(&o, "", &truth, &run);
    if (probe_exit(&run) != CONF_EXIT_AGREE) list_rows(&run);
    for (size_t i = 0; i < run.findings.n; i++)
        ck_assert_msg(!probe_finding_counts(&run.findings.at[i]), "%s: %s: %s", run.findings.at[i].check,
                      run.findings.at[i].rule, run.findings.at[i].text);
    ck_assert_uint_gt(probe_findings_count(&run.findings, PROBE_OK), 100);
    static const char *const exercised[] = {
        "discovery/models",
        "discovery/echo",
        "discovery/prompt-logprobs",
        "numerics/echo/logprob",
        "numerics/echo/difference",
        "numerics/prompt-logprobs/top",
        "numerics/chat/token",
        "numerics/completions/same",
        "numerics/responses/served-type",
        "numerics/chat/temperature",
        "batching/exercised",
        "batching/identical",
        "batching/mixed",
        "batching/staggered",
        "batching/aborted",
        "batching/after",
        "batching/released",
        "text/completions",
        "text/chat",
        "text/messages",
        "protocol/chat/whole/call/fields",
        "protocol/messages/stream/call-result/fields",
        "protocol/responses/whole/call/fields",
        "protocol/chat/stream/characters/fields",
        "protocol/chat/stream/limit-in-character/finish",
        "protocol/chat/whole/no-reasoning/fields",
        "text/responses",
        "protocol/chat/stream/stop/content",
        "protocol/chat/whole/effects/seed",
        "protocol/messages/refuses/unknown-model",
    };
    for (size_t i = 0; i < sizeof exercised / sizeof *exercised; i++)
        ck_assert_msg(find_row(&run, exercised[i], PROBE_OK, "") != NULL, "%s is not ok", exercised[i]);
    end_probe(&truth, &run);
}
END_TEST

START_TEST(planted_fault_is_named)
{
    const planted *f = &planted_faults[_i];
    oracle o = {.bug = f->bug, .from = f->from, .to = f->to, .streams = f->streams, .most = 20};
    probe_truth truth;
    probe_run run;
    asked_endpoints = endpoint_of(f->check);
    probe_oracle(&o, f->only ? f->only : f->check, &truth, &run);
    const probe_finding *row = find_row(&run, f->check, f->verdict, f->part);
    if (!row) list_rows(&run);
    ck_assert_msg(row != NULL, "%s: no such row: %s", f->check, f->part);
    for (size_t i = 0; i < run.findings.n; i++) {
        row = &run.findings.at[i];
        if (row->verdict != PROBE_FAILED && row->verdict != PROBE_IGNORED) continue;
        ck_assert_msg(row->repro != NULL, "%s: no command", row->check);
        ck_assert_msg(strncmp(row->repro, "curl -sN http://127.0.0.1:", 26) == 0, "%s", row->repro);
    }
    end_probe(&truth, &run);
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
        probe_truth truth;
        probe_run run;
        asked_endpoints = endpoint_of(changes[i].check);
        probe_oracle(&o, "protocol", &truth, &run);
        const probe_finding *row = find_row(&run, changes[i].check, PROBE_FAILED, changes[i].text);
        if (!row) list_rows(&run);
        ck_assert_ptr_nonnull(row);
        ck_assert_int_eq(row->grade, changes[i].grade);
        end_probe(&truth, &run);
    }
}
END_TEST

START_TEST(saved_run_is_judged_as_the_live_one)
{
    oracle o = {.truth = &known, .bug = ORACLE_COARSE};
    probe_truth truth, again_truth;
    probe_run run, again;
    char url[64], dir[4096];
    (void)snprintf(dir, sizeof dir, "%s", support_path("saved"));
    oracle_start(&o);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d", o.port);
    probe(url, "", dir, &truth, &run);
    oracle_stop(&o);
    probe(dir, "", NULL, &again_truth, &again);
    ck_assert_str_eq(probe_wire_url(again.wire), url);
    ck_assert_uint_gt(run.findings.n, 100);
    size_t n = 0;
    for (size_t i = 0; i < run.findings.n; i++) {
        if (strcmp(run.findings.at[i].check, "numerics/observation") == 0) continue;
        ck_assert_str_eq(again.findings.at[n].check, run.findings.at[i].check);
        ck_assert_int_eq(again.findings.at[n].verdict, run.findings.at[i].verdict);
        ck_assert_str_eq(again.findings.at[n].text, run.findings.at[i].text);
        n++;
    }
    ck_assert_uint_eq(n, again.findings.n);
    end_probe(&truth, &run);
    end_probe(&again_truth, &again);
}
END_TEST

/* Changes a saved run, and expects an error or a row. */
START_TEST(damaged_saved_run_is_refused_by_file)
{
    static const struct {
        const char *damage, *reason;
    } cases_of_damage[] = {
        {"rm saved/discovery/models.response", "models.response: "},
        {"echo '{' > saved/discovery/models.json", "models.json: "},
        {"sed -i 's/\"status\":200/\"status\":\"x\"/' saved/discovery/models.json", "status: found"},
        {"sed -i 's/answered/perhaps/' saved/discovery/models.json", "end: found perhaps"},
        {"sed -i 's/\"arrivals\":\\[/\"arrivals\":[3,/' saved/discovery/models.json", "arrivals[0]: "},
        {"echo '{\"schema\":\"other\",\"url\":\"\"}' > saved/probe.json", "schema: found other"},
    };
    oracle o = {.truth = &known};
    probe_truth truth;
    probe_run run;
    char url[64], dir[4096];
    assay_error err;
    (void)snprintf(dir, sizeof dir, "%s", support_path("saved"));
    oracle_start(&o);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d", o.port);
    probe(url, "discovery", dir, &truth, &run);
    oracle_stop(&o);
    end_probe(&truth, &run);
    const char *const paths[] = {cases}, *const only[] = {"discovery"};
    const probe_options options = {
        .target = dir, .truth = paths, .n_truth = 1, .only = only, .n_only = 1, .seconds = 3};
    assert_code(support_shell("cp -r saved kept"), 0);
    for (size_t i = 0; i < sizeof cases_of_damage / sizeof *cases_of_damage; i++) {
        assert_code(support_shell("rm -r saved && cp -r kept saved"), 0);
        assert_code(support_shell(cases_of_damage[i].damage), 0);
        ck_assert_int_ne(probe_run_all(&options, &truth, &run, NULL, NULL, &err), ASSAY_OK);
        ck_assert_msg(strstr(err.text, cases_of_damage[i].reason) != NULL, "%s", err.text);
        end_probe(&truth, &run);
    }
    assert_code(support_shell("rm -r saved && cp -r kept saved && rm saved/discovery/chat.json"), 0);
    probe(dir, "discovery", NULL, &truth, &run);
    ck_assert_ptr_nonnull(find_row(&run, "discovery/chat", PROBE_NOT_EXERCISED, "not saved"));
    end_probe(&truth, &run);
    assert_code(support_shell("rm -r saved && cp -r kept saved && echo x >> saved/discovery/chat.request"),
                0);
    probe(dir, "discovery", NULL, &truth, &run);
    ck_assert_ptr_nonnull(find_row(&run, "discovery/chat", PROBE_NOT_EXERCISED, "another request"));
    end_probe(&truth, &run);
}
END_TEST

START_TEST(interrupted_run_blames_the_server_for_nothing)
{
    /* the exchanges after one of the protocol, of the numerics, of batches, and of texts */
    static const char *const lost[] = {
        "protocol/[rm]* numerics batching text protocol/chat/stream/l* protocol/chat/*/effects",
        "numerics/chat* numerics/responses* batching text",
        "batching/identical* batching/mixed* batching/a[bf]* batching/staggered* batching/*cache* text",
        "text/messages*",
    };
    oracle o = {.truth = &known};
    probe_truth truth;
    probe_run run;
    char url[64], dir[4096];
    (void)snprintf(dir, sizeof dir, "%s", support_path("saved"));
    oracle_start(&o);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d", o.port);
    probe(url, "", dir, &truth, &run);
    oracle_stop(&o);
    end_probe(&truth, &run);
    assert_code(support_shell("mv saved kept"), 0);
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        char command[512];
        (void)snprintf(command, sizeof command, "rm -rf saved && cp -r kept saved && cd saved && rm -r %s",
                       lost[i]);
        assert_code(support_shell(command), 0);
        probe(dir, "", NULL, &truth, &run);
        if (probe_exit(&run) != CONF_EXIT_AGREE) list_rows(&run);
        ck_assert_int_eq(probe_exit(&run), CONF_EXIT_AGREE);
        ck_assert_uint_gt(probe_findings_count(&run.findings, PROBE_NOT_EXERCISED), 0);
        end_probe(&truth, &run);
    }
}
END_TEST

START_TEST(user_is_asked_for_one_of_several_models_before_anything_else)
{
    const char *const paths[] = {cases};
    oracle o = {.truth = &known, .from = "{\"id\":\"oracle\"", .to = "{\"id\":\"a\"},{\"id\":\"b\""};
    probe_truth truth;
    probe_run run;
    assay_error err;
    char url[64];
    oracle_start(&o);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d", o.port);
    const probe_options options = {.target = url, .truth = paths, .n_truth = 1, .seconds = 3};
    ck_assert_int_eq(probe_run_all(&options, &truth, &run, NULL, NULL, &err), ASSAY_EINVAL);
    ck_assert_msg(strstr(err.text,
                         "found 2 models, none with the name of the checkpoint's directory: name one "
                         "with --model: a, b") != NULL,
                  "%s", err.text);
    ck_assert_uint_eq(probe_wire_count(run.wire), 1);
    oracle_stop(&o);
    end_probe(&truth, &run);
}
END_TEST

START_TEST(no_request_exceeds_the_positions_that_a_server_lists)
{
    oracle o = {.truth = &known, .n_positions = 64};
    probe_truth truth;
    probe_run run;
    probe_oracle(&o, "", &truth, &run);
    if (probe_exit(&run) != CONF_EXIT_AGREE) list_rows(&run);
    ck_assert_int_eq(probe_exit(&run), CONF_EXIT_AGREE);
    ck_assert_ptr_nonnull(find_row(&run, "text/chat", PROBE_OK, "9 answers"));
    ck_assert_ptr_nonnull(find_row(&run, "numerics/echo/logprob", PROBE_OK, ""));
    end_probe(&truth, &run);
}
END_TEST

START_TEST(whole_vocabularies_become_an_observation)
{
    oracle o = {.truth = &known, .bug = ORACLE_SOUND};
    probe_truth truth;
    probe_run run;
    char url[64], dir[4096];
    (void)snprintf(dir, sizeof dir, "%s", support_path("saved"));
    for (int i = 0; i < 2; i++) {
        o.bug = i ? ORACLE_COARSE : ORACLE_SOUND;
        assert_code(support_shell("rm -rf saved"), 0);
        oracle_start(&o);
        (void)snprintf(url, sizeof url, "http://127.0.0.1:%d", o.port);
        probe(url, "numerics", dir, &truth, &run);
        oracle_stop(&o);
        ck_assert_ptr_nonnull(find_row(&run, "numerics/observation", PROBE_OK, "assay diff --part logits"));
        const support_output *out =
            support_assay("diff --part logits served/prompts.h5 saved/observations/prompts.h5");
        assert_code(out, i);
        out = support_assay("locate served/prompts.h5 saved/observations/prompts.h5");
        assert_code(out, i ? 1 : 77); /* without tensors there is nothing to locate in sound logits */
        if (i) assert_holds(out->out, "first out of bounds: logits[");
        end_probe(&truth, &run);
    }
}
END_TEST

START_TEST(command_reports_and_exits_by_what_it_found)
{
    oracle o = {.truth = &known, .bug = ORACLE_NO_STOP_TEXT};
    oracle_start(&o);
    const support_output *out =
        support_assay("probe http://127.0.0.1:%d --truth served --only protocol/chat/whole/stop "
                      "--only protocol/no-such-check --json report.json "
                      "--junit report.xml > report.txt",
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
    tcase_add_unchecked_fixture(c, read_truth, free_truth);
    tcase_add_checked_fixture(c, setup, support_teardown);
    tcase_add_test(c, sound_server_fails_no_check);
    tcase_add_loop_test(c, planted_fault_is_named, 0, (int)n_planted_faults);
    tcase_add_test(c, stream_that_differs_in_white_space_is_a_habit_and_one_that_differs_in_usage_departs);
    tcase_add_test(c, saved_run_is_judged_as_the_live_one);
    tcase_add_test(c, damaged_saved_run_is_refused_by_file);
    tcase_add_test(c, interrupted_run_blames_the_server_for_nothing);
    tcase_add_test(c, user_is_asked_for_one_of_several_models_before_anything_else);
    tcase_add_test(c, no_request_exceeds_the_positions_that_a_server_lists);
    tcase_add_test(c, whole_vocabularies_become_an_observation);
    tcase_add_test(c, command_reports_and_exits_by_what_it_found);
    Suite *suite = suite_create("probe/probe");
    suite_add_tcase(suite, c);
    return support_run(suite);
}
