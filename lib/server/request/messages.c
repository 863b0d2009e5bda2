/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/messages.h"

#include "server/request/conversation.h"
#include "server/request/images.h"
#include "server/request/media.h"

/* {"type": "image", "source": {"type": "base64", "media_type", "data"}} or {"type": "url", "url"} */
static assay_status read_image(server_reading *r, const server_path *path, json_object *block)
{
    static const char *const names[] = {"type", "media_type", "data", NULL}, *const url_names[] = {
                                                                                 "type", "url", NULL};
    const server_path at = server_path_member(path, "source"), data_place = server_path_member(&at, "data"),
                      url_place = server_path_member(&at, "url"),
                      type_place = server_path_member(&at, "type");
    json_object *source, *type, *data;
    assay_status rc = server_required(r, path, block, "source", json_type_object, &source);
    if (rc == ASSAY_OK) rc = server_required(r, &at, source, "type", json_type_string, &type);
    if (rc != ASSAY_OK) return rc;
    if (server_is(type, "url")) {
        rc = server_only(r, &at, source, url_names);
        return rc == ASSAY_OK ? server_images_add_url(r, &url_place, json_object_object_get(source, "url"))
                              : rc;
    }
    if (!server_is(type, "base64")) return server_unexpected(r, &type_place, type, "\"base64\" or \"url\"");
    rc = server_only(r, &at, source, names);
    if (rc == ASSAY_OK) rc = server_required(r, &at, source, "data", json_type_string, &data);
    if (rc != ASSAY_OK) return rc;
    return server_medium_add_base64(r, &data_place, SERVER_IMAGES, json_object_get_string(data),
                                    (size_t)json_object_get_string_len(data));
}

/* A block of text or of an image; *taken is false for others. */
static assay_status read_part(server_reading *r, const server_path *path, json_object *block,
                              json_object *type, server_content *c, bool *taken)
{
    static const char *const text_names[] = {"type", "text", "cache_control", "citations", NULL},
                             *const image_names[] = {"type", "source", "cache_control", NULL};
    json_object *text, *citations;
    assay_status rc;
    *taken = true;
    if (server_is(type, "text")) {
        rc = server_only(r, path, block, text_names);
        if (rc == ASSAY_OK) rc = server_optional(r, path, block, "citations", json_type_array, &citations);
        if (rc == ASSAY_OK) rc = server_required(r, path, block, "text", json_type_string, &text);
        return rc == ASSAY_OK ? server_content_text(r, c, text) : rc;
    }
    if (server_is(type, "image")) {
        rc = server_only(r, path, block, image_names);
        if (rc == ASSAY_OK) rc = read_image(r, path, block);
        return rc == ASSAY_OK ? server_content_image(r, c) : rc;
    }
    *taken = false;
    return ASSAY_OK;
}

static assay_status block_type(server_reading *r, const server_path *path, json_object *block,
                               json_object **type)
{
    if (!json_object_is_type(block, json_type_object)) return server_unexpected(r, path, block, "an object");
    return server_required(r, path, block, "type", json_type_string, type);
}

/* A text, or blocks of text and, with `images`, of images. */
static assay_status read_parts(server_reading *r, const server_path *path, json_object *content, bool images,
                               server_content *c)
{
    if (json_object_is_type(content, json_type_string)) return server_content_text(r, c, content);
    if (!json_object_is_type(content, json_type_array))
        return server_unexpected(r, path, content, "a text, or a list of blocks");
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(content); i++) {
        const server_path place = server_path_element(path, i), at = server_path_member(&place, "type");
        json_object *block = json_object_array_get_idx(content, i), *type = NULL;
        bool taken = false;
        rc = block_type(r, &place, block, &type);
        if (rc == ASSAY_OK && (images || server_is(type, "text")))
            rc = read_part(r, &place, block, type, c, &taken);
        if (rc == ASSAY_OK && !taken)
            rc = server_unexpected(r, &at, type, images ? "\"text\" or \"image\"" : "\"text\"");
    }
    return rc;
}

