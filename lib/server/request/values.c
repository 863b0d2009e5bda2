/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STOPS_MAX 64 /* the limits of assay_completion_options */
#define STOP_MAX  4096

static assay_status refuse(const server_reading *r, const char *name, json_object *value,
                           const char *expected)
{
    const server_path path = server_path_top(name);
    return server_unexpected(r, &path, value, expected);
}

static assay_status read_switch(const server_reading *r, const char *name, json_object *value, bool *out)
{
    if (!json_object_is_type(value, json_type_boolean)) return refuse(r, name, value, "true or false");
    *out = json_object_get_boolean(value);
    return ASSAY_OK;
}

/* json-c clamps integers outside int64_t. */
static assay_status read_count(const server_reading *r, const char *name, json_object *value, int64_t least,
                               int64_t most, const char *expected, int64_t *out)
{
    const int64_t n = json_object_get_int64(value);
    if (!json_object_is_type(value, json_type_int) || n < least || n > most)
        return refuse(r, name, value, expected);
    *out = n;
    return ASSAY_OK;
}

static assay_status read_number(const server_reading *r, const char *name, json_object *value, double least,
                                double most, bool open, const char *expected, double *out)
{
    const double x = json_object_get_double(value);
    const bool number =
        json_object_is_type(value, json_type_double) || json_object_is_type(value, json_type_int);
    if (!number || !(x >= least) || !(x <= most) || (open && x == least))
        return refuse(r, name, value, expected);
    *out = x;
    return ASSAY_OK;
}

assay_status server_read_model(server_reading *r, json_object *value)
{
    if (!json_object_is_type(value, json_type_string)) return refuse(r, "model", value, "a string");
    if (server_is(value, r->context->model)) return ASSAY_OK;
    return server_refuse(r->refusal, 404, "model", "found \"%.100s\", expected \"%.100s\"",
                         json_object_get_string(value), r->context->model);
}

assay_status server_read_stream(server_reading *r, json_object *value)
{
    return read_switch(r, "stream", value, &r->out->streams);
}

/* include_usage is read by the response; obfuscation pads events, and may be left out. */
assay_status server_read_stream_options(server_reading *r, json_object *value)
{
    static const char *const names[] = {"include_usage", "include_obfuscation", NULL},
                             *const no_usage[] = {"include_obfuscation", NULL};
    const server_path path = server_path_top("stream_options");
    json_object *flag;
    if (!json_object_is_type(value, json_type_object)) return refuse(r, "stream_options", value, "an object");
    assay_status rc = server_only(r, &path, value, r->out->endpoint == SERVE_RESPONSES ? no_usage : names);
    for (size_t i = 0; rc == ASSAY_OK && names[i]; i++)
        rc = server_optional(r, &path, value, names[i], json_type_boolean, &flag);
    return rc;
}

/* 0: only completions that report their prompt generate nothing; request.c checks that. */
static assay_status read_limit(server_reading *r, const char *name, json_object *value)
{
    int64_t n = 0;
    const int64_t least = r->out->endpoint == SERVE_COMPLETIONS ? 0 : 1;
    assay_status rc = read_count(r, name, value, least, INT32_MAX, "a number of tokens", &n);
    if (rc != ASSAY_OK) return rc;
    if (r->has_max_tokens && (size_t)n != r->out->max_tokens)
        return refuse(r, name, value, "the same limit as in the other member");
    r->has_max_tokens = true;
    r->out->max_tokens = (size_t)n;
    return ASSAY_OK;
}

assay_status server_read_max_tokens(server_reading *r, json_object *value)
{
    return read_limit(r, "max_tokens", value);
}

assay_status server_read_max_completion_tokens(server_reading *r, json_object *value)
{
    return read_limit(r, "max_completion_tokens", value);
}

assay_status server_read_max_output_tokens(server_reading *r, json_object *value)
{
    return read_limit(r, "max_output_tokens", value);
}

assay_status server_read_temperature(server_reading *r, json_object *value)
{
    return read_number(r, "temperature", value, 0, 1e6, false, "a number that is not negative",
                       &r->out->sampling.temperature);
}

assay_status server_read_top_p(server_reading *r, json_object *value)
{
    return read_number(r, "top_p", value, 0, 1, true, "a number above 0, at most 1", &r->out->sampling.top_p);
}

/* -1 and 0: all. */
assay_status server_read_top_k(server_reading *r, json_object *value)
{
    int64_t n = 0;
    assay_status rc = read_count(r, "top_k", value, -1, INT32_MAX, "an integer, -1 or 0 for all tokens", &n);
    if (rc == ASSAY_OK) r->out->sampling.top_k = n < 0 ? 0 : (size_t)n;
    return rc;
}

assay_status server_read_min_p(server_reading *r, json_object *value)
{
    return read_number(r, "min_p", value, 0, 1, false, "a number from 0 to 1", &r->out->sampling.min_p);
}

assay_status server_read_repetition_penalty(server_reading *r, json_object *value)
{
    return read_number(r, "repetition_penalty", value, 0, 1e6, true, "a number above 0",
                       &r->out->sampling.repetition_penalty);
}

