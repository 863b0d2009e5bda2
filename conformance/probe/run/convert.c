/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/run/convert.h"

#include <string.h>

#include "base/buffer.h"
#include "conformance/support/json_add.h"

static json_object *member(json_object *object, const char *name)
{
    json_object *value = NULL;
    if (!json_object_is_type(object, json_type_object)) return NULL;
    (void)json_object_object_get_ex(object, name, &value);
    return value;
}

static bool is_text(json_object *value, const char *expected)
{
    return json_object_is_type(value, json_type_string) &&
           strcmp(json_object_get_string(value), expected) == 0;
}

static bool copy(json_object *to, const char *name, json_object *value)
{
    return conf_json_add(to, name, json_object_get(value));
}

/* A member that may be missing. */
static bool copy_given(json_object *to, const char *name, json_object *value)
{
    return !value || copy(to, name, value);
}

/* Writes JSON with a blank after each comma and colon. */
static bool write_spaced(json_object *value, buffer *out)
{
    bool ok = true, first = true;
    if (json_object_is_type(value, json_type_object)) {
        ok = buffer_append_string(out, "{");
        json_object_object_foreach(value, name, inner)
        {
            json_object *text = json_object_new_string(name);
            ok = ok && text && (first || buffer_append_string(out, ", ")) &&
                 buffer_append_string(out,
                                      json_object_to_json_string_ext(text, JSON_C_TO_STRING_NOSLASHESCAPE)) &&
                 buffer_append_string(out, ": ") && write_spaced(inner, out);
            first = false;
            json_object_put(text);
        }
        return ok && buffer_append_string(out, "}");
    }
    if (json_object_is_type(value, json_type_array)) {
        ok = buffer_append_string(out, "[");
        for (size_t i = 0; ok && i < json_object_array_length(value); i++)
            ok = (i == 0 || buffer_append_string(out, ", ")) &&
                 write_spaced(json_object_array_get_idx(value, i), out);
        return ok && buffer_append_string(out, "]");
    }
    return buffer_append_string(
        out, value ? json_object_to_json_string_ext(value, JSON_C_TO_STRING_NOSLASHESCAPE) : "null");
}

static bool add_arguments_text(json_object *to, json_object *arguments)
{
    buffer text = {0};
    if (json_object_is_type(arguments, json_type_string)) return copy(to, "arguments", arguments);
    const bool ok = write_spaced(arguments, &text) &&
                    conf_json_add(to, "arguments", json_object_new_string_len(text.data, (int)text.n));
    buffer_free(&text);
    return ok;
}

/* A call of the form of chat completions, with its arguments as text. */
static bool append_chat_call(json_object *list, json_object *call)
{
    json_object *function = member(call, "function"), *to = json_object_new_object();
    json_object *inner = json_object_new_object();
    return conf_json_append(list, to) && copy(to, "id", member(call, "id")) &&
           conf_json_add_string(to, "type", "function") && conf_json_add(to, "function", inner) &&
           copy(inner, "name", member(function, "name")) &&
           add_arguments_text(inner, member(function, "arguments"));
}

static bool add_chat_message(json_object *list, json_object *message)
{
    json_object *calls = member(message, "tool_calls"), *to = json_object_new_object();
    bool ok = conf_json_append(list, to);
    json_object_object_foreach(message, name, value)
    {
        if (strcmp(name, "tool_calls") != 0) ok = ok && copy(to, name, value);
    }
    if (!ok || !json_object_is_type(calls, json_type_array)) return ok;
    json_object *made = json_object_new_array();
    ok = conf_json_add(to, "tool_calls", made);
    for (size_t i = 0; ok && i < json_object_array_length(calls); i++)
        ok = append_chat_call(made, json_object_array_get_idx(calls, i));
    return ok;
}

