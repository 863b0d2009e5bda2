/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/chat.h"

#include "server/request/audio.h"
#include "server/request/conversation.h"
#include "server/request/images.h"

#include <string.h>

/* {"type": "image_url", "image_url": {"url": …}}, or the URL itself */
static assay_status read_image(server_reading *r, const server_path *path, json_object *part)
{
    static const char *const names[] = {"url", "detail", NULL};
    const server_path at = server_path_member(path, "image_url");
    json_object *url = json_object_object_get(part, "image_url"), *detail;
    server_path place = at;
    if (json_object_is_type(url, json_type_object)) {
        json_object *object = url;
        assay_status rc = server_only(r, &at, object, names);
        if (rc == ASSAY_OK) rc = server_optional(r, &at, object, "detail", json_type_string, &detail);
        if (rc != ASSAY_OK) return rc;
        place = server_path_member(&at, "detail");
        if (detail && !server_is(detail, "auto")) return server_unexpected(r, &place, detail, "\"auto\"");
        place = server_path_member(&at, "url");
        url = json_object_object_get(object, "url");
    }
    return server_images_add_url(r, &place, url);
}

static assay_status read_part(server_reading *r, const server_path *path, json_object *part, bool images,
                              server_content *c)
{
    static const char *const text_names[] = {"type", "text", NULL}, *const image_names[] = {
                                                                        "type", "image_url", NULL};
    json_object *type, *text;
    if (!json_object_is_type(part, json_type_object)) return server_unexpected(r, path, part, "an object");
    assay_status rc = server_required(r, path, part, "type", json_type_string, &type);
    if (rc != ASSAY_OK) return rc;
    if (server_is(type, "text")) {
        rc = server_only(r, path, part, text_names);
        if (rc == ASSAY_OK) rc = server_required(r, path, part, "text", json_type_string, &text);
        return rc == ASSAY_OK ? server_content_text(r, c, text) : rc;
    }
    if (images && server_is(type, "image_url")) {
        rc = server_only(r, path, part, image_names);
        if (rc == ASSAY_OK) rc = read_image(r, path, part);
        return rc == ASSAY_OK ? server_content_image(r, c) : rc;
    }
    if (images && server_is(type, "input_audio")) {
        rc = server_audio_add(r, path, part);
        return rc == ASSAY_OK ? server_content_audio(r, c) : rc;
    }
    const server_path at = server_path_member(path, "type");
    return server_unexpected(r, &at, type,
                             images ? "\"text\", \"image_url\" or \"input_audio\"" : "\"text\"");
}

/* A text, null, or a list of parts. */
static assay_status read_content(server_reading *r, const server_path *path, json_object *message,
                                 bool images, bool optional, json_object *to)
{
    const server_path at = server_path_member(path, "content");
    json_object *content = json_object_object_get(message, "content");
    server_content c = {0};
    assay_status rc = ASSAY_OK;
    if (json_object_is_type(content, json_type_string)) rc = server_content_text(r, &c, content);
    else if (json_object_is_type(content, json_type_array))
        for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(content); i++) {
            const server_path place = server_path_element(&at, i);
            rc = read_part(r, &place, json_object_array_get_idx(content, i), images, &c);
        }
    else if (content || !optional) rc = server_unexpected(r, &at, content, "a text, or a list of parts");
    if (rc == ASSAY_OK) rc = server_conversation_content(r, to, &c, content != NULL);
    server_content_drop(&c);
    return rc;
}

static assay_status read_call(server_reading *r, const server_path *path, json_object *call, json_object *to)
{
    static const char *const names[] = {"id", "type", "function", "index", NULL}, *const inner[] = {
                                                                                      "name", "arguments",
                                                                                      NULL};
    const server_path at = server_path_member(path, "function"), place = server_path_member(&at, "arguments"),
                      type_place = server_path_member(path, "type");
    json_object *id, *type, *function, *name, *text, *arguments = NULL;
    if (!json_object_is_type(call, json_type_object)) return server_unexpected(r, path, call, "an object");
    assay_status rc = server_only(r, path, call, names);
    if (rc == ASSAY_OK) rc = server_optional(r, path, call, "id", json_type_string, &id);
    if (rc == ASSAY_OK) rc = server_optional(r, path, call, "type", json_type_string, &type);
    if (rc == ASSAY_OK && type && !server_is(type, "function"))
        rc = server_unexpected(r, &type_place, type, "\"function\"");
    if (rc == ASSAY_OK) rc = server_required(r, path, call, "function", json_type_object, &function);
    if (rc == ASSAY_OK) rc = server_only(r, &at, function, inner);
    if (rc == ASSAY_OK) rc = server_required(r, &at, function, "name", json_type_string, &name);
    if (rc == ASSAY_OK) rc = server_required(r, &at, function, "arguments", json_type_string, &text);
    if (rc == ASSAY_OK) rc = server_conversation_arguments(r, &place, text, &arguments);
    if (rc == ASSAY_OK) rc = server_conversation_call(r, to, id, name, arguments);
    (void)json_object_put(arguments);
    return rc;
}

