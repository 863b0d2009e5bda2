/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/members.h"

#include "server/request/chat.h"
#include "server/request/messages.h"
#include "server/request/responses.h"
#include "server/request/values.h"

#include <stdlib.h>
#include <string.h>

enum {
    C = 1 << SERVE_CHAT,
    L = 1 << SERVE_COMPLETIONS,
    M = 1 << SERVE_MESSAGES,
    R = 1 << SERVE_RESPONSES,
    CL = C | L,
    CR = C | R,
    CLR = C | L | R,
    CMR = C | M | R,
    ALL = C | L | M | R
};

#define READ(name, endpoints, function)                                                                      \
    {                                                                                                        \
        name, endpoints, SERVER_MEMBER_READ, function, NULL                                                  \
    }
#define FIXED(name, endpoints, values)                                                                       \
    {                                                                                                        \
        name, endpoints, SERVER_MEMBER_FIXED, NULL, values                                                   \
    }
#define HARMLESS(name, endpoints)                                                                            \
    {                                                                                                        \
        name, endpoints, SERVER_MEMBER_HARMLESS, NULL, NULL                                                  \
    }

/* Names that vLLM adds to OpenAI's have its meaning; the texts of a prompt are read with the member that
 * holds the messages (system, instructions) or by request.c (prompt). */
static const server_member members[] = {
    READ("model", ALL, server_read_model),
    READ("messages", C, server_chat_messages),
    READ("messages", M, server_messages_messages),
    READ("input", R, server_responses_input),
    READ("prompt", L, NULL),
    READ("system", M, NULL),
    READ("instructions", R, NULL),
    READ("tools", C, server_chat_tools),
    READ("tools", M, server_messages_tools),
    READ("tools", R, server_responses_tools),
    READ("tool_choice", CMR, server_read_tool_choice),
    READ("parallel_tool_calls", CR, server_read_parallel_calls),
    READ("stream", ALL, server_read_stream),
    READ("stream_options", CLR, server_read_stream_options),
    READ("max_tokens", C | L | M, server_read_max_tokens),
    READ("max_completion_tokens", C, server_read_max_completion_tokens),
    READ("max_output_tokens", R, server_read_max_output_tokens),
    READ("temperature", ALL, server_read_temperature),
    READ("top_p", ALL, server_read_top_p),
    READ("top_k", ALL, server_read_top_k),
    READ("min_p", CLR, server_read_min_p),
    READ("repetition_penalty", CLR, server_read_repetition_penalty),
    READ("seed", CLR, server_read_seed),
    READ("n", CL, server_read_n),
    READ("best_of", L, server_read_best_of),
    READ("stop", CL, server_read_stop),
    READ("stop_sequences", M, server_read_stop_sequences),
    READ("ignore_eos", CL, server_read_ignore_eos),
    READ("logprobs", C, server_read_logprobs),
    READ("logprobs", L, server_read_logprobs_count),
    READ("top_logprobs", CR, server_read_top_logprobs),
    READ("prompt_logprobs", CL, server_read_prompt_logprobs),
    READ("echo", L, server_read_echo),
    READ("return_token_ids", CL, server_read_token_ids),
    READ("return_tokens_as_token_ids", CL, server_read_ids_as_tokens),
    READ("include", R, server_read_include),
    READ("chat_template_kwargs", CMR, server_read_template_arguments),
    READ("enable_thinking", C, server_read_enable_thinking),
    READ("thinking", M, server_read_thinking),
    READ("add_generation_prompt", C, server_read_generation_prompt),
    READ("add_special_tokens", L, server_read_add_special),
    READ("text", R, server_read_text_format),

    FIXED("frequency_penalty", CL, "0"),
    FIXED("presence_penalty", CL, "0"),
    FIXED("logit_bias", CL, "{}"),
    FIXED("response_format", CL, "{\"type\": \"text\"}"),
    FIXED("modalities", C, "[\"text\"]"),
    FIXED("echo", C, "false"),
    FIXED("suffix", L, "\"\""),
    FIXED("continue_final_message", C, "false"),
    FIXED("add_special_tokens", C, "false"),
    FIXED("skip_special_tokens", C, "true"),
    FIXED("skip_special_tokens", L, "false"),
    FIXED("spaces_between_special_tokens", CL, "true"),
    FIXED("include_stop_str_in_output", CL, "false"),
    FIXED("min_tokens", CL, "0"),
    FIXED("stop_token_ids", CL, "[]"),
    FIXED("length_penalty", CL, "1"),
    FIXED("use_beam_search", CL, "false"),
    FIXED("truncation", R, "\"disabled\""),
    FIXED("background", R, "false"),
    FIXED("reasoning", R, "{}"),

    HARMLESS("user", CLR),
    HARMLESS("metadata", CMR),
    HARMLESS("store", CR),
    HARMLESS("service_tier", CMR),
    HARMLESS("safety_identifier", CR),
    HARMLESS("prompt_cache_key", CR),
    HARMLESS("prompt_cache_retention", CR),
    HARMLESS("cache_control", M),
    HARMLESS("request_id", CLR),
    HARMLESS("priority", CL),
};

const server_member *server_members(size_t *n)
{
    *n = sizeof members / sizeof *members;
    return members;
}

static const server_member *find_member(const server_reading *r, const char *name)
{
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if ((members[i].endpoints & 1U << r->out->endpoint) && strcmp(members[i].name, name) == 0)
            return &members[i];
    return NULL;
}

/* Whether the value equals one of those of the row. */
static bool is_among(json_object *value, const char *values, bool *no_memory)
{
    for (const char *at = values; *at;) {
        const char *end = strstr(at, " | ");
        const size_t n = end ? (size_t)(end - at) : strlen(at);
        json_object *known = NULL;
        if (json_parse("a member", at, n, &known, NULL) != ASSAY_OK) *no_memory = true;
        const bool same = known && json_equals(value, known, JSON_BY_VALUE);
        (void)json_object_put(known);
        if (same) return true;
        at += end ? n + 3 : n;
    }
    return false;
}

static assay_status read_member(server_reading *r, const char *name, json_object *value)
{
    const server_member *m = find_member(r, name);
    const server_path top = {""}, path = server_path_member(&top, name);
    bool no_memory = false;
    if (!m)
        return server_refuse(
            r->refusal, 400, path.text,
            "found a member that the server does not know, expected none that may change the answer");
    if (m->kind == SERVER_MEMBER_READ) return m->read ? m->read(r, value) : ASSAY_OK;
    if (m->kind == SERVER_MEMBER_HARMLESS || is_among(value, m->values, &no_memory)) return ASSAY_OK;
    return no_memory ? server_out_of_memory(r) : server_unexpected(r, &path, value, m->values);
}

assay_status server_members_read(server_reading *r)
{
    assay_status rc = ASSAY_OK;
    json_object_object_foreach(r->body, name, value)
    {
        if (value) rc = read_member(r, name, value);
        if (rc != ASSAY_OK) break;
    }
    return rc;
}
