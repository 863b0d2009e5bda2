/* The grammar of /v1/chat/completions (OpenAI API reference, "The chat completion chunk object"; reasoning as
 * reasoning_content or reasoning, which servers of open models add).
 *
 *     chat-head        id, model, created and object are there, and the same in all chunks
 *     chat-choices     an array of choices, each with an index and a delta;
 *                      a chunk without choices reports the usage
 *     chat-role        the first delta of a choice says role assistant, and no later delta says it again
 *     chat-delta       members of a delta have the right types
 *     chat-call-index  calls are numbered 0, 1, 2…
 *     chat-call-head   the first delta of a call has its id, type and name, and no later delta has them
 * again: clients join members that are repeated chat-arguments   the joined arguments of a call are JSON,
 * unless generation was cut short chat-finish      exactly one published finish_reason for each choice, and
 * nothing after it chat-usage       counts that add up, after every finish; in a chunk of their own if the
 * request asked for usage, and only then chat-done        [DONE] comes last, once
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/grammar/checks.h"

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
    buffer id, model;
    bool has_created, has_usage, is_done;
    int64_t created;
    choice *choices; /* [n_choices] */
    size_t n_choices;
} chat;

static assay_status check_head(serve_grammar *g, chat *c, json_object *chunk)
{
    int64_t created = 0;
    assay_status rc = serve_grammar_same(g, "chat-head", "the chunk", chunk, "id", &c->id);
    if (rc == ASSAY_OK) rc = serve_grammar_same(g, "chat-head", "the chunk", chunk, "model", &c->model);
    if (rc == ASSAY_OK)
        rc = serve_grammar_exactly(g, "chat-head", "the chunk", chunk, "object", "chat.completion.chunk");
    if (rc == ASSAY_OK) rc = serve_grammar_count(g, "chat-head", "the chunk", chunk, "created", 0, &created);
    if (rc != ASSAY_OK) return rc;
    if (c->has_created && created != c->created)
        return serve_grammar_fail(g, "chat-head", "the chunk: found created %lld, expected %lld, as before",
                                  (long long)created, (long long)c->created);
    c->has_created = true;
    c->created = created;
    return ASSAY_OK;
}

static bool all_finished(const chat *c)
{
    for (size_t i = 0; i < c->n_choices; i++)
        if (!c->choices[i].finished) return false;
    return c->n_choices > 0;
}

static assay_status read_usage(serve_grammar *g, const chat *c, json_object *usage)
{
    int64_t prompt = 0, completion = 0, total = 0;
    if (!all_finished(c))
        return serve_grammar_fail(g, "chat-usage", "found usage, expected a finish_reason before it");
    assay_status rc = serve_grammar_count(g, "chat-usage", "usage", usage, "prompt_tokens", 1, &prompt);
    if (rc == ASSAY_OK)
        rc = serve_grammar_count(g, "chat-usage", "usage", usage, "completion_tokens", 0, &completion);
    if (rc == ASSAY_OK) rc = serve_grammar_count(g, "chat-usage", "usage", usage, "total_tokens", 0, &total);
    if (rc != ASSAY_OK) return rc;
    if (prompt > INT64_MAX - completion || total != prompt + completion)
        return serve_grammar_fail(g, "chat-usage", "usage: found total_tokens %lld, expected %lld + %lld",
                                  (long long)total, (long long)prompt, (long long)completion);
    const serve_grammar_summary *s = &g->summary;
    if (s->input_tokens >= 0 && (s->input_tokens != prompt || s->output_tokens != completion))
        return serve_grammar_fail(
            g, "chat-usage", "usage: found %lld and %lld tokens, expected %lld and %lld", (long long)prompt,
            (long long)completion, (long long)s->input_tokens, (long long)s->output_tokens);
    g->summary.input_tokens = prompt;
    g->summary.output_tokens = completion;
    return ASSAY_OK;
}

