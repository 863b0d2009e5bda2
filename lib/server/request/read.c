/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/read.h"

#include "base/error.h"
#include "base/json_escape.h"
#include "server/request/media.h"
#include "server/request/members.h"
#include "server/request/prompt.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_COMPLETION 16 /* max_tokens of completions, as published */

static const char *prompt_member(serve_endpoint endpoint)
{
    static const char *const names[SERVE_N_ENDPOINTS] = {[SERVE_CHAT] = "messages",
                                                         [SERVE_COMPLETIONS] = "prompt",
                                                         [SERVE_MESSAGES] = "messages",
                                                         [SERVE_RESPONSES] = "input"};
    return names[endpoint];
}

static const char *limit_member(const server_reading *r)
{
    if (r->out->endpoint == SERVE_RESPONSES) return "max_output_tokens";
    return json_object_object_get(r->body, "max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
}

static assay_status parse_body(server_reading *r, assay_text body)
{
    const json_limits limits = {.bytes = INT_MAX, .values = r->context->options.limits.n_values};
    assay_error err = {0};
    const assay_status rc =
        json_parse_within("the request", body.at ? body.at : "", body.n, &limits, &r->body, &err);
    if (rc == ASSAY_ENOMEM) return server_out_of_memory(r);
    if (rc == ASSAY_EUNSUPPORTED) return server_refuse(r->refusal, 413, "", "%s", err.text);
    if (rc != ASSAY_OK) return server_refuse(r->refusal, 400, "", "%s", err.text);
    if (json_object_is_type(r->body, json_type_object)) return ASSAY_OK;
    return server_refuse(r->refusal, 400, "", "the request: found %s, expected an object",
                         json_type_to_name(json_object_get_type(r->body)));
}

static assay_status require(const server_reading *r, const char *name)
{
    if (json_object_object_get(r->body, name)) return ASSAY_OK;
    return server_refuse(r->refusal, 400, name, "found none, expected this member");
}

static assay_status check_required(const server_reading *r)
{
    assay_status rc = require(r, "model");
    if (rc == ASSAY_OK) rc = require(r, prompt_member(r->out->endpoint));
    return rc == ASSAY_OK && r->out->endpoint == SERVE_MESSAGES ? require(r, "max_tokens") : rc;
}

static assay_status read_prompts(server_reading *r)
{
    server_request *q = r->out;
    if (q->endpoint == SERVE_COMPLETIONS)
        return server_prompt_read(r, json_object_object_get(r->body, "prompt"));
    q->prompts = calloc(1, sizeof *q->prompts);
    if (!q->prompts) return server_out_of_memory(r);
    q->n_prompts = 1;
    return server_prompt_render(r, q->prompts);
}

/* Echoed logprobs are those of the prompt. */
static assay_status join_reports(server_reading *r)
{
    server_request *q = r->out;
    if (!q->echo || !q->logprobs) return ASSAY_OK;
    if (q->prompt_logprobs && q->n_prompt_top != q->n_top)
        return server_refuse(r->refusal, 400, "prompt_logprobs",
                             "found %zu, expected the %zu of logprobs, which echo extends to the prompt",
                             q->n_prompt_top, q->n_top);
    q->prompt_logprobs = true;
    q->n_prompt_top = q->n_top;
    return ASSAY_OK;
}

static size_t longest_prompt(const server_request *q)
{
    size_t n = 0;
    for (size_t i = 0; i < q->n_prompts; i++)
        if (q->prompts[i].n_tokens > n) n = q->prompts[i].n_tokens;
    return n;
}

static assay_status set_max_tokens(server_reading *r)
{
    const server_requests_options *o = &r->context->options;
    server_request *q = r->out;
    const size_t n = longest_prompt(q), most = o->max_positions ? o->max_positions : SIZE_MAX;
    const bool nothing = r->has_max_tokens && q->max_tokens == 0;
    if (nothing && !q->echo && !q->prompt_logprobs)
        return server_refuse(r->refusal, 400, "max_tokens",
                             "found 0, expected at least 1 without echo and prompt_logprobs");
    if (n > most || (n == most && !nothing))
        return server_refuse(r->refusal, 400, prompt_member(q->endpoint),
                             "the prompt has %zu tokens, expected fewer than %zu, the model's positions", n,
                             most);
    if (!r->has_max_tokens)
        q->max_tokens = q->endpoint == SERVE_COMPLETIONS ? USUAL_COMPLETION : o->max_tokens;
    if (q->max_tokens <= most - n) return ASSAY_OK;
    if (r->has_max_tokens)
        return server_refuse(r->refusal, 400, limit_member(r),
                             "found %zu after a prompt of %zu tokens, expected at most %zu, the rest of the "
                             "model's %zu positions",
                             q->max_tokens, n, most - n, most);
    q->max_tokens = most - n;
    return ASSAY_OK;
}

static assay_status check_choices(const server_reading *r)
{
    const server_request *q = r->out;
    const size_t most = r->context->options.limits.n_choices;
    if (q->n <= most && q->n_prompts <= most / q->n) return ASSAY_OK;
    return server_refuse(r->refusal, 400, q->n > 1 ? "n" : "prompt",
                         "found %zu choices of %zu prompts, expected at most %zu in all", q->n, q->n_prompts,
                         most);
}

/* a * b, or SIZE_MAX. */
static size_t multiply(size_t a, size_t b)
{
    return a && b > SIZE_MAX / a ? SIZE_MAX : a * b;
}

static size_t add(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

static assay_status check_logprobs(const server_reading *r)
{
    const server_request *q = r->out;
    const size_t most = r->context->options.limits.n_logprobs;
    size_t n = 0;
    if (q->logprobs) n = multiply(multiply(q->n * q->n_prompts, q->max_tokens), 1 + q->n_top);
    for (size_t i = 0; q->prompt_logprobs && i < q->n_prompts; i++)
        n = add(n, multiply(q->prompts[i].n_tokens, 1 + q->n_prompt_top));
    if (n <= most) return ASSAY_OK;
    return server_refuse(
        r->refusal, 413, q->endpoint == SERVE_COMPLETIONS ? "logprobs" : "top_logprobs",
        "found up to %zu logprobs in an answer, expected at most %zu: fewer tokens, or fewer of each", n,
        most);
}

static assay_status read_all(server_reading *r, assay_text body)
{
    server_request *q = r->out;
    assay_status rc = parse_body(r, body);
    if (rc == ASSAY_OK) rc = check_required(r);
    if (rc == ASSAY_OK) rc = server_members_read(r);
    if (rc == ASSAY_OK) rc = read_prompts(r);
    if (rc == ASSAY_OK) rc = check_choices(r);
    if (rc == ASSAY_OK) rc = join_reports(r);
    if (rc == ASSAY_OK) rc = set_max_tokens(r);
    if (rc == ASSAY_OK) rc = check_logprobs(r);
    if (rc != ASSAY_OK) return rc;
    q->thinking_off = r->has_thinking && r->thinking_off;
    q->body = malloc(body.n + 1);
    if (!q->body) return server_out_of_memory(r);
    memcpy(q->body, body.at, body.n);
    q->n_body = body.n;
    return ASSAY_OK;
}

assay_status server_request_read(const server_requests *requests, serve_endpoint endpoint, assay_text body,
                                 const server_wanted *wanted, server_request **out, server_refusal *refusal)
{
    server_request *q = calloc(1, sizeof *q);
    if (!q) return server_refuse(refusal, 500, "", "out of memory");
    *q = (server_request){
        .endpoint = endpoint, .n = 1, .sampling = {.temperature = 1, .top_p = 1, .repetition_penalty = 1}};
    server_reading r = {.context = requests, .wanted = wanted, .out = q, .refusal = refusal};
    const assay_status rc = read_all(&r, body);
    (void)json_object_put(r.tools);
    (void)json_object_put(r.messages);
    (void)json_object_put(r.body);
    server_media_free(r.images, r.n_images);
    server_media_free(r.audios, r.n_audios);
    if (rc == ASSAY_OK) *out = q;
    else server_request_free(q);
    return rc;
}

static void append_name(buffer *out, const char *member, const char *name)
{
    buffer_append_string(out, member);
    if (name) json_append_quoted(out, (assay_text){name, strlen(name)});
    else buffer_append_string(out, "null");
}

assay_status server_request_respond(const server_requests *requests, const server_request *request,
                                    const char *id, int64_t created, assay_response **out, assay_error *err)
{
    static const char *const paths[SERVE_N_ENDPOINTS] = {[SERVE_CHAT] = "/v1/chat/completions",
                                                         [SERVE_COMPLETIONS] = "/v1/completions",
                                                         [SERVE_MESSAGES] = "/v1/messages",
                                                         [SERVE_RESPONSES] = "/v1/responses"};
    buffer server = {0};
    append_name(&server, "{\"model\":", requests->model);
    append_name(&server, ",\"reasoning_parser\":", requests->reasoning);
    append_name(&server, ",\"tool_parser\":", requests->tools);
    buffer_append_string(&server, ",\"auto_tool_choice\":true,\"default_chat_template_kwargs\":");
    buffer_append_string(&server, request->thinking_off ? "{\"enable_thinking\":false}}" : "null}");
    const assay_response_options options = {.size = sizeof options,
                                            .endpoint = paths[request->endpoint],
                                            .request = {request->body, request->n_body},
                                            .server = buffer_text(&server),
                                            .id = id,
                                            .created = created};
    const assay_status rc = server.failed ? assay_fail(err, ASSAY_ENOMEM, "a response: out of memory")
                                          : requests->options.serving->response_open(&options, out, err);
    buffer_free(&server);
    return rc;
}
