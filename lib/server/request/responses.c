/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/responses.h"

#include "server/request/conversation.h"
#include "server/request/images.h"

/* The items of one turn of the assistant (reasoning, message, calls) are one message of the template. */
typedef struct turn {
    json_object *message; /* the assistant's, while it goes on; NULL: none. Borrowed */
} turn;

static assay_status read_image(server_reading *r, const server_path *path, json_object *part)
{
    static const char *const names[] = {"type", "image_url", "detail", NULL};
    const server_path at = server_path_member(path, "image_url"), place = server_path_member(path, "detail");
    json_object *detail;
    assay_status rc = server_only(r, path, part, names);
    if (rc == ASSAY_OK) rc = server_optional(r, path, part, "detail", json_type_string, &detail);
    if (rc == ASSAY_OK && detail && !server_is(detail, "auto"))
        return server_unexpected(r, &place, detail, "\"auto\"");
    return rc == ASSAY_OK ? server_images_add_url(r, &at, json_object_object_get(part, "image_url")) : rc;
}

static assay_status read_part(server_reading *r, const server_path *path, json_object *part, bool images,
                              server_content *c)
{
    static const char *const names[] = {"type", "text", "annotations", "logprobs", NULL};
    const server_path at = server_path_member(path, "type");
    json_object *type, *text;
    if (!json_object_is_type(part, json_type_object)) return server_unexpected(r, path, part, "an object");
    assay_status rc = server_required(r, path, part, "type", json_type_string, &type);
    if (rc != ASSAY_OK) return rc;
    if (server_is(type, "input_text") || server_is(type, "output_text")) {
        rc = server_only(r, path, part, names);
        if (rc == ASSAY_OK) rc = server_required(r, path, part, "text", json_type_string, &text);
        return rc == ASSAY_OK ? server_content_text(r, c, text) : rc;
    }
    if (images && server_is(type, "input_image")) {
        rc = read_image(r, path, part);
        return rc == ASSAY_OK ? server_content_image(r, c) : rc;
    }
    return server_unexpected(
        r, &at, type, images ? "\"input_text\" or \"input_image\"" : "\"input_text\" or \"output_text\"");
}

/* A text, or a list of parts. */
static assay_status read_content(server_reading *r, const server_path *path, json_object *content,
                                 bool images, server_content *c)
{
    if (json_object_is_type(content, json_type_string)) return server_content_text(r, c, content);
    if (!json_object_is_type(content, json_type_array))
        return server_unexpected(r, path, content, "a text, or a list of parts");
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(content); i++) {
        const server_path place = server_path_element(path, i);
        rc = read_part(r, &place, json_object_array_get_idx(content, i), images, c);
    }
    return rc;
}

static assay_status continue_turn(server_reading *r, const server_path *path, turn *t)
{
    assay_status rc = ASSAY_OK;
    if (t->message) return rc;
    t->message = server_conversation_add(r, path, "assistant", &rc);
    if (t->message && json_object_object_add(t->message, "content", NULL) != 0) rc = server_out_of_memory(r);
    return rc;
}

static assay_status read_message(server_reading *r, const server_path *path, json_object *item, turn *t)
{
    static const char *const names[] = {"type", "role", "content", "id", "status", NULL};
    const server_path at = server_path_member(path, "content"), place = server_path_member(path, "role");
    json_object *role, *to;
    server_content c = {0};
    assay_status rc = server_only(r, path, item, names);
    if (rc == ASSAY_OK) rc = server_required(r, path, item, "role", json_type_string, &role);
    if (rc != ASSAY_OK) return rc;
    const bool user = server_is(role, "user"), assistant = server_is(role, "assistant");
    if (!user && !assistant && !server_is(role, "system") && !server_is(role, "developer"))
        return server_unexpected(r, &place, role, "user, assistant, system or developer");
    if (assistant) {
        if (t->message && json_object_object_get(t->message, "content"))
            t->message = NULL; /* a second text */
        rc = continue_turn(r, path, t);
        to = t->message;
    } else {
        t->message = NULL;
        to = server_conversation_add(r, path, user ? "user" : "system", &rc);
    }
    if (rc == ASSAY_OK) rc = read_content(r, &at, json_object_object_get(item, "content"), user, &c);
    if (rc == ASSAY_OK) rc = server_conversation_content(r, to, &c, true);
    server_content_drop(&c);
    return rc;
}

static assay_status read_call(server_reading *r, const server_path *path, json_object *item, turn *t)
{
    static const char *const names[] = {"type", "call_id", "name", "arguments", "id", "status", NULL};
    const server_path at = server_path_member(path, "arguments");
    json_object *id, *name, *text, *arguments = NULL;
    assay_status rc = server_only(r, path, item, names);
    if (rc == ASSAY_OK) rc = server_required(r, path, item, "call_id", json_type_string, &id);
    if (rc == ASSAY_OK) rc = server_required(r, path, item, "name", json_type_string, &name);
    if (rc == ASSAY_OK) rc = server_required(r, path, item, "arguments", json_type_string, &text);
    if (rc == ASSAY_OK) rc = server_conversation_arguments(r, &at, text, &arguments);
    if (rc == ASSAY_OK) rc = continue_turn(r, path, t);
    if (rc == ASSAY_OK) rc = server_conversation_call(r, t->message, id, name, arguments);
    (void)json_object_put(arguments);
    return rc;
}

