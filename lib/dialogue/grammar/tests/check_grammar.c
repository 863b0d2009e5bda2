/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/grammar.h"

#include "base/tests/support.h"
#include "dialogue/grammar/tests/stream.h"
#include "dialogue/grammar/tests/stream_edits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const VALID[] = {"chat_calls",     "chat_error",      "messages_tool", "responses_text",
                                    "responses_call", "messages_blocks", "responses_cut", "completions_text"};

START_TEST(a_valid_stream_is_valid_for_any_cuts)
{
    const char *name = VALID[_i];
    serve_breach breach;
    stream s;
    stream_read(name, &s);
    for (size_t piece = 1; piece < 40; piece++)
        ck_assert_msg(strcmp(stream_rule(name, s.text.data, s.text.n, piece, NULL, &breach), "-") == 0,
                      "%s: %s: %s", name, breach.rule, breach.text);
    ck_assert_str_eq(stream_rule(name, s.text.data, s.text.n, s.text.n, NULL, &breach), "-");
    buffer_free(&s.text);
}
END_TEST

START_TEST(a_changed_word_breaks_its_rule_at_its_event)
{
    const stream_edit *e = &stream_edits[_i];
    buffer changed = {0};
    serve_breach breach;
    stream s;
    stream_read(e->name, &s);
    const size_t n_rule = strcspn(e->rule, " "), later = strtoul(e->rule + n_rule, NULL, 10);
    const size_t event = stream_edit_apply(&s, e, &changed) + later;
    const char *found = stream_rule(e->name, changed.data, changed.n, changed.n, "up. !", &breach);
    ck_assert_msg(strlen(found) == n_rule && memcmp(found, e->rule, n_rule) == 0,
                  "%s with %s: found %s (%s), expected %s", e->name, e->to, found, breach.text, e->rule);
    if (*found != '-') {
        ck_assert_msg(breach.event == event, "%s with %s: found event %zu, expected %zu", e->name, e->to,
                      breach.event, event);
        ck_assert_uint_eq(breach.offset, stream_offset(changed.data, changed.n, event));
    }
    buffer_free(&changed);
    buffer_free(&s.text);
}
END_TEST

/* The message for a wrong word: what was found, and what was expected. */
static const struct {
    stream_edit edit;
    const char *words;
} SAID[] = {
    {{"chat_calls", "tool_calls", "}}]", "}},{\"index\":0,\"id\":\"b\"}]", NULL},
     "found the id of a call again"},
    {{"chat_calls", "tool_calls", "}}]", "}},{\"index\":0,\"function\":{\"name\":\"b\"}}]", NULL},
     "found the name of a call again"},
    {{"chat_calls", "tool_calls", "\"function\":{", "\"tool\":{", NULL},
     "a call's first delta: found no function"},
    {{"chat_calls", "", "\"choices\":[{", "\"choices\":[1,{", NULL},
     "choices: found an element that is no object"},
    {{"chat_calls", "Let me", "\"model\":\"model\"", "\"model\":\"another\"", NULL},
     "the chunk: found model \"another\", expected \"model\", as before"},
    {{"chat_calls", "", "data: {", "event: chunk\ndata: {", NULL},
     "found event: \"chunk\", expected no field event"},
    {{"messages_tool", "", "event: message_start\n", "", NULL},
     "found no field event, expected event: \"message_start\""},
    {{"messages_tool", "", "\"stop_reason\":\"tool_use\"", "\"stop_reason\":\"stop_sequence\"", NULL},
     "found stop_reason \"stop_sequence\" and no stop_sequence"},
    {{"messages_tool", "message_delta", "\"stop_sequence\":null", "\"stop_sequence\":\"x\"", NULL},
     "found stop_reason \"tool_use\" and a stop_sequence"},
    {{"responses_text", "", "\"sequence_number\":9", "\"sequence_number\":8", NULL},
     "found sequence_number 8, expected 9"},
    {{"responses_text", "output_text.done\ndata", "\"text\":\"It", "\"text\":\"at", NULL},
     "found \"at is sunny.\" of 12 bytes, expected the 12 that the deltas joined give (they differ at byte "
     "0)"},
    {{"responses_cut", "output_item.done\ndata", "{\"type\":\"summary_text\",\"text\":\"First.\"},", "",
      NULL},
     "item: found 1 parts in its summary, expected 2"},
    {{"chat_error", "error", "\"message\": \"", "\"text\": \"", NULL},
     "error: found no message, expected one of type string"},
    {{"chat_calls", "", "\"created\":", "\"made\":", NULL},
     "the chunk: found no created, expected one of type int"},
    {{"responses_text", "item.added\ndata", "\"type\":\"reasoning\",", "", NULL}, "item: found no type"},
    {{"responses_text", "part.added\ndata", "\"content_index\":0,", "", NULL},
     "the event: found no content_index"},
    {{"responses_text", "item.done\ndata", "\"type\":\"reasoning\"", "\"type\":\"message\"", NULL},
     "item: found type \"message\", expected \"reasoning\", as before"},
    {{"responses_call", "", "fc_1", "0123456789\\n0123456789012345678901234567890123456789", NULL},
     "expected \"0123456789\\n012345678901234567890…\", as before"},
};

