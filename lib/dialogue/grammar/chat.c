/* The grammar of /v1/chat/completions (OpenAI API reference, "The chat completion chunk object"; reasoning as
 * reasoning_content or reasoning, which servers of open models add).
 *
 *     chat-head          id, model, created and object are there, and the same in all chunks
 *     chat-choices       an array of choices, each with an index and a delta
 *     chat-empty         a chunk without choices reports the usage
 *     chat-role          the first delta of a choice says role assistant
 *     chat-role-again    no later delta says it again
 *     chat-delta         members of a delta have the right types
 *     chat-call-index    calls are numbered 0, 1, 2…
 *     chat-call-head     the first delta of a call has its id, type and name
 *     chat-call-again    no later delta has them again: clients join members that are repeated
 *     chat-arguments     the joined arguments of a call are JSON, unless generation was cut short
 *     chat-logprobs      logprobs.content is a list of tokens with logprob, bytes and top_logprobs
 *     chat-finish        each choice has a finish_reason
 *     chat-finish-reason a published one, which fits the message
 *     chat-after-finish  nothing of a choice follows its finish_reason
 *     chat-usage         counts that add up; in a chunk of their own if the request asked for usage, and only
 *                        then
 *     chat-usage-early   no usage before every choice has its finish_reason
 *     chat-done          [DONE] comes, once
 *     chat-after-done    nothing follows it
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/chunks.h"
#include "dialogue/grammar/logprobs.h"

#include <stdlib.h>

#define CHOICES_MAX 128
#define CALLS_MAX   4096 /* of a choice */

typedef struct choice {
    bool begun, finished;
    buffer *calls; /* [n_calls]: the joined arguments of each */
    size_t n_calls;
    serve_tail tail;
} choice;

typedef struct chat {
    serve_chunks chunks;
    choice *choices; /* [chunks.n_choices] */
} chat;

static assay_status check_call_head(serve_grammar *g, json_object *call, json_object *function, bool begins)
{
    assay_text text;
    json_object *id, *name = NULL;
    assay_status rc;
    if (begins) {
        rc = serve_grammar_name(g, "chat-call-head", "a call's first delta", call, "id", &text);
        if (rc == ASSAY_OK)
            rc = serve_grammar_exactly(g, "chat-call-head", "a call's first delta", call, "type", "function");
        if (rc == ASSAY_OK && !function)
            rc = serve_grammar_fail(g, "chat-call-head", "a call's first delta: found no function");
        return rc == ASSAY_OK
                   ? serve_grammar_name(g, "chat-call-head", "a call's first delta", function, "name", &text)
                   : rc;
    }
    rc = serve_grammar_optional(g, "chat-call-head", "a call", call, "id", json_type_string, &id);
    if (rc == ASSAY_OK && function)
        rc = serve_grammar_optional(g, "chat-call-head", "a call", function, "name", json_type_string, &name);
    if (rc != ASSAY_OK) return rc;
    if (serve_string(id).n == 0 && serve_string(name).n == 0) return ASSAY_OK;
    return serve_grammar_fail(g, "chat-call-again", "found the %s of a call again, expected only arguments",
                              serve_string(id).n ? "id" : "name");
}

static assay_status read_call(serve_grammar *g, choice *c, json_object *call)
{
    int64_t index = 0;
    json_object *function = NULL, *arguments = NULL;
    if (!json_object_is_type(call, json_type_object))
        return serve_grammar_fail(g, "chat-delta", "tool_calls: found an element that is no object");
    assay_status rc = serve_grammar_count(g, "chat-call-index", "a call", call, "index", 0, &index);
    if (rc == ASSAY_OK && (size_t)index > c->n_calls)
        rc = serve_grammar_fail(g, "chat-call-index", "a call: found index %lld, expected at most %zu",
                                (long long)index, c->n_calls);
    if (rc == ASSAY_OK)
        rc = serve_grammar_optional(g, "chat-delta", "a call", call, "function", json_type_object, &function);
    if (rc == ASSAY_OK)
        rc = serve_grammar_go_on(check_call_head(g, call, function, (size_t)index == c->n_calls));
    if (rc == ASSAY_OK && function)
        rc = serve_grammar_optional(g, "chat-delta", "a call", function, "arguments", json_type_string,
                                    &arguments);
    if (rc != ASSAY_OK) return rc;
    if ((size_t)index == c->n_calls) {
        rc = serve_grammar_grow(g, "calls", (void **)&c->calls, c->n_calls, CALLS_MAX, sizeof *c->calls);
        if (rc != ASSAY_OK) return rc;
        c->n_calls++;
        g->summary.n_calls++;
    }
    return arguments ? serve_grammar_join(g, &c->calls[index], serve_string(arguments)) : ASSAY_OK;
}

static assay_status read_role(serve_grammar *g, choice *c, json_object *delta)
{
    json_object *role;
    const bool begins = !c->begun;
    c->begun = true;
    assay_status rc =
        serve_grammar_optional(g, "chat-role", "a delta", delta, "role", json_type_string, &role);
    if (rc != ASSAY_OK) return rc;
    if (begins) return serve_grammar_exactly(g, "chat-role", "the first delta", delta, "role", "assistant");
    if (!role) return ASSAY_OK;
    return serve_grammar_fail(
        g, serve_text_is(serve_string(role), "assistant") ? "chat-role-again" : "chat-role",
        "found a role again, expected it only in the first delta");
}