static assay_status read_output(server_reading *r, const server_path *path, json_object *item, turn *t)
{
    static const char *const names[] = {"type", "call_id", "output", "id", "status", NULL};
    const server_path at = server_path_member(path, "output");
    json_object *id, *to = NULL;
    server_content c = {0};
    t->message = NULL;
    assay_status rc = server_only(r, path, item, names);
    if (rc == ASSAY_OK) rc = server_required(r, path, item, "call_id", json_type_string, &id);
    if (rc == ASSAY_OK) to = server_conversation_add(r, path, "tool", &rc);
    if (rc == ASSAY_OK) rc = read_content(r, &at, json_object_object_get(item, "output"), true, &c);
    if (rc == ASSAY_OK) rc = server_conversation_content(r, to, &c, true);
    if (rc == ASSAY_OK && !server_add(to, "tool_call_id", json_object_get(id))) rc = server_out_of_memory(r);
    server_content_drop(&c);
    return rc;
}

/* The texts of a list of parts of reasoning. */
static assay_status read_thoughts(server_reading *r, const server_path *path, json_object *item,
                                  const char *member, json_object *to)
{
    const server_path at = server_path_member(path, member);
    json_object *parts, *text;
    assay_status rc = server_optional(r, path, item, member, json_type_array, &parts);
    for (size_t i = 0; rc == ASSAY_OK && parts && i < json_object_array_length(parts); i++) {
        const server_path place = server_path_element(&at, i);
        json_object *part = json_object_array_get_idx(parts, i);
        if (!json_object_is_type(part, json_type_object))
            return server_unexpected(r, &place, part, "an object");
        rc = server_required(r, &place, part, "text", json_type_string, &text);
        if (rc == ASSAY_OK) rc = server_conversation_append(r, to, "reasoning_content", text);
    }
    return rc;
}

static assay_status read_reasoning(server_reading *r, const server_path *path, json_object *item, turn *t)
{
    static const char *const names[] = {"type", "content", "summary", "id", "status", NULL};
    json_object *content;
    assay_status rc = server_only(r, path, item, names);
    t->message = NULL;
    if (rc == ASSAY_OK) rc = continue_turn(r, path, t);
    if (rc == ASSAY_OK) rc = server_optional(r, path, item, "content", json_type_array, &content);
    if (rc != ASSAY_OK) return rc;
    return read_thoughts(r, path, item, content && json_object_array_length(content) ? "content" : "summary",
                         t->message);
}

static assay_status read_item(server_reading *r, const server_path *path, json_object *item, turn *t)
{
    static const struct {
        const char *type;
        assay_status (*read)(server_reading *r, const server_path *path, json_object *item, turn *t);
    } types[] = {{"message", read_message},
                 {"function_call", read_call},
                 {"function_call_output", read_output},
                 {"reasoning", read_reasoning}};
    const server_path at = server_path_member(path, "type");
    json_object *type;
    if (!json_object_is_type(item, json_type_object)) return server_unexpected(r, path, item, "an object");
    assay_status rc = server_optional(r, path, item, "type", json_type_string, &type);
    if (rc != ASSAY_OK || !type) return rc == ASSAY_OK ? read_message(r, path, item, t) : rc;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (server_is(type, types[i].type)) return types[i].read(r, path, item, t);
    return server_unexpected(r, &at, type, "message, function_call, function_call_output or reasoning");
}

static assay_status add_message(server_reading *r, const server_path *path, const char *role,
                                json_object *text)
{
    assay_status rc;
    json_object *to = server_conversation_add(r, path, role, &rc);
    if (to && !server_add(to, "content", json_object_get(text))) rc = server_out_of_memory(r);
    return rc;
}

assay_status server_responses_input(server_reading *r, json_object *value)
{
    const server_path path = server_path_top("input"), top = {""}, at = server_path_top("instructions");
    json_object *instructions;
    turn t = {0};
    assay_status rc = server_optional(r, &top, r->body, "instructions", json_type_string, &instructions);
    if (rc == ASSAY_OK && instructions) rc = add_message(r, &at, "system", instructions);
    if (rc != ASSAY_OK) return rc;
    if (json_object_is_type(value, json_type_string)) return add_message(r, &path, "user", value);
    if (!json_object_is_type(value, json_type_array) || json_object_array_length(value) == 0)
        return server_unexpected(r, &path, value, "a text, or a list of items");
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(value); i++) {
        const server_path place = server_path_element(&path, i);
        rc = read_item(r, &place, json_object_array_get_idx(value, i), &t);
    }
    return rc;
}

static assay_status read_tool(server_reading *r, const server_path *path, json_object *tool)
{
    static const char *const names[] = {"type", "name", "description", "parameters", "strict", NULL};
    const server_path at = server_path_member(path, "type"), place = server_path_member(path, "strict");
    json_object *type, *name = NULL, *description = NULL, *schema = NULL, *strict;
    assay_status rc = server_required(r, path, tool, "type", json_type_string, &type);
    if (rc == ASSAY_OK && !server_is(type, "function")) rc = server_unexpected(r, &at, type, "\"function\"");
    if (rc == ASSAY_OK) rc = server_only(r, path, tool, names);
    if (rc == ASSAY_OK) rc = server_required(r, path, tool, "name", json_type_string, &name);
    if (rc == ASSAY_OK) rc = server_optional(r, path, tool, "description", json_type_string, &description);
    if (rc == ASSAY_OK) rc = server_optional(r, path, tool, "parameters", json_type_object, &schema);
    if (rc == ASSAY_OK) rc = server_optional(r, path, tool, "strict", json_type_boolean, &strict);
    if (rc == ASSAY_OK && strict && json_object_get_boolean(strict))
        rc = server_unexpected(r, &place, strict, "false: the arguments are not constrained");
    return rc == ASSAY_OK ? server_conversation_tool(r, name, description, schema) : rc;
}

assay_status server_responses_tools(server_reading *r, json_object *value)
{
    return server_conversation_tools(r, value, read_tool);
}
