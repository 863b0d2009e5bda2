/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/response/request.h"

#include "base/error.h"
#include "base/json.h"

#include <string.h>

/* The member; NULL if it is absent or null. */
static assay_status find_member(json_object *object, const char *where, const char *name, json_type type,
                                json_object **out, assay_error *err)
{
    json_object *value = NULL;
    if (json_object_object_get_ex(object, name, &value) && value && !json_object_is_type(value, type))
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: found %s, expected %s", where, name,
                          json_type_to_name(json_object_get_type(value)), json_type_to_name(type));
    *out = value;
    return ASSAY_OK;
}

/* A terminated copy. */
static assay_status copy_text(json_object *object, const char *where, const char *name, buffer *out,
                              assay_error *err)
{
    json_object *value;
    assay_status rc = find_member(object, where, name, json_type_string, &value, err);
    if (rc != ASSAY_OK) return rc;
    out->n = 0;
    buffer_append(out, value ? json_object_get_string(value) : "",
                  value ? (size_t)json_object_get_string_len(value) : 0);
    buffer_append(out, "", 1);
    if (out->failed) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", where);
    out->n--;
    if (strlen(out->data) == out->n) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT, "%s: %s: found U+0000, expected none", where, name);
}

static assay_status read_flag(json_object *object, const char *where, const char *name, bool *out,
                              assay_error *err)
{
    json_object *value;
    assay_status rc = find_member(object, where, name, json_type_boolean, &value, err);
    if (rc == ASSAY_OK && value) *out = json_object_get_boolean(value);
    return rc;
}

/* Whether a template's argument enable_thinking is false; the latest one is used. A template takes any value,
 * and only false turns thinking off. */
static void read_argument(json_object *arguments, bool *out)
{
    json_object *value;
    if (!arguments || !json_object_object_get_ex(arguments, "enable_thinking", &value)) return;
    *out = !json_object_is_type(value, json_type_boolean) || json_object_get_boolean(value);
}

/* Whether enable_thinking is false: an argument of the request overrides one of the server's, even with null,
 * and either member of the request turns thinking off. */
static assay_status read_thinking(json_object *request, json_object *server, serve_request *r,
                                  assay_error *err)
{
    bool asked = true, by_template = true;
    json_object *own = NULL, *usual = NULL;
    assay_status rc =
        find_member(server, "server", "default_chat_template_kwargs", json_type_object, &usual, err);
    if (rc == ASSAY_OK)
        rc = find_member(request, "request", "chat_template_kwargs", json_type_object, &own, err);
    if (rc != ASSAY_OK) return rc;
    read_argument(usual, &by_template);
    read_argument(own, &by_template);
    if (r->endpoint == SERVE_CHAT) rc = read_flag(request, "request", "enable_thinking", &asked, err);
    r->thinking_off = !asked || !by_template;
    return rc;
}

/* The function of a tool in the form of chat completions; a new reference. */
static assay_status convert_tool(serve_endpoint endpoint, json_object *tool, json_object **out,
                                 assay_error *err)
{
    static const char *const schemas[SERVE_N_ENDPOINTS] = {
        [SERVE_MESSAGES] = "input_schema", [SERVE_RESPONSES] = "parameters"};
    json_object *name, *schema, *function;
    if (!json_object_is_type(tool, json_type_object))
        return assay_fail(err, ASSAY_EFORMAT, "request: tools: found an element that is no object");
    if (endpoint == SERVE_CHAT) {
        *out = json_object_get(tool);
        return ASSAY_OK;
    }
    assay_status rc = find_member(tool, "a tool", "name", json_type_string, &name, err);
    if (rc == ASSAY_OK) rc = find_member(tool, "a tool", schemas[endpoint], json_type_object, &schema, err);
    if (rc != ASSAY_OK) return rc;
    function = json_object_new_object();
    *out = json_object_new_object();
    if (!function || !*out || json_object_object_add(function, "name", json_object_get(name)) != 0 ||
        (schema && json_object_object_add(function, "parameters", json_object_get(schema)) != 0) ||
        json_object_object_add(*out, "type", json_object_new_string("function")) != 0 ||
        json_object_object_add(*out, "function", json_object_get(function)) != 0) {
        json_object_put(*out);
        json_object_put(function);
        return assay_fail(err, ASSAY_ENOMEM, "request: out of memory");
    }
    json_object_put(function);
    return ASSAY_OK;
}

