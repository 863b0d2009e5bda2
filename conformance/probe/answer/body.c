/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/answer/body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static json_object *member(json_object *object, const char *name)
{
    json_object *value = NULL;
    if (!json_object_is_type(object, json_type_object)) return NULL;
    (void)json_object_object_get_ex(object, name, &value);
    return value;
}

static json_object *element(json_object *list, size_t i)
{
    if (!json_object_is_type(list, json_type_array) || i >= json_object_array_length(list)) return NULL;
    return json_object_array_get_idx(list, i);
}

static size_t length(json_object *list)
{
    return json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
}

static bool is_text(json_object *value, const char *expected)
{
    return json_object_is_type(value, json_type_string) &&
           strcmp(json_object_get_string(value), expected) == 0;
}

static bool append(buffer *to, json_object *value)
{
    if (!json_object_is_type(value, json_type_string)) return true;
    return buffer_append(to, json_object_get_string(value), (size_t)json_object_get_string_len(value));
}

static void copy(char *to, size_t size, json_object *value)
{
    if (json_object_is_type(value, json_type_string))
        (void)snprintf(to, size, "%s", json_object_get_string(value));
}

static void count(int64_t *to, json_object *value)
{
    if (json_object_is_type(value, json_type_int)) *to = json_object_get_int64(value);
}

static void read_usage(json_object *usage, probe_answer *a)
{
    count(&a->input, member(usage, "prompt_tokens"));
    count(&a->input, member(usage, "input_tokens"));
    count(&a->output, member(usage, "completion_tokens"));
    count(&a->output, member(usage, "output_tokens"));
    count(&a->cached, member(member(usage, "prompt_tokens_details"), "cached_tokens"));
    count(&a->cached, member(member(usage, "input_tokens_details"), "cached_tokens"));
    count(&a->thoughts, member(member(usage, "completion_tokens_details"), "reasoning_tokens"));
    count(&a->thoughts, member(member(usage, "output_tokens_details"), "reasoning_tokens"));
}

/* Of Messages, whose input_tokens are those beside the prompt cache. */
static void read_messages_usage(json_object *usage, probe_answer *a)
{
    int64_t fresh = -1, written = 0, cached = -1;
    read_usage(usage, a);
    count(&fresh, member(usage, "input_tokens"));
    count(&written, member(usage, "cache_creation_input_tokens"));
    count(&cached, member(usage, "cache_read_input_tokens"));
    if (fresh < 0) return;
    a->cached = cached;
    a->input = fresh;
    if (written > 0) a->input = written < INT64_MAX - a->input ? a->input + written : INT64_MAX;
    if (cached > 0) a->input = cached < INT64_MAX - a->input ? a->input + cached : INT64_MAX;
}

static void read_error(json_object *error, probe_answer *a)
{
    if (!error) return;
    a->has_error = true;
    json_object *message = json_object_is_type(error, json_type_string) ? error : member(error, "message");
    copy(a->error, sizeof a->error, message);
    if (!a->error[0])
        (void)snprintf(a->error, sizeof a->error, "%.200s", json_object_to_json_string_ext(error, 0));
}

static probe_call *call_at(probe_answer *a, size_t i)
{
    if (i >= PROBE_CALLS_MAX) return NULL;
    while (a->n_calls <= i) {
        probe_call *calls = grow_by_one(a->calls, a->n_calls, sizeof *calls);
        if (!calls) return NULL;
        a->calls = calls;
        a->calls[a->n_calls++] = (probe_call){0};
    }
    return &a->calls[i];
}

static bool read_chat_calls(json_object *calls, probe_answer *a)
{
    bool ok = true;
    for (size_t i = 0; ok && i < length(calls) && i < PROBE_CALLS_MAX; i++) {
        json_object *call = element(calls, i), *function = member(call, "function");
        json_object *index = member(call, "index");
        size_t at = i;
        if (json_object_is_type(index, json_type_int) && json_object_get_int64(index) >= 0)
            at = (size_t)json_object_get_int64(index);
        if (at >= PROBE_CALLS_MAX) return true;
        probe_call *to = call_at(a, at);
        ok = to && append(&to->id, member(call, "id")) && append(&to->name, member(function, "name")) &&
             append(&to->arguments, member(function, "arguments"));
    }
    return ok;
}

static bool read_ids(json_object *list, int32_t **to, size_t *n)
{
    for (size_t i = 0; i < length(list); i++) {
        json_object *id = element(list, i);
        if (!json_object_is_type(id, json_type_int)) return true;
        int32_t *ids = grow_by_one(*to, *n, sizeof *ids);
        if (!ids) return false;
        *to = ids;
        ids[(*n)++] = (int32_t)json_object_get_int64(id);
    }
    return true;
}