START_TEST(a_breach_states_the_found_and_the_expected_value)
{
    const stream_edit *e = &SAID[_i].edit;
    buffer changed = {0};
    serve_breach breach;
    stream s;
    stream_read(e->name, &s);
    (void)stream_edit_apply(&s, e, &changed);
    ck_assert_str_ne(stream_rule(e->name, changed.data, changed.n, 7, NULL, &breach), "-");
    ck_assert_msg(strstr(breach.text, SAID[_i].words), "expected %s in: %s", SAID[_i].words, breach.text);
    buffer_free(&changed);
    buffer_free(&s.text);
}
END_TEST

/* The last digit of created in every chunk from the one with "Let me" on. */
static void change_created(stream *s, int by)
{
    const char *from = memmem(s->text.data, s->text.n, "Let me", 6);
    for (size_t i = 1; i < s->n; i++) {
        char *event = s->text.data + (s->events[i].at - s->text.data);
        char *at = memmem(event, s->events[i].n, "\"created\":", 10);
        if (at && event + s->events[i].n > from) at[strcspn(at, ",") - 1] += (char)by;
    }
}

START_TEST(created_may_cross_a_second_and_nothing_else)
{
    static const int by[] = {0, 1, 2, -1};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        serve_breach breach;
        stream s;
        stream_read("chat_calls", &s);
        change_created(&s, by[i]);
        ck_assert_str_eq(stream_rule("chat_calls", s.text.data, s.text.n, 7, NULL, &breach),
                         by[i] == 0 || by[i] == 1 ? "-" : "chat-head");
        buffer_free(&s.text);
    }
}
END_TEST

START_TEST(a_breach_of_a_truncated_stream_names_the_missing_event)
{
    static const char *const missing[][2] = {
        {"chat_calls", "expected [DONE]"},
        {"messages_tool", "expected message_stop"},
        {"responses_text", "expected response.completed, response.incomplete or response.failed"},
    };
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        serve_breach breach;
        stream s;
        stream_read(missing[i][0], &s);
        const size_t n = (size_t)(s.events[s.n - 1].at - s.text.data);
        (void)stream_rule(missing[i][0], s.text.data, n, n, NULL, &breach);
        ck_assert_ptr_nonnull(strstr(breach.text, missing[i][1]));
        ck_assert_str_eq(breach.excerpt, "");
        ck_assert_uint_eq(breach.event, s.n);
        ck_assert_uint_eq(breach.offset, n);
        (void)stream_rule(missing[i][0], "", 0, 1, NULL, &breach);
        ck_assert_uint_eq(breach.event, 1);
        buffer_free(&s.text);
    }
}
END_TEST

START_TEST(a_breach_states_its_offset)
{
    static const char text[] =
        "event: ping\ndata: {\"type\": \"ping\"}\n\nevent: ping\ndata: {\"type\": \"pong\"}\n\n";
    serve_breach breach;
    ck_assert_str_eq(stream_rule("messages", text, sizeof text - 1, 7, NULL, &breach), "event-name");
    ck_assert_uint_eq(breach.event, 2);
    ck_assert_uint_eq(breach.offset, 36);
    ck_assert_ptr_nonnull(strstr(breach.text, "\"pong\""));
    ck_assert_ptr_nonnull(strstr(breach.text, "\"ping\""));
    ck_assert_str_eq(breach.excerpt, "{\"type\": \"pong\"}");
}
END_TEST