static assay_status write_tools(json_object *tools, serve_request *r, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    buffer_append_string(&r->request, "{\"tools\":[");
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(tools); i++) {
        json_object *tool = NULL;
        rc = convert_tool(r->endpoint, json_object_array_get_idx(tools, i), &tool, err);
        if (rc != ASSAY_OK) break;
        const char *text = json_object_to_json_string_ext(tool, JSON_C_TO_STRING_PLAIN);
        if (!text) rc = assay_fail(err, ASSAY_ENOMEM, "request: out of memory");
        if (i) buffer_append_string(&r->request, ",");
        buffer_append_string(&r->request, text ? text : "");
        json_object_put(tool);
    }
    buffer_append_string(&r->request, "]}");
    if (rc == ASSAY_OK && r->request.failed) rc = assay_fail(err, ASSAY_ENOMEM, "request: out of memory");
    return rc;
}

/* "none", or for Messages {"type": "none"}. */
static bool declines_tools(json_object *request, serve_endpoint endpoint)
{
    json_object *choice = json_object_object_get(request, "tool_choice");
    if (endpoint == SERVE_MESSAGES && json_object_is_type(choice, json_type_object))
        choice = json_object_object_get(choice, "type");
    const char *text = json_text(choice);
    return text && strcmp(text, "none") == 0;
}

/* Whether the first call is the only one: of several that a model makes the others are left out, as vLLM
 * does. Messages say so in tool_choice, by a member of the opposite sense. */
static assay_status read_one_call(json_object *request, serve_request *r, assay_error *err)
{
    bool parallel = true;
    json_object *choice = json_object_object_get(request, "tool_choice");
    if (r->endpoint == SERVE_MESSAGES)
        return json_object_is_type(choice, json_type_object)
                   ? read_flag(choice, "tool_choice", "disable_parallel_tool_use", &r->one_call, err)
                   : ASSAY_OK;
    const assay_status rc = read_flag(request, "request", "parallel_tool_calls", &parallel, err);
    r->one_call = !parallel;
    return rc;
}

/* Calls are parsed only if there are tools to call. */
static assay_status read_tools(json_object *request, json_object *server, serve_request *r, assay_error *err)
{
    bool automatic = false;
    json_object *tools;
    assay_status rc = read_flag(server, "server", "auto_tool_choice", &automatic, err);
    if (rc == ASSAY_OK) rc = copy_text(server, "server", "tool_parser", &r->tools, err);
    if (rc == ASSAY_OK) rc = find_member(request, "request", "tools", json_type_array, &tools, err);
    if (rc != ASSAY_OK) return rc;
    const bool has = tools && json_object_array_length(tools) > 0;
    r->declines_tools = declines_tools(request, r->endpoint);
    if (!has || !automatic || r->declines_tools) r->tools.n = 0;
    rc = read_one_call(request, r, err);
    return rc == ASSAY_OK && has ? write_tools(tools, r, err) : rc;
}

/* How many prompts a request of completions has: a text and a list of ids are one. */
static size_t count_prompts(json_object *request)
{
    json_object *prompt = json_object_object_get(request, "prompt");
    if (!json_object_is_type(prompt, json_type_array) || json_object_array_length(prompt) == 0 ||
        json_object_is_type(json_object_array_get_idx(prompt, 0), json_type_int))
        return 1;
    return json_object_array_length(prompt);
}

static assay_status count_choices(json_object *request, serve_request *r, assay_error *err)
{
    json_object *n = NULL;
    r->n = r->n_choices = 1;
    if (r->endpoint != SERVE_CHAT && r->endpoint != SERVE_COMPLETIONS) return ASSAY_OK;
    assay_status rc = find_member(request, "request", "n", json_type_int, &n, err);
    if (rc != ASSAY_OK) return rc;
    const int64_t wanted = n ? json_object_get_int64(n) : 1;
    const size_t n_prompts = r->endpoint == SERVE_COMPLETIONS ? count_prompts(request) : 1;
    if (wanted < 1 || wanted > SERVE_CHOICES_MAX || n_prompts > SERVE_CHOICES_MAX / (size_t)wanted)
        return assay_fail(err, ASSAY_EFORMAT,
                          "request: n: found %lld for %zu prompts, expected 1 to %d choices in all",
                          (long long)wanted, n_prompts, SERVE_CHOICES_MAX);
    r->n = (size_t)wanted;
    r->n_choices = r->n * n_prompts;
    return ASSAY_OK;
}

