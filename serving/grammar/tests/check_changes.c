/* Streams in which an event is missing, repeated, or too early.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/grammar/grammar.h"

#include "base/tests/support.h"
#include "serving/grammar/tests/stream.h"

#include <stdio.h>
#include <string.h>

typedef enum change { DROP, REPEAT, SWAP } change;

/* The rule that each change breaks, event by event; "-" if the changed stream is valid. */
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
    {"messages_blocks", DROP,
     "messages-block messages-block - - messages-block messages-block messages-block messages-block - "
     "- messages-block messages-block - messages-block messages-block - messages-block messages-block "
     "messages-block messages-block messages-block messages-block messages-block messages-block "
     "messages-block messages-block messages-block messages-block messages-block messages-block "
     "messages-block messages-block - messages-block messages-block messages-block messages-block - "
     "messages-end messages-end messages-end"},
    {"messages_blocks", REPEAT,
     "messages-start messages-block - - messages-block messages-block messages-block messages-block - "
     "- messages-block messages-block messages-input messages-block messages-block messages-input "
     "messages-block messages-block messages-block messages-block messages-block messages-block "
     "messages-block messages-block messages-block messages-block messages-block messages-block "
     "messages-block messages-block messages-block messages-block - messages-block messages-block "
     "messages-block messages-block - messages-block messages-end messages-end"},
    {"messages_blocks", SWAP,
     "messages-block messages-block - messages-block messages-block messages-block messages-block "
     "messages-block - messages-block messages-block messages-block messages-block messages-block "
     "messages-block messages-block messages-block messages-block messages-block messages-block "
     "messages-block messages-block messages-block messages-block messages-block messages-block "
     "messages-block messages-block messages-block messages-block messages-block messages-block "
     "messages-block messages-block messages-block messages-block messages-block messages-block "
     "messages-end messages-end"},
    {"responses_cut", DROP,
     "responses-start - responses-start responses-item responses-part responses-done responses-done "
     "responses-done responses-done responses-part responses-done responses-done responses-done "
     "responses-done responses-part responses-done responses-done responses-done responses-done "
     "responses-item responses-part responses-done - responses-done responses-done responses-part "
     "responses-done responses-done responses-done responses-done responses-item responses-done "
     "responses-done responses-done responses-end"},
    {"responses_cut", REPEAT,
     "responses-start - responses-start responses-item responses-part responses-done responses-done "
     "responses-done responses-done responses-part responses-done responses-done responses-done "
     "responses-done responses-part responses-done responses-done responses-done responses-done "
     "responses-item responses-part responses-done - responses-done responses-done responses-part "
     "responses-done responses-done responses-done responses-done responses-item responses-done "
     "responses-done responses-done responses-end"},
    {"responses_cut", SWAP,
     "responses-start responses-start responses-start responses-item responses-part responses-done "
     "responses-done responses-done - responses-part responses-done responses-done responses-done - "
     "responses-part responses-done responses-done responses-done - responses-item responses-part - "
     "responses-done responses-done - responses-part responses-done responses-done responses-done - "
     "responses-item responses-done responses-done responses-done"},
};

/* Adds an event with a new sequence number if it has one, so that the test reaches the rules after the
 * numbers. */
static void add_event(buffer *out, assay_text event, size_t *number)
{
    static const char key[] = "\"sequence_number\":";
    const char *at = memmem(event.at, event.n, key, sizeof key - 1);
    if (!at) {
        buffer_append(out, event.at, event.n);
        return;
    }
    at += sizeof key - 1;
    char text[24];
    (void)snprintf(text, sizeof text, "%zu", (*number)++);
    buffer_append(out, event.at, (size_t)(at - event.at));
    buffer_append_string(out, text);
    at += strspn(at, "0123456789");
    buffer_append(out, at, (size_t)(event.at + event.n - at));
}

/* The stream with event i dropped, repeated, or swapped with the next one. */
static void change_stream(const stream *s, change how, size_t i, buffer *out)
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
    buffer changed = {0};
    serve_breach breach;
    stream s;
    stream_read(name, &s);
    const size_t n = s.n - (CHANGES[_i].change == SWAP);
    for (size_t i = 0; i < n; i++) {
        const size_t n_rule = strcspn(rule, " ");
        change_stream(&s, CHANGES[_i].change, i, &changed);
        const char *found = stream_rule(name, changed.data, changed.n, changed.n, NULL, &breach);
        ck_assert_msg(n_rule > 0 && strlen(found) == n_rule && memcmp(found, rule, n_rule) == 0,
                      "%s %s event %zu: found %s (%s), expected %.*s", name, words[CHANGES[_i].change], i + 1,
                      found, breach.text, (int)n_rule, rule);
        if (*found != '-')
            ck_assert_uint_eq(breach.offset, stream_offset(changed.data, changed.n, breach.event));
        rule += n_rule + (rule[n_rule] == ' ');
    }
    ck_assert_str_eq(rule, "");
    buffer_free(&changed);
    buffer_free(&s.text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("serving/grammar/changes");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, an_event_that_is_missing_repeated_or_too_early_breaks_a_rule, 0,
                        (int)(sizeof CHANGES / sizeof *CHANGES));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
