/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* A member at a path of names and indices. value: what a string must be; NULL: anything. */
typedef struct rule {
    probe_endpoint endpoint;
    const char *path;
    enum json_type type;
    const char *value;
    probe_grade grade;
} rule;

/* OpenAI API reference ("The chat completion object", "The completion object", "The response object") and
 * Anthropic API reference ("Messages"). What the official clients read without a default breaks. */
static const rule rules[] = {
    {PROBE_CHAT, "id", json_type_string, NULL, PROBE_DEPARTS},
    {PROBE_CHAT, "object", json_type_string, "chat.completion", PROBE_DEPARTS},
    {PROBE_CHAT, "created", json_type_int, NULL, PROBE_DEPARTS},
    {PROBE_CHAT, "model", json_type_string, NULL, PROBE_DEPARTS},
    {PROBE_CHAT, "choices.0.index", json_type_int, NULL, PROBE_DEPARTS},
    {PROBE_CHAT, "choices.0.message.role", json_type_string, "assistant", PROBE_DEPARTS},
    {PROBE_CHAT, "choices.0.finish_reason", json_type_string, NULL, PROBE_BREAKS},
    {PROBE_CHAT, "usage.prompt_tokens", json_type_int, NULL, PROBE_DEPARTS},
    {PROBE_CHAT, "usage.completion_tokens", json_type_int, NULL, PROBE_DEPARTS},
    {PROBE_CHAT, "usage.total_tokens", json_type_int, NULL, PROBE_DEPARTS},
    {PROBE_COMPLETIONS, "id", json_type_string, NULL, PROBE_DEPARTS},
    {PROBE_COMPLETIONS, "object", json_type_string, "text_completion", PROBE_DEPARTS},
    {PROBE_COMPLETIONS, "created", json_type_int, NULL, PROBE_DEPARTS},
    {PROBE_COMPLETIONS, "model", json_type_string, NULL, PROBE_DEPARTS},
    {PROBE_COMPLETIONS, "choices.0.index", json_type_int, NULL, PROBE_DEPARTS},
    {PROBE_COMPLETIONS, "choices.0.text", json_type_string, NULL, PROBE_BREAKS},
    {PROBE_COMPLETIONS, "choices.0.finish_reason", json_type_string, NULL, PROBE_BREAKS},
    {PROBE_COMPLETIONS, "usage.prompt_tokens", json_type_int, NULL, PROBE_DEPARTS},
    {PROBE_COMPLETIONS, "usage.completion_tokens", json_type_int, NULL, PROBE_DEPARTS},
    {PROBE_COMPLETIONS, "usage.total_tokens", json_type_int, NULL, PROBE_DEPARTS},
    {PROBE_RESPONSES, "id", json_type_string, NULL, PROBE_DEPARTS},
    {PROBE_RESPONSES, "object", json_type_string, "response", PROBE_DEPARTS},
    {PROBE_RESPONSES, "status", json_type_string, NULL, PROBE_BREAKS},
    {PROBE_RESPONSES, "model", json_type_string, NULL, PROBE_DEPARTS},
    {PROBE_RESPONSES, "output.0.type", json_type_string, NULL, PROBE_BREAKS},
    {PROBE_RESPONSES, "usage.input_tokens", json_type_int, NULL, PROBE_DEPARTS},
    {PROBE_RESPONSES, "usage.output_tokens", json_type_int, NULL, PROBE_DEPARTS},
    {PROBE_RESPONSES, "usage.total_tokens", json_type_int, NULL, PROBE_DEPARTS},
    {PROBE_MESSAGES, "id", json_type_string, NULL, PROBE_DEPARTS},
    {PROBE_MESSAGES, "type", json_type_string, "message", PROBE_DEPARTS},
    {PROBE_MESSAGES, "role", json_type_string, "assistant", PROBE_DEPARTS},
    {PROBE_MESSAGES, "model", json_type_string, NULL, PROBE_DEPARTS},
    {PROBE_MESSAGES, "content.0.type", json_type_string, NULL, PROBE_BREAKS},
    {PROBE_MESSAGES, "stop_reason", json_type_string, NULL, PROBE_BREAKS},
    {PROBE_MESSAGES, "usage.input_tokens", json_type_int, NULL, PROBE_DEPARTS},
    {PROBE_MESSAGES, "usage.output_tokens", json_type_int, NULL, PROBE_DEPARTS},
};