/* A choice of chat completions or completions, or its delta. */
static bool read_choice(json_object *choice, const char *inner, probe_answer *a)
{
    json_object *message = inner ? member(choice, inner) : choice;
    json_object *reasoning = member(message, "reasoning_content");
    if (!reasoning) reasoning = member(message, "reasoning");
    copy(a->finish, sizeof a->finish, member(choice, "finish_reason"));
    bool ok = append(&a->content, member(message, inner ? "content" : "text")) &&
              append(&a->reasoning, reasoning) && read_chat_calls(member(message, "tool_calls"), a) &&
              read_ids(member(choice, "token_ids"), &a->token_ids, &a->n_token_ids) &&
              read_ids(member(choice, "prompt_token_ids"), &a->prompt_ids, &a->n_prompt_ids);
    json_object *logprobs = member(choice, "logprobs"), *prompt = member(choice, "prompt_logprobs");
    if (ok && logprobs) ok = probe_rows_read(logprobs, &a->rows) == ASSAY_OK;
    if (ok && prompt) ok = probe_rows_read(prompt, &a->prompt_rows) == ASSAY_OK;
    return ok;
}

static bool read_choices(json_object *body, const char *inner, probe_answer *a)
{
    json_object *choices = member(body, "choices"), *prompt = member(body, "prompt_logprobs");
    bool ok = true;
    for (size_t i = 0; ok && i < length(choices); i++) {
        json_object *choice = element(choices, i), *index = member(choice, "index");
        const int64_t number =
            json_object_is_type(index, json_type_int) ? json_object_get_int64(index) : (int64_t)i;
        if (number >= 0 && (size_t)number + 1 > a->n_choices) a->n_choices = (size_t)number + 1;
        if (number == (int64_t)a->choice) ok = read_choice(choice, inner, a);
    }
    ok = ok && read_ids(member(body, "prompt_token_ids"), &a->prompt_ids, &a->n_prompt_ids);
    if (ok && prompt) ok = probe_rows_read(prompt, &a->prompt_rows) == ASSAY_OK;
    return ok;
}

/* A block of Messages or an item of Responses, whole. */
static bool read_call_object(json_object *object, const char *arguments, const char *id, probe_answer *a)
{
    json_object *value = member(object, arguments);
    probe_call *to = call_at(a, a->n_calls);
    if (!to) return a->n_calls >= PROBE_CALLS_MAX;
    bool ok = append(&to->id, member(object, id)) && append(&to->name, member(object, "name"));
    if (ok && json_object_is_type(value, json_type_object))
        return buffer_append_string(&to->arguments,
                                    json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN));
    return ok && append(&to->arguments, value);
}

static bool read_parts(json_object *parts, buffer *to, probe_answer *a)
{
    bool ok = true;
    for (size_t i = 0; ok && i < length(parts); i++) {
        json_object *part = element(parts, i), *logprobs = member(part, "logprobs");
        ok = append(to, member(part, "text"));
        if (ok && length(logprobs) > 0) ok = probe_rows_read(logprobs, &a->rows) == ASSAY_OK;
    }
    return ok;
}

static void read_responses_end(json_object *response, probe_answer *a)
{
    json_object *status = member(response, "status");
    json_object *reason = member(member(response, "incomplete_details"), "reason");
    if (is_text(status, "incomplete")) copy(a->finish, sizeof a->finish, reason ? reason : status);
    else copy(a->finish, sizeof a->finish, status);
    read_usage(member(response, "usage"), a);
    read_error(member(response, "error"), a);
    copy(a->model, sizeof a->model, member(response, "model"));
}

static bool read_responses(json_object *body, probe_answer *a)
{
    json_object *output = member(body, "output");
    bool ok = true;
    read_responses_end(body, a);
    for (size_t i = 0; ok && i < length(output); i++) {
        json_object *item = element(output, i), *type = member(item, "type");
        if (is_text(type, "message")) ok = read_parts(member(item, "content"), &a->content, a);
        else if (is_text(type, "function_call")) ok = read_call_object(item, "arguments", "call_id", a);
        else if (is_text(type, "reasoning")) {
            ok = read_parts(member(item, "summary"), &a->reasoning, a);
            if (ok && a->reasoning.n == 0) ok = read_parts(member(item, "content"), &a->reasoning, a);
        }
    }
    a->n_choices = 1;
    return ok;
}