/* Reads the chunk without choices. */
static assay_status read_last_chunk(serve_grammar *g, chat *c, json_object *usage)
{
    if (!usage)
        return serve_grammar_fail(g, "chat-choices", "found a chunk without choices and usage, expected one");
    if (c->has_usage)
        return serve_grammar_fail(g, "chat-usage", "found a second chunk for usage, expected [DONE]");
    if (g->options.usage == SERVE_NOT_ASKED_FOR)
        return serve_grammar_fail(g, "chat-usage", "found a chunk for usage, which was not requested");
    c->has_usage = true;
    return read_usage(g, c, usage);
}

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
    return serve_grammar_fail(g, "chat-call-head", "found the %s of a call again, expected only arguments",
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
    if (rc == ASSAY_OK) rc = check_call_head(g, call, function, (size_t)index == c->n_calls);
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
    assay_status rc =
        serve_grammar_optional(g, "chat-role", "a delta", delta, "role", json_type_string, &role);
    if (rc != ASSAY_OK) return rc;
    if (role && c->begun)
        return serve_grammar_fail(g, "chat-role", "found a role again, expected it only in the first delta");
    if (!c->begun) rc = serve_grammar_exactly(g, "chat-role", "the first delta", delta, "role", "assistant");
    c->begun = true;
    return rc;
}

static assay_status read_delta(serve_grammar *g, choice *c, json_object *delta)
{
    static const char *const reasoning_names[] = {"reasoning_content", "reasoning"};
    json_object *content, *refusal, *calls;
    assay_status rc = read_role(g, c, delta);
    if (rc == ASSAY_OK)
        rc = serve_grammar_optional(g, "chat-delta", "a delta", delta, "content", json_type_string, &content);
    if (rc == ASSAY_OK && content) rc = serve_grammar_content(g, &c->tail, serve_string(content));
    if (rc == ASSAY_OK)
        rc = serve_grammar_optional(g, "chat-delta", "a delta", delta, "refusal", json_type_string, &refusal);
    for (size_t i = 0; rc == ASSAY_OK && i < 2; i++) {
        json_object *reasoning = NULL;
        rc = serve_grammar_optional(g, "chat-delta", "a delta", delta, reasoning_names[i], json_type_string,
                                    &reasoning);
        g->summary.reasoning_bytes += serve_string(reasoning).n;
    }
    if (rc == ASSAY_OK)
        rc = serve_grammar_optional(g, "chat-delta", "a delta", delta, "tool_calls", json_type_array, &calls);
    for (size_t i = 0; rc == ASSAY_OK && calls && i < json_object_array_length(calls); i++)
        rc = read_call(g, c, json_object_array_get_idx(calls, i));
    return rc;
}

static assay_status read_finish(serve_grammar *g, choice *c, assay_text reason)
{
    static const char *const reasons[] = {"stop", "length", "tool_calls", "content_filter", "function_call"};
    bool known = false;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        known = known || serve_text_is(reason, reasons[i]);
    if (!known)
        return serve_grammar_fail(
            g, "chat-finish",
            "found finish_reason %s, expected stop, length, tool_calls, content_filter or function_call",
            serve_quote(reason).at);
    if (serve_text_is(reason, "tool_calls") && c->n_calls == 0)
        return serve_grammar_fail(g, "chat-finish", "found finish_reason tool_calls, and no call");
    c->finished = true;
    serve_grammar_finish(g, reason);
    assay_status rc = ASSAY_OK;
    bool whole = serve_text_is(reason, "stop") || serve_text_is(reason, "tool_calls");
    for (size_t i = 0; rc == ASSAY_OK && whole && i < c->n_calls; i++)
        rc = serve_grammar_joined_json(g, "chat-arguments", "the arguments of a call", &c->calls[i], false);
    return rc;
}

