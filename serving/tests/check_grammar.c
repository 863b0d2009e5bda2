/* SPDX-License-Identifier: Apache-2.0 */
#include "serving/grammar.h"

#include "model/tests/support.h"
#include "serving/tests/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const SOUND[] = {"chat_calls", "chat_error", "messages_tool", "responses_text",
                                    "responses_call"};

START_TEST(a_sound_stream_is_sound_however_it_is_cut)
{
    const char *name = SOUND[_i];
    serve_breach breach;
    stream s;
    stream_read(name, &s);
    for (size_t piece = 1; piece < 40; piece++)
        ck_assert_msg(strcmp(stream_rule(name, s.text.at, s.text.n, piece, NULL, &breach), "-") == 0,
                      "%s: %s: %s", name, breach.rule, breach.text);
    ck_assert_str_eq(stream_rule(name, s.text.at, s.text.n, s.text.n, NULL, &breach), "-");
    serve_bytes_free(&s.text);
}
END_TEST

typedef enum change { DROP, REPEAT, SWAP } change;

/* The rule that each change breaks, event by event; "-" where the stream is as sound as before. */
static const struct {
    const char *name;
    change change;
    const char *rules;
} CHANGES[] = {
    {"chat_calls", DROP, "chat-role - - - - chat-usage chat-usage chat-done"},
    {"chat_calls", REPEAT, "chat-role - - - - chat-finish chat-usage chat-done"},
    {"chat_calls", SWAP, "chat-role - - - chat-finish chat-usage chat-usage"},
    {"messages_tool", DROP,
     "messages-block messages-block - - - messages-block messages-block - - messages-block messages-block "
     "messages-input messages-input messages-end messages-end messages-end"},
    {"messages_tool", REPEAT,
     "messages-start messages-block - - messages-delta messages-block messages-block - - messages-block "
     "messages-block messages-input messages-input messages-block messages-end messages-end"},
    {"messages_tool", SWAP,
     "messages-block - - messages-delta messages-block messages-block messages-block - messages-block "
     "messages-block messages-block messages-input messages-block messages-end messages-end"},
    {"responses_text", DROP,
     "responses-start responses-start responses-item responses-part responses-done responses-done "
     "responses-item responses-part responses-done responses-done responses-done responses-done "
     "responses-done responses-done responses-done responses-done responses-end"},
    {"responses_text", REPEAT,
     "responses-start responses-start responses-item responses-part responses-done responses-done "
     "responses-item responses-part responses-done responses-done responses-done responses-done "
     "responses-done responses-done responses-done responses-done responses-end"},
    {"responses_text", SWAP,
     "responses-start responses-start responses-item responses-part responses-done - responses-item "
     "responses-part responses-done - responses-done responses-done - responses-done responses-done "
     "responses-done"},
    {"responses_call", DROP,
     "responses-start responses-start responses-item responses-done responses-done responses-done "
     "responses-done responses-end"},
    {"responses_call", REPEAT,
     "responses-start responses-start responses-item responses-done responses-done responses-done "
     "responses-done responses-end"},
    {"responses_call", SWAP,
     "responses-start responses-start responses-item responses-done responses-done responses-done "
     "responses-done"},
};

/* Adds an event, numbered anew where it has a number: what is behind the numbers is to be found. */
static void add_event(serve_bytes *out, assay_text event, size_t *number)
{
    static const char key[] = "\"sequence_number\":";
    const char *at = memmem(event.at, event.n, key, sizeof key - 1);
    if (!at) {
        serve_bytes_add(out, event.at, event.n);
        return;
    }
    at += sizeof key - 1;
    char text[24];
    (void)snprintf(text, sizeof text, "%zu", (*number)++);
    serve_bytes_add(out, event.at, (size_t)(at - event.at));
    serve_bytes_add_string(out, text);
    at += strspn(at, "0123456789");
    serve_bytes_add(out, at, (size_t)(event.at + event.n - at));
}

/* The stream with event i dropped, repeated, or swapped with the next. */
static void change_stream(const stream *s, change how, size_t i, serve_bytes *out)
{
    size_t number = 1;
    out->n = 0;
    for (size_t k = 0; k < s->n; k++) {
        size_t from = how == SWAP && k == i ? k + 1 : how == SWAP && k == i + 1 ? i : k;
        if (how == DROP && k == i) continue;
        add_event(out, s->events[from], &number);
        if (how == REPEAT && k == i) add_event(out, s->events[k], &number);
    }
}

