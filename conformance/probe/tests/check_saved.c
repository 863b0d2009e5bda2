/* Saved runs of a probe: of a server that is right by construction, and of one whose numbers are off.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "conformance/probe/tests/probing.h"
#include "conformance/tests/support.h"

/* What live probes found that were saved in the directory "sound" and the archive "coarse.jsonl". */
static probing sound, coarse;

/* Once for all tests: each runs in a child process, which has the memory of this one. */
static void setup(void)
{
    oracle good = {.bug = ORACLE_SOUND}, bad = {.bug = ORACLE_COARSE};
    support_setup();
    probing_open();
    probing_serve();
    probing_oracle(&sound, &good, "", 0, support_path("sound"));
    probing_oracle(&coarse, &bad, "", 0, support_path("coarse.jsonl"));
}

static void teardown(void)
{
    probing_free(&sound);
    probing_free(&coarse);
    probing_close();
    support_teardown();
}

/* Judges a saved run. */
static void judge(probing *p, const char *path, const char *asked)
{
    const probe_options options = probing_options(support_path("%s", path), asked, 0, NULL);
    probing_probe(p, &options);
}

START_TEST(sound_server_fails_no_check)
{
    probing_agrees(&sound);
    ck_assert_uint_gt(probe_findings_count(&sound.run.findings, PROBE_OK), 100);
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
        (void)probing_row(&sound, exercised[i], PROBE_OK, "");
}
END_TEST

START_TEST(saved_run_is_judged_as_the_live_one)
{
    const probing *live = _i ? &coarse : &sound;
    probing again;
    judge(&again, _i ? "coarse.jsonl" : "sound", "");
    ck_assert_str_eq(probe_wire_url(again.run.wire), probe_wire_url(live->run.wire));
    ck_assert_uint_gt(live->run.findings.n, 100);
    size_t n = 0;
    for (size_t i = 0; i < live->run.findings.n; i++) {
        const probe_finding *f = &live->run.findings.at[i];
        if (strcmp(f->check, "numerics/observation") == 0) continue;
        ck_assert_str_eq(again.run.findings.at[n].check, f->check);
        ck_assert_int_eq(again.run.findings.at[n].verdict, f->verdict);
        ck_assert_str_eq(again.run.findings.at[n].text, f->text);
        n++;
    }
    ck_assert_uint_eq(n, again.run.findings.n);
    probing_free(&again);
}
END_TEST

START_TEST(failure_names_the_archive_and_the_label_of_its_exchange)
{
    const support_output *out =
        support_shell("\"$ASSAY\" probe coarse.jsonl --truth served | grep -m 1 'exchange: '");
    assert_holds(out->out, "    exchange: coarse.jsonl, label numerics/");
}
END_TEST

/* Makes the directory "saved" of the discovery of the sound run. */
static void save_discovery(void)
{
    assert_code(support_shell("rm -rf saved && mkdir saved && cp -r sound/probe.json sound/discovery saved"),
                0);
}

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
    for (size_t i = 0; i < sizeof cases_of_damage / sizeof *cases_of_damage; i++) {
        probing p;
        assay_error err;
        save_discovery();
        assert_code(support_shell(cases_of_damage[i].damage), 0);
        const probe_options options = probing_options(support_path("saved"), "discovery", 0, NULL);
        ck_assert_int_ne(probe_run_all(&options, &p.truth, &p.run, NULL, NULL, &err), ASSAY_OK);
        assert_holds(err.text, cases_of_damage[i].reason);
        probing_free(&p);
    }
}
END_TEST

START_TEST(exchange_that_a_saved_run_lacks_is_not_exercised)
{
    static const char *const changes[][3] = {
        {"saved", "rm saved/discovery/chat.json", "not saved"},
        {"saved", "echo x >> saved/discovery/chat.request", "another request"},
        {"saved.jsonl", "sed '/discovery.chat\"/d' coarse.jsonl > saved.jsonl", "not saved"},
        {"saved.jsonl", "sed '/discovery.chat\"/s/\"request\":\"/&x/' coarse.jsonl > saved.jsonl",
         "another request"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        probing p;
        save_discovery();
        assert_code(support_shell(changes[i][1]), 0);
        judge(&p, changes[i][0], "discovery");
        (void)probing_row(&p, "discovery/chat", PROBE_NOT_EXERCISED, changes[i][2]);
        probing_free(&p);
    }
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
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        char command[512];
        probing p;
        (void)snprintf(command, sizeof command, "rm -rf saved && cp -rl sound saved && cd saved && rm -r %s",
                       lost[i]);
        assert_code(support_shell(command), 0);
        judge(&p, "saved", "");
        probing_agrees(&p);
        ck_assert_uint_gt(probe_findings_count(&p.run.findings, PROBE_NOT_EXERCISED), 0);
        probing_free(&p);
    }
}
END_TEST

START_TEST(whole_vocabularies_become_an_observation)
{
    static const struct {
        const char *dir;
        const probing *live;
        int differs, located;
    } runs[] = {
        {"sound/observations", &sound, 0, 77}, /* nothing to locate in sound logits without tensors */
        {"coarse.observations", &coarse, 1, 1},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        (void)probing_row(runs[i].live, "numerics/observation", PROBE_OK, "assay diff --part logits");
        const support_output *out =
            support_assay("diff --part logits served/prompts.h5 %s/prompts.h5", runs[i].dir);
        assert_code(out, runs[i].differs);
        out = support_assay("locate served/prompts.h5 %s/prompts.h5", runs[i].dir);
        assert_code(out, runs[i].located);
        if (runs[i].differs) assert_holds(out->out, "first out of bounds: logits[");
    }
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("saved");
    tcase_set_timeout(c, 300);
    tcase_add_unchecked_fixture(c, setup, teardown);
    tcase_add_test(c, sound_server_fails_no_check);
    tcase_add_loop_test(c, saved_run_is_judged_as_the_live_one, 0, 2);
    tcase_add_test(c, failure_names_the_archive_and_the_label_of_its_exchange);
    tcase_add_test(c, damaged_saved_run_is_refused_by_file);
    tcase_add_test(c, exchange_that_a_saved_run_lacks_is_not_exercised);
    tcase_add_test(c, interrupted_run_blames_the_server_for_nothing);
    tcase_add_test(c, whole_vocabularies_become_an_observation);
    Suite *suite = suite_create("probe/saved");
    suite_add_tcase(suite, c);
    return support_run(suite);
}