static assay_status read_choice(serve_grammar *g, chat *c, json_object *value)
{
    int64_t index = 0;
    json_object *delta, *reason = NULL;
    if (!json_object_is_type(value, json_type_object))
        return serve_grammar_fail(g, "chat-choices", "choices: found an element that is no object");
    assay_status rc = serve_grammar_count(g, "chat-choices", "a choice", value, "index", 0, &index);
    if (rc == ASSAY_OK && (size_t)index > c->n_choices)
        rc = serve_grammar_fail(g, "chat-choices", "a choice: found index %lld, expected at most %zu",
                                (long long)index, c->n_choices);
    if (rc == ASSAY_OK && (size_t)index == c->n_choices) {
        rc = serve_grammar_grow(g, "choices", (void **)&c->choices, c->n_choices, CHOICES_MAX,
                                sizeof *c->choices);
        if (rc == ASSAY_OK) c->n_choices++;
    }
    if (rc == ASSAY_OK && c->choices[index].finished)
        rc = serve_grammar_fail(g, "chat-finish", "found more of a choice after its finish_reason");
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, "chat-choices", "a choice", value, "delta", json_type_object, &delta);
    if (rc == ASSAY_OK) rc = read_delta(g, &c->choices[index], delta);
    if (rc == ASSAY_OK)
        rc = serve_grammar_optional(g, "chat-finish", "a choice", value, "finish_reason", json_type_string,
                                    &reason);
    if (rc != ASSAY_OK || !reason) return rc;
    return read_finish(g, &c->choices[index], serve_string(reason));
}

static assay_status read_error(serve_grammar *g, json_object *error)
{
    assay_text message;
    if (!json_object_is_type(error, json_type_object))
        return serve_grammar_fail(g, "event", "found an error that is no object");
    g->failed = true;
    return serve_grammar_name(g, "event", "error", error, "message", &message);
}

static assay_status read_event(serve_grammar *g, void *state, json_object *chunk)
{
    chat *c = state;
    json_object *choices, *usage, *error;
    if (c->is_done) return serve_grammar_fail(g, "chat-done", "found a chunk after [DONE]");
    if (json_object_object_get_ex(chunk, "error", &error)) return read_error(g, error);
    assay_status rc = check_head(g, c, chunk);
    if (rc == ASSAY_OK)
        rc =
            serve_grammar_member(g, "chat-choices", "the chunk", chunk, "choices", json_type_array, &choices);
    if (rc == ASSAY_OK)
        rc = serve_grammar_optional(g, "chat-usage", "the chunk", chunk, "usage", json_type_object, &usage);
    if (rc != ASSAY_OK) return rc;
    if (json_object_array_length(choices) == 0) return read_last_chunk(g, c, usage);
    if (c->has_usage) return serve_grammar_fail(g, "chat-usage", "found choices after the chunk for usage");
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(choices); i++)
        rc = read_choice(g, c, json_object_array_get_idx(choices, i));
    return rc == ASSAY_OK && usage ? read_usage(g, c, usage) : rc;
}

static assay_status check_done(serve_grammar *g, void *state)
{
    chat *c = state;
    if (c->is_done) return serve_grammar_fail(g, "chat-done", "found [DONE] again, expected it once");
    c->is_done = true;
    if (g->failed) return ASSAY_OK;
    if (!all_finished(c))
        return serve_grammar_fail(g, "chat-finish", "found [DONE], expected a finish_reason before it");
    if (g->options.usage == SERVE_ASKED_FOR && !c->has_usage)
        return serve_grammar_fail(g, "chat-usage", "found [DONE], expected a chunk for usage before it");
    return ASSAY_OK;
}

static assay_status end_stream(serve_grammar *g, void *state)
{
    const chat *c = state;
    if (c->is_done) return ASSAY_OK;
    return serve_grammar_fail(g, "chat-done", "found the end of the stream, expected [DONE]");
}

static void free_state(void *state)
{
    chat *c = state;
    for (size_t i = 0; i < c->n_choices; i++) {
        for (size_t k = 0; k < c->choices[i].n_calls; k++) buffer_free(&c->choices[i].calls[k]);
        free(c->choices[i].calls);
    }
    free(c->choices);
    buffer_free(&c->id);
    buffer_free(&c->model);
}

const serve_grammar_rules serve_grammar_chat = {
    .name = "chat",
    .path = "/v1/chat/completions",
    .state_bytes = sizeof(chat),
    .read = read_event,
    .done = check_done,
    .end = end_stream,
    .free = free_state,
};