/* A result of a tool is a message of its own. */
static assay_status read_result(server_reading *r, const server_path *path, json_object *block)
{
    static const char *const names[] = {"type", "tool_use_id", "content", "is_error", "cache_control", NULL};
    const server_path at = server_path_member(path, "content");
    json_object *id, *is_error = NULL, *content, *to = NULL;
    server_content c = {0};
    assay_status rc = server_only(r, path, block, names);
    if (rc == ASSAY_OK) rc = server_required(r, path, block, "tool_use_id", json_type_string, &id);
    if (rc == ASSAY_OK) rc = server_optional(r, path, block, "is_error", json_type_boolean, &is_error);
    if (rc == ASSAY_OK) to = server_conversation_add(r, path, "tool", &rc);
    content = json_object_object_get(block, "content");
    if (rc == ASSAY_OK && content) rc = read_parts(r, &at, content, true, &c);
    if (rc == ASSAY_OK) rc = server_conversation_content(r, to, &c, true);
    if (rc == ASSAY_OK && (!server_add(to, "tool_call_id", json_object_get(id)) ||
                           (is_error && !server_add(to, "is_error", json_object_get(is_error)))))
        rc = server_out_of_memory(r);
    server_content_drop(&c);
    return rc;
}

/* Blocks of the user: results of tools come before the rest, as published. */
static assay_status read_user(server_reading *r, const server_path *message, const server_path *path,
                              json_object *content)
{
    server_content c = {0};
    bool has_results = false;
    assay_status rc = ASSAY_OK;
    if (!json_object_is_type(content, json_type_array)) rc = read_parts(r, path, content, true, &c);
    for (size_t i = 0; rc == ASSAY_OK && json_object_is_type(content, json_type_array) &&
                       i < json_object_array_length(content);
         i++) {
        const server_path place = server_path_element(path, i), at = server_path_member(&place, "type");
        json_object *block = json_object_array_get_idx(content, i), *type = NULL;
        bool taken = false;
        rc = block_type(r, &place, block, &type);
        if (rc == ASSAY_OK && server_is(type, "tool_result")) {
            has_results = true;
            rc = c.parts ? server_unexpected(r, &at, type, "results of tools before other blocks")
                         : read_result(r, &place, block);
            continue;
        }
        if (rc == ASSAY_OK) rc = read_part(r, &place, block, type, &c, &taken);
        if (rc == ASSAY_OK && !taken)
            rc = server_unexpected(r, &at, type, "\"text\", \"image\" or \"tool_result\"");
    }
    if (rc == ASSAY_OK && (c.parts || !has_results)) {
        json_object *to = server_conversation_add(r, message, "user", &rc);
        if (to) rc = server_conversation_content(r, to, &c, true);
    }
    server_content_drop(&c);
    return rc;
}

static assay_status read_call(server_reading *r, const server_path *path, json_object *block, json_object *to)
{
    static const char *const names[] = {"type", "id", "name", "input", "cache_control", NULL};
    json_object *id = NULL, *name = NULL, *input = NULL;
    assay_status rc = server_only(r, path, block, names);
    if (rc == ASSAY_OK) rc = server_required(r, path, block, "id", json_type_string, &id);
    if (rc == ASSAY_OK) rc = server_required(r, path, block, "name", json_type_string, &name);
    if (rc == ASSAY_OK) rc = server_required(r, path, block, "input", json_type_object, &input);
    return rc == ASSAY_OK ? server_conversation_call(r, to, id, name, input) : rc;
}

static assay_status read_thinking(server_reading *r, const server_path *path, json_object *block,
                                  json_object *to)
{
    static const char *const names[] = {"type", "thinking", "signature", NULL};
    json_object *text;
    assay_status rc = server_only(r, path, block, names);
    if (rc == ASSAY_OK) rc = server_required(r, path, block, "thinking", json_type_string, &text);
    return rc == ASSAY_OK ? server_conversation_append(r, to, "reasoning_content", text) : rc;
}