static assay_status read_calls(server_reading *r, const server_path *path, json_object *message,
                               json_object *to)
{
    static const char *const names[] = {"reasoning_content", "reasoning"};
    const server_path at = server_path_member(path, "tool_calls");
    json_object *calls, *text;
    assay_status rc = server_optional(r, path, message, "tool_calls", json_type_array, &calls);
    for (size_t i = 0; rc == ASSAY_OK && calls && i < json_object_array_length(calls); i++) {
        const server_path place = server_path_element(&at, i);
        rc = read_call(r, &place, json_object_array_get_idx(calls, i), to);
    }
    for (size_t i = 0; rc == ASSAY_OK && i < 2; i++) {
        rc = server_optional(r, path, message, names[i], json_type_string, &text);
        if (rc == ASSAY_OK && text) rc = server_conversation_append(r, to, "reasoning_content", text);
    }
    return rc;
}

typedef enum role { ROLE_SYSTEM, ROLE_DEVELOPER, ROLE_USER, ROLE_ASSISTANT, ROLE_TOOL, N_ROLES } role;

static const char *const role_names[N_ROLES] = {"system", "developer", "user", "assistant", "tool"};

static assay_status find_role(server_reading *r, const server_path *path, json_object *message, role *out)
{
    json_object *name;
    assay_status rc = server_required(r, path, message, "role", json_type_string, &name);
    for (role k = ROLE_SYSTEM; rc == ASSAY_OK && k < N_ROLES; k++) {
        if (!server_is(name, role_names[k])) continue;
        *out = k;
        return ASSAY_OK;
    }
    const server_path at = server_path_member(path, "role");
    return rc == ASSAY_OK ? server_unexpected(r, &at, name, "system, developer, user, assistant or tool")
                          : rc;
}

static assay_status read_message(server_reading *r, const server_path *path, json_object *message)
{
    static const char *const plain[] = {"role", "content", "name", NULL},
                             *const assistant[] = {"role",       "content",     "name",
                                                   "tool_calls", "refusal",     "reasoning_content",
                                                   "reasoning",  "annotations", NULL},
                             *const tool[] = {"role", "content", "name", "tool_call_id", NULL};
    role k = ROLE_USER;
    json_object *name, *id = NULL, *to = NULL;
    if (!json_object_is_type(message, json_type_object))
        return server_unexpected(r, path, message, "an object");
    assay_status rc = find_role(r, path, message, &k);
    if (rc == ASSAY_OK)
        rc = server_only(r, path, message, k == ROLE_ASSISTANT ? assistant : k == ROLE_TOOL ? tool : plain);
    if (rc == ASSAY_OK) rc = server_optional(r, path, message, "name", json_type_string, &name);
    if (rc == ASSAY_OK) rc = server_optional(r, path, message, "tool_call_id", json_type_string, &id);
    if (rc == ASSAY_OK) /* templates have no developer: it replaces system */
        to = server_conversation_add(r, path, k == ROLE_DEVELOPER ? "system" : role_names[k], &rc);
    if (rc == ASSAY_OK)
        rc = read_content(r, path, message, k == ROLE_USER || k == ROLE_TOOL, k == ROLE_ASSISTANT, to);
    if (rc == ASSAY_OK && k == ROLE_ASSISTANT) rc = read_calls(r, path, message, to);
    if (rc == ASSAY_OK && ((name && !server_add(to, "name", json_object_get(name))) ||
                           (id && !server_add(to, "tool_call_id", json_object_get(id)))))
        rc = server_out_of_memory(r);
    return rc;
}

assay_status server_chat_messages(server_reading *r, json_object *value)
{
    const server_path path = server_path_top("messages");
    assay_status rc = ASSAY_OK;
    if (!json_object_is_type(value, json_type_array) || json_object_array_length(value) == 0)
        return server_unexpected(r, &path, value, "a list of messages");
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(value); i++) {
        const server_path place = server_path_element(&path, i);
        rc = read_message(r, &place, json_object_array_get_idx(value, i));
    }
    return rc;
}

static assay_status read_tool(server_reading *r, const server_path *path, json_object *tool)
{
    static const char *const names[] = {"type", "function", NULL}, *const inner[] = {"name", "description",
                                                                                     "parameters", "strict",
                                                                                     NULL};
    const server_path at = server_path_member(path, "function"),
                      type_place = server_path_member(path, "type"),
                      strict_place = server_path_member(&at, "strict");
    json_object *type, *function, *name = NULL, *description = NULL, *schema = NULL, *strict;
    assay_status rc = server_only(r, path, tool, names);
    if (rc == ASSAY_OK) rc = server_required(r, path, tool, "type", json_type_string, &type);
    if (rc == ASSAY_OK && !server_is(type, "function"))
        rc = server_unexpected(r, &type_place, type, "\"function\"");
    if (rc == ASSAY_OK) rc = server_required(r, path, tool, "function", json_type_object, &function);
    if (rc == ASSAY_OK) rc = server_only(r, &at, function, inner);
    if (rc == ASSAY_OK) rc = server_required(r, &at, function, "name", json_type_string, &name);
    if (rc == ASSAY_OK) rc = server_optional(r, &at, function, "description", json_type_string, &description);
    if (rc == ASSAY_OK) rc = server_optional(r, &at, function, "parameters", json_type_object, &schema);
    if (rc == ASSAY_OK) rc = server_optional(r, &at, function, "strict", json_type_boolean, &strict);
    if (rc == ASSAY_OK && strict && json_object_get_boolean(strict))
        rc = server_unexpected(r, &strict_place, strict, "false: the arguments are not constrained");
    return rc == ASSAY_OK ? server_conversation_tool(r, name, description, schema) : rc;
}

assay_status server_chat_tools(server_reading *r, json_object *value)
{
    return server_conversation_tools(r, value, read_tool);
}