START_TEST(an_event_that_is_missing_repeated_or_too_early_breaks_a_rule)
{
    static const char *const words[] = {"without", "with twice", "with the next before"};
    const char *name = CHANGES[_i].name, *rule = CHANGES[_i].rules;
    serve_bytes changed = {0};
    serve_breach breach;
    stream s;
    stream_read(name, &s);
    const size_t n = s.n - (CHANGES[_i].change == SWAP);
    for (size_t i = 0; i < n; i++) {
        const size_t n_rule = strcspn(rule, " ");
        change_stream(&s, CHANGES[_i].change, i, &changed);
        const char *found = stream_rule(name, changed.at, changed.n, changed.n, NULL, &breach);
        ck_assert_msg(n_rule > 0 && strlen(found) == n_rule && memcmp(found, rule, n_rule) == 0,
                      "%s %s event %zu: found %s (%s), expected %.*s", name, words[CHANGES[_i].change], i + 1,
                      found, breach.text, (int)n_rule, rule);
        if (*found != '-')
            ck_assert_uint_eq(breach.offset, stream_offset(changed.at, changed.n, breach.event));
        rule += n_rule + (rule[n_rule] == ' ');
    }
    ck_assert_str_eq(rule, "");
    serve_bytes_free(&changed);
    serve_bytes_free(&s.text);
}
END_TEST

/* The stream with the word that an edit changes; returns the number of the event that it stands in. */
static size_t edit_stream(const stream *s, const stream_edit *e, serve_bytes *out)
{
    const char *end = s->text.at + s->text.n;
    const char *after = memmem(s->text.at, s->text.n, e->after, strlen(e->after));
    ck_assert_msg(after != NULL, "%s: no %s", e->name, e->after);
    const char *at = memmem(after, (size_t)(end - after), e->from, strlen(e->from));
    ck_assert_msg(at != NULL, "%s: no %s behind %s", e->name, e->from, e->after);
    size_t event = 1;
    while (event < s->n && s->events[event].at <= at) event++;
    serve_bytes_add(out, s->text.at, (size_t)(at - s->text.at));
    serve_bytes_add(out, e->to, strlen(e->to));
    at += strlen(e->from);
    serve_bytes_add(out, at, (size_t)(end - at));
    return event;
}

START_TEST(a_word_that_is_wrong_breaks_its_rule_where_it_stands)
{
    const stream_edit *e = &stream_edits[_i];
    serve_bytes changed = {0};
    serve_breach breach;
    stream s;
    stream_read(e->name, &s);
    const size_t n_rule = strcspn(e->rule, " "), later = strtoul(e->rule + n_rule, NULL, 10);
    const size_t event = edit_stream(&s, e, &changed) + later;
    const char *found = stream_rule(e->name, changed.at, changed.n, changed.n, "up. !", &breach);
    ck_assert_msg(strlen(found) == n_rule && memcmp(found, e->rule, n_rule) == 0,
                  "%s with %s: found %s (%s), expected %s", e->name, e->to, found, breach.text, e->rule);
    if (*found != '-') {
        ck_assert_msg(breach.event == event, "%s with %s: found event %zu, expected %zu", e->name, e->to,
                      breach.event, event);
        ck_assert_uint_eq(breach.offset, stream_offset(changed.at, changed.n, event));
    }
    serve_bytes_free(&changed);
    serve_bytes_free(&s.text);
}
END_TEST

START_TEST(a_breach_says_where_it_is)
{
    static const char text[] =
        "event: ping\ndata: {\"type\": \"ping\"}\n\nevent: ping\ndata: {\"type\": \"pong\"}\n\n";
    serve_breach breach;
    ck_assert_str_eq(stream_rule("messages", text, sizeof text - 1, 7, NULL, &breach), "event-name");
    ck_assert_uint_eq(breach.event, 2);
    ck_assert_uint_eq(breach.offset, 36);
    ck_assert_ptr_nonnull(strstr(breach.text, "\"pong\""));
    ck_assert_ptr_nonnull(strstr(breach.text, "\"ping\""));
}
END_TEST

static const char LATE_USAGE[] =
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"a\",\"type\":\"message\","
    "\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":0,\"output_tokens\":0}"
    "}}\n\n"
    "event: message_delta\ndata: "
    "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{"
    "\"input_tokens\":9,\"output_tokens\":1}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