static bool read_messages(json_object *body, probe_answer *a)
{
    json_object *content = member(body, "content");
    bool ok = true;
    copy(a->finish, sizeof a->finish, member(body, "stop_reason"));
    copy(a->stop, sizeof a->stop, member(body, "stop_sequence"));
    read_messages_usage(member(body, "usage"), a);
    for (size_t i = 0; ok && i < length(content); i++) {
        json_object *block = element(content, i), *type = member(block, "type");
        if (is_text(type, "text")) ok = append(&a->content, member(block, "text"));
        else if (is_text(type, "thinking")) ok = append(&a->reasoning, member(block, "thinking"));
        else if (is_text(type, "tool_use")) ok = read_call_object(block, "input", "id", a);
    }
    a->n_choices = 1;
    return ok;
}

bool probe_body_read(probe_endpoint endpoint, json_object *body, probe_answer *a)
{
    read_error(member(body, "error"), a);
    copy(a->model, sizeof a->model, member(body, "model"));
    if (endpoint == PROBE_RESPONSES) return read_responses(body, a);
    if (endpoint == PROBE_MESSAGES) return read_messages(body, a);
    read_usage(member(body, "usage"), a);
    return read_choices(body, endpoint == PROBE_CHAT ? "message" : NULL, a);
}

static bool read_responses_event(json_object *event, probe_answer *a)
{
    json_object *type = member(event, "type"), *item = member(event, "item");
    probe_call *last = a->n_calls ? &a->calls[a->n_calls - 1] : NULL;
    if (is_text(type, "response.output_text.delta")) {
        json_object *logprobs = member(event, "logprobs");
        if (length(logprobs) > 0 && probe_rows_read(logprobs, &a->rows) != ASSAY_OK) return false;
        return append(&a->content, member(event, "delta"));
    }
    if (is_text(type, "response.reasoning_text.delta") ||
        is_text(type, "response.reasoning_summary_text.delta"))
        return append(&a->reasoning, member(event, "delta"));
    if (is_text(type, "response.output_item.added") && is_text(member(item, "type"), "function_call"))
        return read_call_object(item, "", "call_id", a);
    if (is_text(type, "response.function_call_arguments.delta") && last)
        return append(&last->arguments, member(event, "delta"));
    if (is_text(type, "response.completed") || is_text(type, "response.incomplete") ||
        is_text(type, "response.failed"))
        read_responses_end(member(event, "response"), a);
    if (is_text(type, "error")) read_error(event, a);
    return true;
}

static bool begin_tool_use(json_object *block, probe_answer *a)
{
    json_object *input = member(block, "input");
    const size_t n = a->n_calls;
    const bool ok = read_call_object(block, "", "id", a);
    if (a->n_calls > n)
        a->calls[n].begins_empty =
            json_object_is_type(input, json_type_object) && json_object_object_length(input) == 0;
    return ok;
}

static bool read_messages_event(json_object *event, probe_answer *a)
{
    json_object *type = member(event, "type"), *delta = member(event, "delta");
    json_object *block = member(event, "content_block"), *message = member(event, "message");
    probe_call *last = a->n_calls ? &a->calls[a->n_calls - 1] : NULL;
    if (is_text(type, "message_start")) {
        copy(a->model, sizeof a->model, member(message, "model"));
        read_messages_usage(member(message, "usage"), a);
    } else if (is_text(type, "message_delta")) {
        copy(a->finish, sizeof a->finish, member(delta, "stop_reason"));
        copy(a->stop, sizeof a->stop, member(delta, "stop_sequence"));
        read_messages_usage(member(event, "usage"), a);
    } else if (is_text(type, "error")) {
        read_error(member(event, "error"), a);
    } else if (is_text(type, "content_block_start")) {
        if (is_text(member(block, "type"), "tool_use")) return begin_tool_use(block, a);
        return append(&a->content, member(block, "text")) && append(&a->reasoning, member(block, "thinking"));
    } else if (is_text(type, "content_block_stop")) {
        if (last && last->begins_empty && last->arguments.n == 0)
            return buffer_append_string(&last->arguments, "{}");
    } else if (is_text(type, "content_block_delta")) {
        if (last && !append(&last->arguments, member(delta, "partial_json"))) return false;
        return append(&a->content, member(delta, "text")) && append(&a->reasoning, member(delta, "thinking"));
    }
    return true;
}

bool probe_event_read(probe_endpoint endpoint, json_object *event, probe_answer *a)
{
    if (endpoint == PROBE_RESPONSES) return read_responses_event(event, a);
    if (endpoint == PROBE_MESSAGES) return read_messages_event(event, a);
    read_error(member(event, "error"), a);
    copy(a->model, sizeof a->model, member(event, "model"));
    read_usage(member(event, "usage"), a);
    return read_choices(event, endpoint == PROBE_CHAT ? "delta" : NULL, a);
}