static assay_status read_content(serve_grammar *g, choice *c, json_object *delta)
{
    json_object *content;
    const assay_status rc =
        serve_grammar_optional(g, "chat-delta", "a delta", delta, "content", json_type_string, &content);
    return rc == ASSAY_OK && content ? serve_grammar_content(g, &c->tail, serve_string(content)) : rc;
}

static assay_status read_calls(serve_grammar *g, choice *c, json_object *delta)
{
    json_object *calls;
    assay_status rc =
        serve_grammar_optional(g, "chat-delta", "a delta", delta, "tool_calls", json_type_array, &calls);
    for (size_t i = 0; rc == ASSAY_OK && calls && i < json_object_array_length(calls); i++)
        rc = serve_grammar_go_on(read_call(g, c, json_object_array_get_idx(calls, i)));
    return rc;
}

static assay_status read_delta(serve_grammar *g, choice *c, json_object *delta)
{
    static const char *const reasoning_names[] = {"reasoning_content", "reasoning"};
    json_object *refusal;
    assay_status rc = serve_grammar_go_on(read_role(g, c, delta));
    if (rc == ASSAY_OK) rc = serve_grammar_go_on(read_content(g, c, delta));
    if (rc == ASSAY_OK)
        rc = serve_grammar_go_on(
            serve_grammar_optional(g, "chat-delta", "a delta", delta, "refusal", json_type_string, &refusal));
    for (size_t i = 0; rc == ASSAY_OK && i < 2; i++) {
        json_object *reasoning = NULL;
        rc = serve_grammar_go_on(serve_grammar_optional(g, "chat-delta", "a delta", delta, reasoning_names[i],
                                                        json_type_string, &reasoning));
        g->summary.reasoning_bytes += serve_string(reasoning).n;
    }
    return rc == ASSAY_OK ? read_calls(g, c, delta) : rc;
}

static assay_status begin_choice(serve_grammar *g, void *state)
{
    chat *c = state;
    return serve_grammar_grow(g, "choices", (void **)&c->choices, c->chunks.n_choices, CHOICES_MAX,
                              sizeof *c->choices);
}

static assay_status read_choice(serve_grammar *g, void *state, size_t index, json_object *value)
{
    chat *c = state;
    json_object *delta;
    assay_status rc = serve_grammar_go_on(serve_grammar_logprobs_chat(g, value));
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, "chat-choices", "a choice", value, "delta", json_type_object, &delta);
    return rc == ASSAY_OK ? read_delta(g, &c->choices[index], delta) : rc;
}

static assay_status finish_choice(serve_grammar *g, void *state, size_t index, assay_text reason)
{
    choice *c = &((chat *)state)->choices[index];
    c->finished = true;
    if (serve_text_is(reason, "tool_calls") && c->n_calls == 0)
        return serve_grammar_fail(g, "chat-finish-reason", "found finish_reason tool_calls, and no call");
    assay_status rc = ASSAY_OK;
    const bool whole = serve_text_is(reason, "stop") || serve_text_is(reason, "tool_calls");
    for (size_t i = 0; rc == ASSAY_OK && whole && i < c->n_calls; i++)
        rc = serve_grammar_go_on(
            serve_grammar_joined_json(g, "chat-arguments", "the arguments of a call", &c->calls[i], false));
    return rc;
}

static bool is_finished(const void *state, size_t index)
{
    return ((const chat *)state)->choices[index].finished;
}

static const char *const reasons[] = {"stop",           "length",        "tool_calls",
                                      "content_filter", "function_call", NULL};
static const serve_chunk_rules rules = {.head = "chat-head",
                                        .choices = "chat-choices",
                                        .empty = "chat-empty",
                                        .finish = "chat-finish",
                                        .reason = "chat-finish-reason",
                                        .after_finish = "chat-after-finish",
                                        .usage = "chat-usage",
                                        .early = "chat-usage-early",
                                        .done = "chat-done",
                                        .after_done = "chat-after-done",
                                        .object = "chat.completion.chunk",
                                        .reasons = reasons};
static const serve_chunk_reader reader = {.rules = &rules,
                                          .begin = begin_choice,
                                          .read = read_choice,
                                          .finish = finish_choice,
                                          .is_finished = is_finished};

static assay_status read_event(serve_grammar *g, void *state, json_object *chunk)
{
    chat *c = state;
    return serve_chunks_read(g, &c->chunks, &reader, c, chunk);
}

static assay_status read_done(serve_grammar *g, void *state)
{
    return serve_chunks_done(g, &((chat *)state)->chunks, &rules);
}

static assay_status end_stream(serve_grammar *g, void *state)
{
    return serve_chunks_end(g, &((const chat *)state)->chunks, &rules);
}

static void free_state(void *state)
{
    chat *c = state;
    for (size_t i = 0; i < c->chunks.n_choices; i++) {
        for (size_t k = 0; k < c->choices[i].n_calls; k++) buffer_free(&c->choices[i].calls[k]);
        free(c->choices[i].calls);
    }
    free(c->choices);
    serve_chunks_free(&c->chunks);
}

const serve_grammar_rules serve_grammar_chat = {
    .name = "chat",
    .path = "/v1/chat/completions",
    .state_bytes = sizeof(chat),
    .read = read_event,
    .done = read_done,
    .end = end_stream,
    .free = free_state,
};