static const char LATE_USAGE[] =
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"a\",\"type\":\"message\","
    "\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":0,\"output_tokens\":0}"
    "}}\n\n"
    "event: message_delta\ndata: "
    "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{"
    "\"input_tokens\":9,\"output_tokens\":1}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

START_TEST(input_tokens_may_be_reported_at_the_end)
{
    serve_breach breach;
    const size_t n = sizeof LATE_USAGE - 1;
    ck_assert_str_eq(stream_rule("messages", LATE_USAGE, n, n, NULL, &breach), "-");
}
END_TEST

START_TEST(a_response_does_not_end_before_it_began)
{
    static const char *const ends[] = {"completed",
                                       "incomplete",
                                       "output_item.added",
                                       "output_item.done",
                                       "content_part.added",
                                       "content_part.done",
                                       "reasoning_summary_part.added",
                                       "reasoning_summary_part.done",
                                       "output_text.delta",
                                       "output_text.done",
                                       "reasoning_summary_text.delta",
                                       "function_call_arguments.delta",
                                       "function_call_arguments.done"};
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

/* A chunk with this many choices, or this many calls in one choice. */
static void write_chunk(buffer *out, const char *head, const char *element, size_t n, const char *tail)
{
    buffer_append_string(out, "data: {\"id\":\"a\",\"object\":\"chat.completion.chunk\",\"created\":1,"
                              "\"model\":\"m\",\"choices\":[");
    buffer_append_string(out, head);
    for (size_t i = 0; i < n; i++) {
        char text[256];
        (void)snprintf(text, sizeof text, element, i);
        buffer_append_string(out, i ? "," : "");
        buffer_append_string(out, text);
    }
    buffer_append_string(out, tail);
    buffer_append_string(out, "]}\n\n");
}

static const struct {
    const char *head, *element, *tail;
    size_t most;
} FULL[] = {
    {"", "{\"index\":%zu,\"delta\":{\"role\":\"assistant\"}}", "", 128},
    {"{\"index\":0,\"delta\":{\"role\":\"assistant\",\"tool_calls\":[",
     "{\"index\":%zu,\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"f\"}}", "]}}", 4096},
};

START_TEST(more_choices_or_calls_than_fit_are_refused)
{
    for (size_t more = 0; more < 2; more++) {
        buffer text = {0};
        serve_breach breach;
        write_chunk(&text, FULL[_i].head, FULL[_i].element, FULL[_i].most + more, FULL[_i].tail);
        ck_assert_str_eq(stream_rule("chat", text.data, text.n, text.n, NULL, &breach),
                         more ? "size" : "chat-finish");
        buffer_free(&text);
    }
}
END_TEST

START_TEST(text_beyond_the_limit_is_refused_at_its_event)
{
    const size_t n = SERVE_GRAMMAR_TEXT_MAX / 8;
    const serve_grammar_options options = {.endpoint = SERVE_CHAT};
    buffer text = {0}, arguments = {0};
    serve_grammar *g;
    for (size_t i = 0; i < n; i += 64)
        buffer_append(&arguments, "0123456789012345678901234567890123456789012345678901234567890123", 64);
    ck_assert_int_eq(serve_grammar_open(&options, &g), ASSAY_OK);
    for (size_t i = 0; i < 9; i++) { /* the last one is one too many */
        text.n = 0;
        buffer_append_string(&text, "data: {\"id\":\"a\",\"object\":\"chat.completion.chunk\",\"created\":1,"
                                    "\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{");
        buffer_append_string(
            &text,
            i ? "\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\""
              : "\"role\":\"assistant\",\"tool_calls\":[{\"index\":0,\"id\":\"b\",\"type\":\"function\","
                "\"function\":{\"name\":\"f\",\"arguments\":\"");
        buffer_append(&text, arguments.data, i ? n : n - 2); /* id and model are stored, too */
        buffer_append_string(&text, "\"}}]}}]}\n\n");
        ck_assert_int_eq(serve_grammar_feed(g, text.data, text.n), ASSAY_OK);
        ck_assert_uint_eq(serve_grammar_breaches(g)->n, i < 8 ? 0 : 1);
    }
    ck_assert_str_eq(serve_grammar_breaches(g)->at->rule, "size");
    ck_assert_uint_eq(serve_grammar_breaches(g)->at->event, 9);
    serve_grammar_free(g);
    buffer_free(&text);
    buffer_free(&arguments);
}
END_TEST

START_TEST(an_endpoint_has_two_names)
{
    serve_endpoint endpoint = SERVE_RESPONSES;
    ck_assert(serve_endpoint_find("messages", &endpoint) && endpoint == SERVE_MESSAGES);
    ck_assert(serve_endpoint_find("/v1/chat/completions", &endpoint) && endpoint == SERVE_CHAT);
    ck_assert(!serve_endpoint_find("completion", &endpoint) && endpoint == SERVE_CHAT);
    ck_assert(serve_endpoint_find("/v1/completions", &endpoint) && endpoint == SERVE_COMPLETIONS);
    ck_assert_str_eq(serve_endpoint_name(SERVE_RESPONSES), "responses");
}
END_TEST

START_TEST(an_unrequested_usage_breaks_a_rule)
{
    const serve_grammar_options options = {.endpoint = SERVE_CHAT, .usage = SERVE_NOT_ASKED_FOR};
    serve_grammar *g;
    stream s;
    stream_read("chat_calls", &s);
    ck_assert_int_eq(serve_grammar_open(&options, &g), ASSAY_OK);
    ck_assert_int_eq(serve_grammar_feed(g, s.text.data, s.text.n), ASSAY_OK);
    ck_assert_uint_eq(serve_grammar_breaches(g)->n, 1);
    ck_assert_str_eq(serve_grammar_breaches(g)->at->rule, "chat-usage");
    serve_grammar_free(g);
    buffer_free(&s.text);
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
    {"messages_blocks", "max_tokens", 16, 6, 2, 25, 9, false},
    {"responses_cut", "incomplete", 4, 15, 1, 1, 9, false},
};

START_TEST(the_summary_describes_the_stream)
{
    const serve_grammar_options options = {.endpoint = stream_endpoint(SUMMARIES[_i].name)};
    serve_grammar_summary summary;
    serve_grammar *g;
    stream s;
    stream_read(SUMMARIES[_i].name, &s);
    ck_assert_int_eq(serve_grammar_open(&options, &g), ASSAY_OK);
    ck_assert_int_eq(serve_grammar_feed(g, s.text.data, s.text.n), ASSAY_OK);
    ck_assert_int_eq(serve_grammar_end(g), ASSAY_OK);
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
    buffer_free(&s.text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dialogue/grammar/grammar");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_valid_stream_is_valid_for_any_cuts, 0, (int)(sizeof VALID / sizeof *VALID));
    tcase_add_loop_test(all, a_changed_word_breaks_its_rule_at_its_event, 0, (int)n_stream_edits);
    tcase_add_loop_test(all, a_breach_states_the_found_and_the_expected_value, 0,
                        (int)(sizeof SAID / sizeof *SAID));
    tcase_add_test(all, created_may_cross_a_second_and_nothing_else);
    tcase_add_test(all, a_breach_of_a_truncated_stream_names_the_missing_event);
    tcase_add_test(all, a_breach_states_its_offset);
    tcase_add_loop_test(all, more_choices_or_calls_than_fit_are_refused, 0,
                        (int)(sizeof FULL / sizeof *FULL));
    tcase_add_test(all, text_beyond_the_limit_is_refused_at_its_event);
    tcase_add_test(all, an_endpoint_has_two_names);
    tcase_add_test(all, input_tokens_may_be_reported_at_the_end);
    tcase_add_test(all, a_response_does_not_end_before_it_began);
    tcase_add_test(all, an_unrequested_usage_breaks_a_rule);
    tcase_add_loop_test(all, the_summary_describes_the_stream, 0,
                        (int)(sizeof SUMMARIES / sizeof *SUMMARIES));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