/* The value at a path; *found is false if there is none. */
static json_object *at_path(json_object *value, const char *path, bool *found)
{
    char name[64];
    *found = true;
    while (*path && *found) {
        const size_t n = strcspn(path, ".");
        (void)snprintf(name, sizeof name, "%.*s", (int)n, path);
        path += n + (path[n] == '.');
        if (json_object_is_type(value, json_type_array)) {
            const size_t i = strtoul(name, NULL, 10);
            *found = i < json_object_array_length(value);
            value = *found ? json_object_array_get_idx(value, i) : NULL;
        } else {
            *found = json_object_is_type(value, json_type_object) &&
                     json_object_object_get_ex(value, name, &value);
        }
    }
    return value;
}

/* Whether a member is as the rule says; if not, *row names it. */
static bool holds(const rule *m, json_object *body, char *text, size_t size)
{
    bool found;
    json_object *value = at_path(body, m->path, &found);
    if (!found) (void)snprintf(text, size, "%s is missing", m->path);
    else if (!json_object_is_type(value, m->type))
        (void)snprintf(text, size, "%s: found %.80s, expected %s", m->path,
                       value ? json_object_to_json_string_ext(value, 0) : "null", json_type_to_name(m->type));
    else if (m->value && strcmp(json_object_get_string(value), m->value) != 0)
        (void)snprintf(text, size, "%s: found %.80s, expected %s", m->path, json_object_get_string(value),
                       m->value);
    else return true;
    return false;
}

static json_object *parse(probe_run *r, const char *check, const probe_exchange *x)
{
    json_object *body = NULL;
    assay_error why = {0};
    if (json_parse("the body", x->body.data ? x->body.data : "", x->body.n, &body, &why) == ASSAY_OK && body)
        return body;
    (void)probe_report(r, x, check, PROBE_FAILED, PROBE_BREAKS, "%s",
                       why.text[0] ? why.text : "the body is null");
    return NULL;
}

void probe_shape_check(probe_run *r, const char *check, probe_endpoint endpoint, const probe_exchange *x)
{
    char text[256];
    size_t n = 0, n_broken = 0;
    json_object *body = parse(r, check, x);
    if (!body) return;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].endpoint != endpoint) continue;
        n++;
        if (holds(&rules[i], body, text, sizeof text)) continue;
        n_broken++;
        (void)probe_report(r, x, check, PROBE_FAILED, rules[i].grade, "%s", text);
    }
    if (n_broken == 0) (void)probe_report(r, x, check, PROBE_OK, PROBE_BREAKS, "%zu members", n);
    json_object_put(body);
}

bool probe_shape_is_error(probe_endpoint endpoint, const probe_exchange *x, char *text, size_t size)
{
    bool found, has_type;
    assay_error why;
    json_object *body = NULL;
    (void)json_parse("the body", x->body.data ? x->body.data : "", x->body.n, &body, &why);
    json_object *message = at_path(body, "error.message", &found), *type = at_path(body, "type", &has_type);
    const bool has_message = found && json_object_is_type(message, json_type_string);
    const bool typed =
        endpoint != PROBE_MESSAGES || (has_type && json_object_is_type(type, json_type_string) &&
                                       strcmp(json_object_get_string(type), "error") == 0);
    json_object_put(body);
    if (has_message && typed) return true;
    (void)snprintf(text, size, "status %d: found %.*s, expected an object with %serror.message", x->status,
                   (int)(x->body.n < 120 ? x->body.n : 120), x->body.n ? x->body.data : "",
                   endpoint == PROBE_MESSAGES ? "type error and " : "");
    return false;
}