static bool has_text(json_object *list, const char *text)
{
    for (size_t i = 0; json_object_is_type(list, json_type_array) && i < json_object_array_length(list);
         i++) {
        const char *found = json_text(json_object_array_get_idx(list, i));
        if (found && strcmp(found, text) == 0) return true;
    }
    return false;
}

/* What the endpoint's protocol, or that of vLLM, lets the request ask for beside the text. */
static assay_status read_reports(json_object *request, serve_request *r, assay_error *err)
{
    json_object *count = NULL;
    assay_status rc = ASSAY_OK;
    if (r->endpoint == SERVE_MESSAGES) return ASSAY_OK;
    if (r->endpoint == SERVE_RESPONSES) {
        r->logprobs = has_text(json_object_object_get(request, "include"), "message.output_text.logprobs");
        return ASSAY_OK;
    }
    if (r->endpoint == SERVE_CHAT) {
        rc = read_flag(request, "request", "logprobs", &r->logprobs, err);
    } else {
        rc = find_member(request, "request", "logprobs", json_type_int, &count, err);
        r->logprobs = count != NULL;
        if (rc == ASSAY_OK) rc = read_flag(request, "request", "echo", &r->echo, err);
    }
    if (rc == ASSAY_OK) rc = find_member(request, "request", "prompt_logprobs", json_type_int, &count, err);
    r->prompt_logprobs = rc == ASSAY_OK && count != NULL;
    if (rc == ASSAY_OK) rc = read_flag(request, "request", "return_token_ids", &r->token_ids, err);
    return rc == ASSAY_OK
               ? read_flag(request, "request", "return_tokens_as_token_ids", &r->ids_as_tokens, err)
               : rc;
}

static assay_status read_members(json_object *request, json_object *server, serve_request *r,
                                 assay_error *err)
{
    json_object *options;
    assay_status rc = copy_text(request, "request", "model", &r->model, err);
    if (rc == ASSAY_OK && r->model.n == 0) rc = copy_text(server, "server", "model", &r->model, err);
    if (rc == ASSAY_OK && r->model.n == 0)
        rc = assay_fail(err, ASSAY_EFORMAT, "request: model: found none, expected a name");
    if (rc == ASSAY_OK) rc = copy_text(server, "server", "reasoning_parser", &r->parser, err);
    if (rc == ASSAY_OK) rc = read_flag(request, "request", "stream", &r->streams, err);
    if (rc == ASSAY_OK)
        rc = find_member(request, "request", "stream_options", json_type_object, &options, err);
    if (rc == ASSAY_OK && options) rc = read_flag(options, "stream_options", "include_usage", &r->usage, err);
    if (rc == ASSAY_OK) rc = count_choices(request, r, err);
    if (rc == ASSAY_OK) rc = read_reports(request, r, err);
    if (rc != ASSAY_OK || r->endpoint == SERVE_COMPLETIONS) return rc;
    rc = read_thinking(request, server, r, err);
    return rc == ASSAY_OK ? read_tools(request, server, r, err) : rc;
}

static assay_status parse_object(const char *what, assay_text text, json_object **out, assay_error *err)
{
    assay_status rc = json_parse(what, text.at, text.n, out, err);
    if (rc != ASSAY_OK || json_object_is_type(*out, json_type_object)) return rc;
    return assay_fail(err, ASSAY_EFORMAT, "%s: found %s, expected an object", what,
                      json_type_to_name(json_object_get_type(*out)));
}

assay_status serve_request_read(const assay_response_options *options, serve_request *out, assay_error *err)
{
    serve_request r = {0};
    json_object *request = NULL, *server = NULL;
    if (!serve_endpoint_find(options->endpoint, &r.endpoint))
        return assay_fail(
            err, ASSAY_EUNSUPPORTED,
            "found endpoint %s, expected /v1/chat/completions, /v1/completions, /v1/messages or "
            "/v1/responses",
            options->endpoint);
    assay_status rc = parse_object("request", options->request, &request, err);
    if (rc == ASSAY_OK) rc = parse_object("server", options->server, &server, err);
    if (rc == ASSAY_OK) rc = read_members(request, server, &r, err);
    json_object_put(request);
    json_object_put(server);
    if (rc != ASSAY_OK) serve_request_free(&r);
    else *out = r;
    return rc;
}

void serve_request_free(serve_request *r)
{
    buffer_free(&r->model);
    buffer_free(&r->parser);
    buffer_free(&r->tools);
    buffer_free(&r->request);
}
