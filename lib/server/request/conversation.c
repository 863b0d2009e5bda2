/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/conversation.h"

#include <limits.h>
#include <string.h>

json_object *server_conversation_add(server_reading *r, const server_path *path, const char *role,
                                     assay_status *rc)
{
    const size_t most = r->context->options.limits.n_messages;
    if (!r->messages) r->messages = json_object_new_array();
    if (r->messages && json_object_array_length(r->messages) == most) {
        *rc = server_refuse(r->refusal, 413, path->text, "found more than %zu messages, expected no more",
                            most);
        return NULL;
    }
    json_object *message = json_object_new_object();
    const bool ok = r->messages && message && server_add(message, "role", json_object_new_string(role));
    if (ok && json_object_array_add(r->messages, message) == 0) {
        *rc = ASSAY_OK;
        return message;
    }
    (void)json_object_put(message);
    *rc = server_out_of_memory(r);
    return NULL;
}

static assay_status add_part(server_reading *r, server_content *c, const char *type, json_object *text)
{
    json_object *part = json_object_new_object();
    if (!c->parts) c->parts = json_object_new_array();
    if (part && c->parts && server_add(part, "type", json_object_new_string(type)) &&
        (!text || server_add(part, "text", json_object_get(text))) &&
        json_object_array_add(c->parts, part) == 0)
        return ASSAY_OK;
    (void)json_object_put(part);
    return server_out_of_memory(r);
}

assay_status server_content_text(server_reading *r, server_content *c, json_object *text)
{
    return add_part(r, c, "text", text);
}

assay_status server_content_image(server_reading *r, server_content *c)
{
    c->has_media = true;
    return add_part(r, c, "image", NULL);
}

assay_status server_content_audio(server_reading *r, server_content *c)
{
    c->has_media = true;
    return add_part(r, c, "audio", NULL);
}

void server_content_drop(server_content *c)
{
    (void)json_object_put(c->parts);
    *c = (server_content){0};
}

static json_object *join_parts(json_object *parts)
{
    buffer joined = {0};
    for (size_t i = 0; i < json_object_array_length(parts); i++) {
        json_object *text = json_object_object_get(json_object_array_get_idx(parts, i), "text");
        if (i) buffer_append(&joined, "\n", 1);
        buffer_append(&joined, json_object_get_string(text), (size_t)json_object_get_string_len(text));
    }
    json_object *made = NULL;
    if (!joined.failed && joined.n <= INT_MAX)
        made = json_object_new_string_len(buffer_text(&joined).at, (int)joined.n);
    buffer_free(&joined);
    return made;
}

assay_status server_conversation_content(server_reading *r, json_object *message, server_content *c,
                                         bool empty)
{
    bool ok;
    if (!c->parts)
        ok = empty ? server_add(message, "content", json_object_new_string(""))
                   : json_object_object_add(message, "content", NULL) == 0;
    else if (c->has_media) ok = server_add(message, "content", json_object_get(c->parts));
    else ok = server_add(message, "content", join_parts(c->parts));
    server_content_drop(c);
    return ok ? ASSAY_OK : server_out_of_memory(r);
}

assay_status server_conversation_call(server_reading *r, json_object *message, json_object *id,
                                      json_object *name, json_object *arguments)
{
    json_object *calls = NULL, *call = json_object_new_object(), *function = json_object_new_object();
    if (!json_object_object_get_ex(message, "tool_calls", &calls)) {
        calls = json_object_new_array();
        if (!server_add(message, "tool_calls", calls)) calls = NULL;
    }
    bool ok = calls && call && function && server_add(function, "name", json_object_get(name)) &&
              server_add(function, "arguments", json_object_get(arguments)) &&
              (!id || server_add(call, "id", json_object_get(id))) &&
              server_add(call, "type", json_object_new_string("function"));
    ok = ok && server_add(call, "function", json_object_get(function)) &&
         server_append(calls, json_object_get(call));
    (void)json_object_put(call);
    (void)json_object_put(function);
    return ok ? ASSAY_OK : server_out_of_memory(r);
}

assay_status server_conversation_arguments(server_reading *r, const server_path *path, json_object *text,
                                           json_object **out)
{
    const json_limits limits = {.bytes = INT_MAX, .values = r->context->options.limits.n_values};
    const char *at = json_object_get_string(text);
    const size_t n = (size_t)json_object_get_string_len(text);
    json_object *value = NULL;
    assay_error err = {0};
    if (n == 0) { /* a call without arguments */
        *out = json_object_new_object();
        return *out ? ASSAY_OK : server_out_of_memory(r);
    }
    const assay_status rc = json_parse_within("arguments", at, n, &limits, &value, &err);
    if (rc == ASSAY_ENOMEM) return server_out_of_memory(r);
    if (rc != ASSAY_OK) return server_refuse(r->refusal, 400, path->text, "%s", err.text);
    if (!json_object_is_type(value, json_type_object)) {
        (void)json_object_put(value);
        return server_unexpected(r, path, text, "the text of a JSON object");
    }
    *out = value;
    return ASSAY_OK;
}

assay_status server_conversation_append(server_reading *r, json_object *message, const char *member,
                                        json_object *text)
{
    json_object *before = json_object_object_get(message, member);
    buffer joined = {0};
    if (before)
        buffer_append(&joined, json_object_get_string(before), (size_t)json_object_get_string_len(before));
    buffer_append(&joined, json_object_get_string(text), (size_t)json_object_get_string_len(text));
    json_object *made = NULL;
    if (!joined.failed && joined.n <= INT_MAX)
        made = json_object_new_string_len(buffer_text(&joined).at, (int)joined.n);
    buffer_free(&joined);
    return server_add(message, member, made) ? ASSAY_OK : server_out_of_memory(r);
}

assay_status server_conversation_tools(server_reading *r, json_object *value,
                                       assay_status (*read)(server_reading *r, const server_path *path,
                                                            json_object *tool))
{
    const server_path path = server_path_top("tools");
    assay_status rc = ASSAY_OK;
    if (!json_object_is_type(value, json_type_array)) return server_unexpected(r, &path, value, "a list");
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(value); i++) {
        const server_path place = server_path_element(&path, i);
        json_object *tool = json_object_array_get_idx(value, i);
        rc = json_object_is_type(tool, json_type_object) ? read(r, &place, tool)
                                                         : server_unexpected(r, &place, tool, "an object");
    }
    return rc;
}

assay_status server_conversation_tool(server_reading *r, json_object *name, json_object *description,
                                      json_object *schema)
{
    json_object *tool = json_object_new_object(), *function = json_object_new_object();
    if (!r->tools) r->tools = json_object_new_array();
    bool ok = tool && function && r->tools && server_add(function, "name", json_object_get(name)) &&
              (!description || server_add(function, "description", json_object_get(description))) &&
              (!schema || server_add(function, "parameters", json_object_get(schema))) &&
              server_add(tool, "type", json_object_new_string("function"));
    ok = ok && server_add(tool, "function", json_object_get(function)) &&
         server_append(r->tools, json_object_get(tool));
    (void)json_object_put(tool);
    (void)json_object_put(function);
    return ok ? ASSAY_OK : server_out_of_memory(r);
}