static assay_status read_assistant(server_reading *r, const server_path *message, const server_path *path,
                                   json_object *content)
{
    server_content c = {0};
    assay_status rc;
    json_object *to = server_conversation_add(r, message, "assistant", &rc);
    if (to && !json_object_is_type(content, json_type_array)) rc = read_parts(r, path, content, false, &c);
    for (size_t i = 0; rc == ASSAY_OK && json_object_is_type(content, json_type_array) &&
                       i < json_object_array_length(content);
         i++) {
        const server_path place = server_path_element(path, i), at = server_path_member(&place, "type");
        json_object *block = json_object_array_get_idx(content, i), *type = NULL;
        bool taken = true;
        rc = block_type(r, &place, block, &type);
        if (rc != ASSAY_OK) break;
        if (server_is(type, "tool_use")) rc = read_call(r, &place, block, to);
        else if (server_is(type, "thinking")) rc = read_thinking(r, &place, block, to);
        else if (server_is(type, "text")) rc = read_part(r, &place, block, type, &c, &taken);
        else rc = server_unexpected(r, &at, type, "\"text\", \"thinking\" or \"tool_use\"");
    }
    if (rc == ASSAY_OK) rc = server_conversation_content(r, to, &c, false);
    server_content_drop(&c);
    return rc;
}

static assay_status read_message(server_reading *r, const server_path *path, json_object *message)
{
    static const char *const names[] = {"role", "content", NULL};
    const server_path at = server_path_member(path, "content"), place = server_path_member(path, "role");
    json_object *role;
    if (!json_object_is_type(message, json_type_object))
        return server_unexpected(r, path, message, "an object");
    assay_status rc = server_only(r, path, message, names);
    if (rc == ASSAY_OK) rc = server_required(r, path, message, "role", json_type_string, &role);
    if (rc != ASSAY_OK) return rc;
    json_object *content = json_object_object_get(message, "content");
    if (server_is(role, "user")) return read_user(r, path, &at, content);
    if (server_is(role, "assistant")) return read_assistant(r, path, &at, content);
    return server_unexpected(r, &place, role, "\"user\" or \"assistant\"");
}

/* The system prompt comes first; it is read here, because members come in any order. */
assay_status server_messages_messages(server_reading *r, json_object *value)
{
    const server_path path = server_path_top("messages"), at = server_path_top("system");
    json_object *system = json_object_object_get(r->body, "system");
    server_content c = {0};
    assay_status rc = ASSAY_OK;
    if (!json_object_is_type(value, json_type_array) || json_object_array_length(value) == 0)
        return server_unexpected(r, &path, value, "a list of messages");
    if (system) rc = read_parts(r, &at, system, false, &c);
    if (rc == ASSAY_OK && c.parts) {
        json_object *to = server_conversation_add(r, &at, "system", &rc);
        if (to) rc = server_conversation_content(r, to, &c, true);
    }
    server_content_drop(&c);
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(value); i++) {
        const server_path place = server_path_element(&path, i);
        rc = read_message(r, &place, json_object_array_get_idx(value, i));
    }
    return rc;
}

static assay_status read_tool(server_reading *r, const server_path *path, json_object *tool)
{
    static const char *const names[] = {"type", "name", "description", "input_schema", "cache_control", NULL};
    const server_path at = server_path_member(path, "type");
    json_object *type, *name = NULL, *description = NULL, *schema = NULL;
    assay_status rc = server_optional(r, path, tool, "type", json_type_string, &type);
    if (rc == ASSAY_OK && type && !server_is(type, "custom"))
        rc = server_unexpected(r, &at, type, "\"custom\"");
    if (rc == ASSAY_OK) rc = server_only(r, path, tool, names);
    if (rc == ASSAY_OK) rc = server_required(r, path, tool, "name", json_type_string, &name);
    if (rc == ASSAY_OK) rc = server_optional(r, path, tool, "description", json_type_string, &description);
    if (rc == ASSAY_OK) rc = server_required(r, path, tool, "input_schema", json_type_object, &schema);
    return rc == ASSAY_OK ? server_conversation_tool(r, name, description, schema) : rc;
}

assay_status server_messages_tools(server_reading *r, json_object *value)
{
    return server_conversation_tools(r, value, read_tool);
}