assay_status server_read_seed(server_reading *r, json_object *value)
{
    int64_t seed = 0;
    assay_status rc = read_count(r, "seed", value, INT64_MIN, INT64_MAX, "an integer", &seed);
    if (rc != ASSAY_OK) return rc;
    r->out->sampling.seed = (uint64_t)seed;
    r->out->has_seed = true;
    return ASSAY_OK;
}

assay_status server_read_n(server_reading *r, json_object *value)
{
    int64_t n = 0;
    assay_status rc = read_count(r, "n", value, 1, INT32_MAX, "a number of choices", &n);
    if (rc == ASSAY_OK) r->out->n = (size_t)n;
    return rc;
}

/* More candidates than choices would have to be ranked. */
assay_status server_read_best_of(server_reading *r, json_object *value)
{
    json_object *n = json_object_object_get(r->body, "n");
    int64_t found = 0;
    assay_status rc = read_count(r, "best_of", value, 1, INT32_MAX, "a number of candidates", &found);
    if (rc != ASSAY_OK || found <= (json_object_is_type(n, json_type_int) ? json_object_get_int64(n) : 1))
        return rc;
    return refuse(r, "best_of", value, "at most n");
}

static assay_status add_stop(server_reading *r, const server_path *path, json_object *value)
{
    server_request *q = r->out;
    const char *text = json_object_get_string(value);
    if (!json_object_is_type(value, json_type_string)) return server_unexpected(r, path, value, "a string");
    const size_t n = (size_t)json_object_get_string_len(value);
    if (n == 0 || n > STOP_MAX)
        return server_refuse(r->refusal, 400, path->text, "found %zu bytes, expected 1 to %d", n, STOP_MAX);
    if (q->n_stop_texts == STOPS_MAX)
        return server_refuse(r->refusal, 400, path->text, "found more than %d stop texts", STOPS_MAX);
    char *copy = malloc(n);
    assay_text *texts = realloc(q->stop_texts, (q->n_stop_texts + 1) * sizeof *texts);
    if (texts) q->stop_texts = texts;
    if (!copy || !texts) {
        free(copy);
        return server_out_of_memory(r);
    }
    memcpy(copy, text, n);
    q->stop_texts[q->n_stop_texts].at = copy;
    q->stop_texts[q->n_stop_texts++].n = n;
    return ASSAY_OK;
}

static assay_status read_stops(server_reading *r, const char *name, json_object *value)
{
    const server_path path = server_path_top(name);
    assay_status rc = ASSAY_OK;
    if (!json_object_is_type(value, json_type_array))
        return server_unexpected(r, &path, value, "a list of texts");
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(value); i++) {
        const server_path place = server_path_element(&path, i);
        rc = add_stop(r, &place, json_object_array_get_idx(value, i));
    }
    return rc;
}

assay_status server_read_stop(server_reading *r, json_object *value)
{
    const server_path path = server_path_top("stop");
    return json_object_is_type(value, json_type_string) ? add_stop(r, &path, value)
                                                        : read_stops(r, "stop", value);
}

assay_status server_read_stop_sequences(server_reading *r, json_object *value)
{
    return read_stops(r, "stop_sequences", value);
}

assay_status server_read_ignore_eos(server_reading *r, json_object *value)
{
    return read_switch(r, "ignore_eos", value, &r->out->ignore_stop_ids);
}

/* -1: the whole vocabulary. */
static assay_status read_top(const server_reading *r, const char *name, json_object *value, size_t *out)
{
    const size_t vocab = r->context->options.vocab;
    int64_t n = 0;
    assay_status rc = read_count(r, name, value, -1, (int64_t)vocab,
                                 "a number of tokens, at most the vocabulary, or -1 for all of it", &n);
    if (rc == ASSAY_OK) *out = n < 0 ? vocab : (size_t)n;
    return rc;
}

assay_status server_read_logprobs(server_reading *r, json_object *value)
{
    return read_switch(r, "logprobs", value, &r->out->logprobs);
}

assay_status server_read_logprobs_count(server_reading *r, json_object *value)
{
    r->out->logprobs = true;
    return read_top(r, "logprobs", value, &r->out->n_top);
}

assay_status server_read_top_logprobs(server_reading *r, json_object *value)
{
    const bool asked = r->out->endpoint == SERVE_RESPONSES ||
                       json_object_get_boolean(json_object_object_get(r->body, "logprobs"));
    assay_status rc = read_top(r, "top_logprobs", value, &r->out->n_top);
    if (rc == ASSAY_OK && r->out->n_top > 0 && !asked)
        return refuse(r, "top_logprobs", value, "logprobs to be true");
    return rc;
}

assay_status server_read_prompt_logprobs(server_reading *r, json_object *value)
{
    r->out->prompt_logprobs = true;
    return read_top(r, "prompt_logprobs", value, &r->out->n_prompt_top);
}

