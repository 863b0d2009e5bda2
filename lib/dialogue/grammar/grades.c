/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/grades.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum {
    E_CHAT = 1 << SERVE_CHAT,
    E_COMPLETIONS = 1 << SERVE_COMPLETIONS,
    E_MESSAGES = 1 << SERVE_MESSAGES,
    E_RESPONSES = 1 << SERVE_RESPONSES,
    E_CHUNKS = E_CHAT | E_COMPLETIONS,
    E_OPENAI = E_CHUNKS | E_RESPONSES,
    E_ALL = E_OPENAI | E_MESSAGES
};

/* Each reason is what the official clients do (scripts/check-clients runs them on a stream that breaks the
 * rule). */
static const serve_rule rules[] = {
    {"sse-field", E_ALL, SERVE_DEPARTS, "clients ignore the line"},
    {"sse-data", E_MESSAGES, SERVE_DEPARTS, "the Anthropic client skips the event"},
    {"sse-data", E_OPENAI, SERVE_BREAKS, "the OpenAI client parses the empty data and raises an error"},
    {"sse-end", E_ALL, SERVE_BREAKS, "clients drop the event that is cut off, and report no error"},
    {"sse-last", E_CHUNKS, SERVE_DEPARTS, "clients have read everything by then"},
    {"sse-size", E_ALL, SERVE_DEPARTS, "what follows is not checked"},
    {"json", E_ALL, SERVE_BREAKS, "clients raise an error"},
    {"event-name", E_MESSAGES, SERVE_BREAKS,
     "the Anthropic client skips an event without a name, and reads others by their type"},
    {"event-name", E_OPENAI, SERVE_DEPARTS, "the OpenAI client does not read the field"},
    {"event", E_ALL, SERVE_DEPARTS, "clients ignore an unknown event, and raise an error for any error"},
    {"marker", E_ALL, SERVE_BREAKS, "clients show the marker"},
    {"size", E_ALL, SERVE_DEPARTS, "what follows is not checked"},
    {"after-error", E_ALL, SERVE_DEPARTS, "clients have raised the error by then"},
    {"chat-head", E_CHAT, SERVE_DEPARTS, "the message does not depend on it"},
    {"chat-choices", E_CHAT, SERVE_BREAKS, "the client's helper raises an error, or loses the choice"},
    {"chat-empty", E_CHAT, SERVE_DEPARTS, "the client passes it on; programs that read choices[0] fail"},
    {"chat-role", E_CHAT, SERVE_DEPARTS, "the message has no role, or another one"},
    {"chat-role-again", E_CHAT, SERVE_HABIT,
     "many servers do; the content is the right one, though the client's helper joins the roles"},
    {"chat-delta", E_CHAT, SERVE_BREAKS,
     "the client's helper raises an error, or returns a value of another type"},
    {"chat-call-index", E_CHAT, SERVE_BREAKS,
     "the client's helper raises an error, or joins different calls"},
    {"chat-call-head", E_CHAT, SERVE_BREAKS, "the call cannot be answered or dispatched"},
    {"chat-call-again", E_CHAT, SERVE_BREAKS, "the client's helper joins the ids or the names"},
    {"chat-arguments", E_CHAT, SERVE_BREAKS, "the arguments cannot be parsed"},
    {"chat-logprobs", E_CHAT, SERVE_DEPARTS, "the message does not depend on them"},
    {"chat-finish", E_CHAT, SERVE_BREAKS,
     "the message has no finish_reason: a complete answer and a cut one look the same"},
    {"chat-finish-reason", E_CHAT, SERVE_DEPARTS, "clients pass the word on"},
    {"chat-after-finish", E_CHAT, SERVE_DEPARTS, "clients join it all the same"},
    {"chat-usage", E_CHAT, SERVE_DEPARTS, "the message does not depend on it"},
    {"chat-usage-early", E_CHAT, SERVE_HABIT, "servers report the usage so far; clients keep the last one"},
    {"chat-done", E_CHAT, SERVE_DEPARTS, "clients end with the connection"},
    {"chat-after-done", E_CHAT, SERVE_DEPARTS,
     "clients have read everything by then; a choice that goes on after it has no finish_reason before"},
    {"completions-head", E_COMPLETIONS, SERVE_DEPARTS, "the text does not depend on it"},
    {"completions-choices", E_COMPLETIONS, SERVE_BREAKS, "the choice has no text, or another one's"},
    {"completions-empty", E_COMPLETIONS, SERVE_DEPARTS,
     "the client passes it on; programs that read choices[0] fail"},
    {"completions-logprobs", E_COMPLETIONS, SERVE_DEPARTS, "the text does not depend on them"},
    {"completions-finish", E_COMPLETIONS, SERVE_BREAKS,
     "the choice has no finish_reason: a complete answer and a cut one look the same"},
    {"completions-finish-reason", E_COMPLETIONS, SERVE_DEPARTS, "clients pass the word on"},
    {"completions-after-finish", E_COMPLETIONS, SERVE_DEPARTS, "clients pass it on all the same"},
    {"completions-usage", E_COMPLETIONS, SERVE_DEPARTS, "the text does not depend on it"},
    {"completions-usage-early", E_COMPLETIONS, SERVE_HABIT,
     "servers report the usage so far; clients keep the last one"},
    {"completions-done", E_COMPLETIONS, SERVE_DEPARTS, "clients end with the connection"},
    {"completions-after-done", E_COMPLETIONS, SERVE_DEPARTS,
     "clients have read everything by then; a choice that goes on after it has no finish_reason before"},
    {"messages-start", E_MESSAGES, SERVE_BREAKS, "the client raises an error"},
    {"messages-message", E_MESSAGES, SERVE_DEPARTS, "the content does not depend on it"},
    {"messages-index", E_MESSAGES, SERVE_BREAKS,
     "the client raises an error, or adds the text to another block"},
    {"messages-block", E_MESSAGES, SERVE_DEPARTS, "the client joins the deltas all the same"},
    {"messages-block-type", E_MESSAGES, SERVE_BREAKS, "the client does not show what is in it"},
    {"messages-tool", E_MESSAGES, SERVE_BREAKS, "the call cannot be answered or dispatched"},
    {"messages-delta", E_MESSAGES, SERVE_BREAKS, "the client drops the delta, or raises an error"},
    {"messages-signature", E_MESSAGES, SERVE_DEPARTS, "the client joins the deltas all the same"},
    {"messages-input", E_MESSAGES, SERVE_BREAKS, "the client raises an error, or the input is no object"},
    {"messages-end", E_MESSAGES, SERVE_BREAKS,
     "the message has no stop_reason: a complete answer and a cut one look the same"},
    {"messages-stop-reason", E_MESSAGES, SERVE_DEPARTS, "the client passes the word on"},
    {"messages-stop", E_MESSAGES, SERVE_DEPARTS, "the client's message is complete without it"},
    {"messages-usage", E_MESSAGES, SERVE_BREAKS, "the client raises an error"},
    {"messages-counts", E_MESSAGES, SERVE_DEPARTS, "the content does not depend on it"},
    {"responses-sequence", E_RESPONSES, SERVE_DEPARTS, "the client does not read the numbers"},
    {"responses-start", E_RESPONSES, SERVE_BREAKS, "the client raises an error"},
    {"responses-progress", E_RESPONSES, SERVE_DEPARTS, "the client does not need the event"},
    {"responses-id", E_RESPONSES, SERVE_BREAKS, "the client raises an error"},
    {"responses-response", E_RESPONSES, SERVE_DEPARTS, "the client returns the output all the same"},
    {"responses-item", E_RESPONSES, SERVE_BREAKS,
     "the client raises an error, or adds the text to another item"},
    {"responses-item-id", E_RESPONSES, SERVE_DEPARTS, "the client finds items by their number"},
    {"responses-new", E_RESPONSES, SERVE_DEPARTS, "the last event has the whole output"},
    {"responses-part", E_RESPONSES, SERVE_BREAKS,
     "the client raises an error, or adds the text to another part"},
    {"responses-done", E_RESPONSES, SERVE_DEPARTS, "the last event has the whole output"},
    {"responses-output", E_RESPONSES, SERVE_BREAKS,
     "the client returns this output, and has shown another one"},
    {"responses-call", E_RESPONSES, SERVE_BREAKS, "the call cannot be answered or dispatched"},
    {"responses-arguments", E_RESPONSES, SERVE_BREAKS, "the arguments cannot be parsed"},
    {"responses-end", E_RESPONSES, SERVE_BREAKS, "the client raises an error"},
    {"responses-after", E_RESPONSES, SERVE_DEPARTS, "the client has the response by then"},
    {"responses-usage", E_RESPONSES, SERVE_DEPARTS, "the output does not depend on it"},
};

const serve_rule *serve_rule_find(serve_endpoint endpoint, const char *name)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if ((rules[i].endpoints & 1U << endpoint) && strcmp(rules[i].name, name) == 0) return &rules[i];
    assert(false); /* a rule of the endpoint */
    return NULL;
}

static const char *const grades[SERVE_N_GRADES] = {
    [SERVE_HABIT] = "habit", [SERVE_DEPARTS] = "departs", [SERVE_BREAKS] = "breaks"};

const char *serve_grade_name(serve_grade grade)
{
    return grades[grade];
}
