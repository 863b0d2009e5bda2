/* Streams in which an event is missing, repeated, or too early.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/grammar.h"

#include "base/tests/support.h"
#include "dialogue/grammar/tests/stream.h"

#include <stdio.h>
#include <string.h>

/* The rule that each change breaks, event by event; "-" if the changed stream is valid. */
static const struct {
    const char *name;
    stream_change change;
    const char *rules;
} CHANGES[] = {
    {"chat_calls", STREAM_DROP, "chat-role - - - - chat-usage-early chat-usage chat-done"},
    {"chat_calls", STREAM_REPEAT, "chat-role-again - - - - chat-after-finish chat-usage chat-done"},
    {"chat_calls", STREAM_SWAP, "chat-role - - - chat-after-finish chat-usage-early chat-usage"},
    {"messages_tool", STREAM_DROP,
     "messages-start messages-index - - - messages-block messages-index - - messages-block "
     "messages-index messages-input messages-input messages-block messages-end messages-stop"},
    {"messages_tool", STREAM_REPEAT,
     "messages-start messages-block - - messages-signature messages-block messages-block - - "
     "messages-block messages-block messages-input messages-input messages-block messages-stop "
     "messages-stop"},
    {"messages_tool", STREAM_SWAP,
     "messages-start - - messages-signature messages-block messages-block messages-index - "
     "messages-block messages-block messages-index messages-input messages-block messages-block "
     "messages-end"},
    {"responses_text", STREAM_DROP,
     "responses-start responses-progress responses-item responses-part responses-done "
     "responses-done responses-item responses-part responses-done responses-done responses-done "
     "responses-done responses-done responses-done responses-done responses-done responses-end"},
    {"responses_text", STREAM_REPEAT,
     "responses-start responses-progress responses-item responses-part responses-done "
     "responses-done responses-item responses-part responses-done responses-done responses-done "
     "responses-done responses-done responses-done responses-done responses-done responses-after"},
    {"responses_text", STREAM_SWAP,
     "responses-start responses-progress responses-item responses-part responses-done - "
     "responses-item responses-part responses-done - responses-done responses-done - "
     "responses-done responses-done responses-done"},
    {"responses_call", STREAM_DROP,
     "responses-start responses-progress responses-item responses-done responses-done "
     "responses-done responses-done responses-end"},
    {"responses_call", STREAM_REPEAT,
     "responses-start responses-progress responses-item responses-done responses-done "
     "responses-done responses-done responses-after"},
    {"responses_call", STREAM_SWAP,
     "responses-start responses-progress responses-item responses-done responses-done "
     "responses-done responses-done"},
    {"messages_blocks", STREAM_DROP,
     "messages-start messages-index - - messages-block messages-index messages-block "
     "messages-index - - messages-block messages-index - messages-block messages-index - "
     "messages-block messages-index messages-block messages-index messages-block messages-index "
     "messages-block messages-index messages-block messages-index messages-block messages-index "
     "messages-block messages-index messages-block messages-index - messages-block "
     "messages-index messages-block messages-index - messages-block messages-end messages-stop"},
    {"messages_blocks", STREAM_REPEAT,
     "messages-start messages-block - - messages-block messages-block messages-block "
     "messages-block - - messages-block messages-block messages-input messages-block "
     "messages-block messages-input messages-block messages-block messages-block messages-block "
     "messages-block messages-block messages-block messages-block messages-block messages-block "
     "messages-block messages-block messages-block messages-block messages-block messages-block "
     "- messages-block messages-block messages-block messages-block - messages-block "
     "messages-stop messages-stop"},
    {"messages_blocks", STREAM_SWAP,
     "messages-start messages-index - messages-block messages-block messages-index "
     "messages-block messages-index - messages-block messages-block messages-index "
     "messages-block messages-block messages-index messages-block messages-block messages-index "
     "messages-block messages-index messages-block messages-index messages-block messages-index "
     "messages-block messages-index messages-block messages-index messages-block messages-index "
     "messages-block messages-index messages-block messages-block messages-index messages-block "
     "messages-index messages-block messages-block messages-end"},
    {"responses_cut", STREAM_DROP,
     "responses-start - responses-progress responses-item responses-part responses-done "
     "responses-done responses-done responses-done responses-part responses-done responses-done "
     "responses-done responses-done responses-part responses-done responses-done responses-done "
     "responses-done responses-item responses-part responses-done - responses-done "
     "responses-done responses-part responses-done responses-done responses-done responses-done "
     "responses-item responses-done responses-done responses-done responses-end"},
    {"responses_cut", STREAM_REPEAT,
     "responses-start - responses-progress responses-item responses-part responses-done "
     "responses-done responses-done responses-done responses-part responses-done responses-done "
     "responses-done responses-done responses-part responses-done responses-done responses-done "
     "responses-done responses-item responses-part responses-done - responses-done "
     "responses-done responses-part responses-done responses-done responses-done responses-done "
     "responses-item responses-done responses-done responses-done responses-after"},
    {"responses_cut", STREAM_SWAP,
     "responses-start responses-progress responses-progress responses-item responses-part "
     "responses-done responses-done responses-done - responses-part responses-done "
     "responses-done responses-done - responses-part responses-done responses-done "
     "responses-done - responses-item responses-part - responses-done responses-done - "
     "responses-part responses-done responses-done responses-done - responses-item "
     "responses-done responses-done responses-done"},
};

START_TEST(an_event_that_is_missing_repeated_or_too_early_breaks_a_rule)
{
    static const char *const words[] = {"without", "with twice", "with the next before"};
    const char *name = CHANGES[_i].name, *rule = CHANGES[_i].rules;
    buffer changed = {0};
    serve_breach breach;
    stream s;
    stream_read(name, &s);
    const size_t n = s.n - (CHANGES[_i].change == STREAM_SWAP);
    for (size_t i = 0; i < n; i++) {
        const size_t n_rule = strcspn(rule, " ");
        stream_change_apply(&s, CHANGES[_i].change, i, &changed);
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
    Suite *suite = suite_create("dialogue/grammar/changes");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, an_event_that_is_missing_repeated_or_too_early_breaks_a_rule, 0,
                        (int)(sizeof CHANGES / sizeof *CHANGES));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