assay_status server_read_echo(server_reading *r, json_object *value)
{
    return read_switch(r, "echo", value, &r->out->echo);
}

assay_status server_read_token_ids(server_reading *r, json_object *value)
{
    return read_switch(r, "return_token_ids", value, &r->out->token_ids);
}

assay_status server_read_ids_as_tokens(server_reading *r, json_object *value)
{
    bool unused;
    return read_switch(r, "return_tokens_as_token_ids", value, &unused); /* read by the response */
}

assay_status server_read_include(server_reading *r, json_object *value)
{
    const server_path path = server_path_top("include");
    if (!json_object_is_type(value, json_type_array)) return server_unexpected(r, &path, value, "a list");
    for (size_t i = 0; i < json_object_array_length(value); i++) {
        const server_path place = server_path_element(&path, i);
        json_object *name = json_object_array_get_idx(value, i);
        if (!server_is(name, "message.output_text.logprobs"))
            return server_unexpected(r, &place, name, "\"message.output_text.logprobs\"");
        r->out->logprobs = true;
    }
    return ASSAY_OK;
}

assay_status server_read_template_arguments(server_reading *r, json_object *value)
{
    if (!json_object_is_type(value, json_type_object))
        return refuse(r, "chat_template_kwargs", value, "an object");
    r->arguments = value;
    return ASSAY_OK;
}

assay_status server_read_enable_thinking(server_reading *r, json_object *value)
{
    bool on = true;
    assay_status rc = read_switch(r, "enable_thinking", value, &on);
    r->has_thinking = true;
    r->thinking_off = !on;
    return rc;
}

/* A budget for thinking cannot be kept. */
assay_status server_read_thinking(server_reading *r, json_object *value)
{
    static const char *const names[] = {"type", NULL};
    const server_path path = server_path_top("thinking"), at = server_path_member(&path, "type");
    json_object *type;
    if (!json_object_is_type(value, json_type_object)) return refuse(r, "thinking", value, "an object");
    assay_status rc = server_required(r, &path, value, "type", json_type_string, &type);
    if (rc == ASSAY_OK && !server_is(type, "disabled") && !server_is(type, "adaptive"))
        rc = server_unexpected(r, &at, type, "\"disabled\" or \"adaptive\": a budget is not supported");
    if (rc == ASSAY_OK) rc = server_only(r, &path, value, names);
    r->has_thinking = true;
    r->thinking_off = rc == ASSAY_OK && server_is(type, "disabled");
    return rc;
}

assay_status server_read_generation_prompt(server_reading *r, json_object *value)
{
    bool on = true;
    assay_status rc = read_switch(r, "add_generation_prompt", value, &on);
    r->no_prompt = !on;
    return rc;
}

assay_status server_read_add_special(server_reading *r, json_object *value)
{
    bool on = true;
    assay_status rc = read_switch(r, "add_special_tokens", value, &on);
    r->no_special = !on;
    return rc;
}

/* The response reads whether a second call is left out. */
assay_status server_read_parallel_calls(server_reading *r, json_object *value)
{
    bool parallel;
    return read_switch(r, "parallel_tool_calls", value, &parallel);
}

/* "auto" or "none"; of Messages {"type": …}. */
assay_status server_read_tool_choice(server_reading *r, json_object *value)
{
    static const char *const names[] = {"type", "disable_parallel_tool_use", NULL};
    const server_path path = server_path_top("tool_choice");
    json_object *choice = value, *single;
    if (r->out->endpoint == SERVE_MESSAGES) {
        if (!json_object_is_type(value, json_type_object))
            return refuse(r, "tool_choice", value, "an object");
        assay_status rc = server_only(r, &path, value, names);
        if (rc == ASSAY_OK)
            rc = server_optional(r, &path, value, "disable_parallel_tool_use", json_type_boolean, &single);
        if (rc != ASSAY_OK) return rc;
        choice = json_object_object_get(value, "type");
    }
    r->declines_tools = server_is(choice, "none");
    if (r->declines_tools || server_is(choice, "auto")) return ASSAY_OK;
    return refuse(r, "tool_choice", value, "auto or none: calls are not constrained");
}

assay_status server_read_text_format(server_reading *r, json_object *value)
{
    static const char *const names[] = {"format", NULL}, *const inner[] = {"type", NULL};
    const server_path path = server_path_top("text"), at = server_path_member(&path, "format"),
                      place = server_path_member(&at, "type");
    json_object *format = NULL, *type;
    if (!json_object_is_type(value, json_type_object)) return refuse(r, "text", value, "an object");
    assay_status rc = server_only(r, &path, value, names);
    if (rc == ASSAY_OK) rc = server_optional(r, &path, value, "format", json_type_object, &format);
    if (rc != ASSAY_OK || !format) return rc;
    rc = server_only(r, &at, format, inner);
    if (rc == ASSAY_OK) rc = server_required(r, &at, format, "type", json_type_string, &type);
    if (rc == ASSAY_OK && !server_is(type, "text")) rc = server_unexpected(r, &place, type, "\"text\"");
    return rc;
}