START_TEST(input_tokens_may_be_told_at_the_end)
{
    serve_breach breach;
    const size_t n = sizeof LATE_USAGE - 1;
    ck_assert_str_eq(stream_rule("messages", LATE_USAGE, n, n, NULL, &breach), "-");
}
END_TEST

START_TEST(a_response_does_not_end_before_it_began)
{
    static const char *const ends[] = {"completed", "incomplete", "output_item.added", "output_text.delta"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[256];
        serve_breach breach;
        const int n =
            snprintf(text, sizeof text,
                     "event: response.%s\ndata: {\"type\":\"response.%s\",\"sequence_number\":0}\n\n",
                     ends[i], ends[i]);
        ck_assert_str_eq(stream_rule("responses", text, (size_t)n, (size_t)n, NULL, &breach),
                         "responses-start");
    }
}
END_TEST

START_TEST(a_usage_that_nobody_asked_for_breaks_a_rule)
{
    const serve_grammar_options options = {.endpoint = SERVE_CHAT, .usage = SERVE_NOT_ASKED_FOR};
    serve_breach breach = {0};
    serve_grammar *g;
    stream s;
    stream_read("chat_calls", &s);
    ck_assert_int_eq(serve_grammar_open(&options, &g), ASSAY_OK);
    ck_assert_int_eq(serve_grammar_feed(g, s.text.at, s.text.n, &breach), ASSAY_EFORMAT);
    ck_assert_str_eq(breach.rule, "chat-usage");
    serve_grammar_free(g);
    serve_bytes_free(&s.text);
}
END_TEST

static const struct {
    const char *name, *finish;
    size_t content, reasoning, n_calls;
    int64_t input, output;
    bool failed;
} SUMMARIES[] = {
    {"chat_calls", "tool_calls", 15, 10, 1, 7, 9, false},
    {"chat_error", "", 0, 10, 0, -1, -1, true},
    {"messages_tool", "tool_use", 14, 10, 1, 25, 9, false},
    {"responses_text", "completed", 12, 10, 0, 7, 6, false},
    {"responses_call", "completed", 0, 0, 1, 25, 9, false},
};

START_TEST(the_summary_says_what_was_streamed)
{
    const serve_grammar_options options = {.endpoint = stream_endpoint(SUMMARIES[_i].name)};
    serve_breach breach;
    serve_grammar_summary summary;
    serve_grammar *g;
    stream s;
    stream_read(SUMMARIES[_i].name, &s);
    ck_assert_int_eq(serve_grammar_open(&options, &g), ASSAY_OK);
    ck_assert_int_eq(serve_grammar_feed(g, s.text.at, s.text.n, &breach), ASSAY_OK);
    ck_assert_int_eq(serve_grammar_end(g, &breach), ASSAY_OK);
    serve_grammar_summarise(g, &summary);
    ck_assert_uint_eq(summary.n_events, s.n);
    ck_assert_uint_eq(summary.n_bytes, s.text.n);
    ck_assert_uint_eq(summary.content_bytes, SUMMARIES[_i].content);
    ck_assert_uint_eq(summary.reasoning_bytes, SUMMARIES[_i].reasoning);
    ck_assert_uint_eq(summary.n_calls, SUMMARIES[_i].n_calls);
    ck_assert_str_eq(summary.finish, SUMMARIES[_i].finish);
    ck_assert_int_eq(summary.failed, SUMMARIES[_i].failed);
    ck_assert_int_eq(summary.input_tokens, SUMMARIES[_i].input);
    ck_assert_int_eq(summary.output_tokens, SUMMARIES[_i].output);
    serve_grammar_free(g);
    serve_bytes_free(&s.text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("serving/grammar");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_sound_stream_is_sound_however_it_is_cut, 0,
                        (int)(sizeof SOUND / sizeof *SOUND));
    tcase_add_loop_test(all, an_event_that_is_missing_repeated_or_too_early_breaks_a_rule, 0,
                        (int)(sizeof CHANGES / sizeof *CHANGES));
    tcase_add_loop_test(all, a_word_that_is_wrong_breaks_its_rule_where_it_stands, 0, (int)n_stream_edits);
    tcase_add_test(all, a_breach_says_where_it_is);
    tcase_add_test(all, input_tokens_may_be_told_at_the_end);
    tcase_add_test(all, a_response_does_not_end_before_it_began);
    tcase_add_test(all, a_usage_that_nobody_asked_for_breaks_a_rule);
    tcase_add_loop_test(all, the_summary_says_what_was_streamed, 0,
                        (int)(sizeof SUMMARIES / sizeof *SUMMARIES));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