static bool add_responses_message(json_object *list, json_object *message)
{
    json_object *calls = member(message, "tool_calls"), *content = member(message, "content");
    bool ok = true;
    if (is_text(member(message, "role"), "tool")) {
        json_object *to = json_object_new_object();
        return conf_json_append(list, to) && conf_json_add_string(to, "type", "function_call_output") &&
               copy(to, "call_id", member(message, "tool_call_id")) && copy(to, "output", content);
    }
    if (!is_text(content, "") || !calls) {
        json_object *to = json_object_new_object();
        ok = conf_json_append(list, to) && copy(to, "role", member(message, "role")) &&
             copy(to, "content", content);
    }
    for (size_t i = 0; ok && calls && i < json_object_array_length(calls); i++) {
        json_object *call = json_object_array_get_idx(calls, i), *function = member(call, "function");
        json_object *to = json_object_new_object();
        ok = conf_json_append(list, to) && conf_json_add_string(to, "type", "function_call") &&
             copy(to, "call_id", member(call, "id")) && copy(to, "name", member(function, "name")) &&
             add_arguments_text(to, member(function, "arguments"));
    }
    return ok;
}

static bool append_tool_use(json_object *blocks, json_object *call)
{
    json_object *function = member(call, "function"), *arguments = member(function, "arguments");
    json_object *to = json_object_new_object();
    json_object *input = json_object_is_type(arguments, json_type_string)
                             ? json_tokener_parse(json_object_get_string(arguments))
                             : json_object_get(arguments);
    return conf_json_append(blocks, to) && conf_json_add_string(to, "type", "tool_use") &&
           copy(to, "id", member(call, "id")) && copy(to, "name", member(function, "name")) &&
           conf_json_add(to, "input", input);
}

static bool add_messages_message(json_object *list, json_object *message)
{
    json_object *calls = member(message, "tool_calls"), *content = member(message, "content");
    json_object *to = json_object_new_object(), *blocks, *block;
    bool ok = conf_json_append(list, to);
    if (is_text(member(message, "role"), "tool")) {
        blocks = json_object_new_array();
        block = json_object_new_object();
        return ok && conf_json_add_string(to, "role", "user") && conf_json_add(to, "content", blocks) &&
               conf_json_append(blocks, block) && conf_json_add_string(block, "type", "tool_result") &&
               copy(block, "tool_use_id", member(message, "tool_call_id")) && copy(block, "content", content);
    }
    ok = ok && copy(to, "role", member(message, "role"));
    if (!calls) return ok && copy(to, "content", content);
    blocks = json_object_new_array();
    ok = ok && conf_json_add(to, "content", blocks);
    if (ok && !is_text(content, "")) {
        block = json_object_new_object();
        ok = conf_json_append(blocks, block) && conf_json_add_string(block, "type", "text") &&
             copy(block, "text", content);
    }
    for (size_t i = 0; ok && i < json_object_array_length(calls); i++)
        ok = append_tool_use(blocks, json_object_array_get_idx(calls, i));
    return ok;
}

static bool add_tools(json_object *tools, probe_endpoint endpoint, json_object *body)
{
    json_object *list = json_object_new_array();
    bool ok = conf_json_add(body, "tools", list);
    for (size_t i = 0; ok && i < json_object_array_length(tools); i++) {
        json_object *tool = json_object_array_get_idx(tools, i), *function = member(tool, "function");
        const bool messages = endpoint == PROBE_MESSAGES;
        if (endpoint == PROBE_CHAT || !function) {
            ok = conf_json_append(list, json_object_get(tool));
            continue;
        }
        json_object *to = json_object_new_object();
        ok = conf_json_append(list, to) && (messages || conf_json_add_string(to, "type", "function")) &&
             copy(to, "name", member(function, "name")) &&
             copy_given(to, "description", member(function, "description")) &&
             copy_given(to, messages ? "input_schema" : "parameters", member(function, "parameters"));
    }
    return ok;
}

bool probe_convert(json_object *chat, probe_endpoint endpoint, json_object *body)
{
    json_object *messages = member(chat, "messages"), *tools = member(chat, "tools");
    json_object *list = json_object_new_array();
    bool ok = conf_json_add(body, endpoint == PROBE_RESPONSES ? "input" : "messages", list);
    for (size_t i = 0; ok && i < json_object_array_length(messages); i++) {
        json_object *message = json_object_array_get_idx(messages, i);
        if (endpoint == PROBE_MESSAGES && is_text(member(message, "role"), "system"))
            ok = copy(body, "system", member(message, "content"));
        else if (endpoint == PROBE_MESSAGES) ok = add_messages_message(list, message);
        else if (endpoint == PROBE_RESPONSES) ok = add_responses_message(list, message);
        else ok = add_chat_message(list, message);
    }
    return ok && (!json_object_is_type(tools, json_type_array) || add_tools(tools, endpoint, body));
}
