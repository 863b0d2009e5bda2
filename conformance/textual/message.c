/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/json.h"
#include "conformance/support/fields.h"
#include "conformance/support/json_add.h"
#include "dialogue/grammar/sse.h"

/* A message while it is folded. */
typedef struct message {
    serve_endpoint endpoint;
    json_object *out;  /* the folded message */
    json_object *list; /* array in `out`: calls, blocks or items; borrowed */
    buffer content;    /* chat: joined; messages: text or input of the open block, joined */
    buffer reasoning;  /* chat: joined */
    buffer *arguments; /* chat: [n_calls], joined */
    size_t n_calls;
    json_object *block; /* messages: the open block */
    bool ok;            /* no allocation has failed */
} message;

const char *const *conf_message_members(serve_endpoint endpoint)
{
    static const char *const chat[] = {"content", "reasoning_content", "tool_calls", "finish_reason", NULL};
    static const char *const messages[] = {"content", "stop_reason", NULL};
    static const char *const responses[] = {"output", "status", NULL};
    static const char *const *const members[SERVE_N_ENDPOINTS] = {
        [SERVE_CHAT] = chat, [SERVE_MESSAGES] = messages, [SERVE_RESPONSES] = responses};
    return members[endpoint];
}

static json_object *find_member(json_object *object, const char *name)
{
    json_object *value = NULL;
    return json_object_is_type(object, json_type_object) && json_object_object_get_ex(object, name, &value)
               ? value
               : NULL;
}

static size_t list_length(json_object *list)
{
    return json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
}

static assay_text text_of(json_object *value)
{
    if (!json_object_is_type(value, json_type_string)) return (assay_text){"", 0};
    return (assay_text){json_object_get_string(value), (size_t)json_object_get_string_len(value)};
}

static bool is_text(json_object *value, const char *expected)
{
    const assay_text text = text_of(value);
    return text.n == strlen(expected) && memcmp(text.at, expected, text.n) == 0;
}

static void add_member(message *m, json_object *to, const char *name, json_object *value)
{
    m->ok = conf_json_add(to, name, value) && m->ok;
}

static void add_null(message *m, json_object *to, const char *name)
{
    m->ok = to && json_object_object_add(to, name, NULL) == 0 && m->ok;
}

/* Adds a text without the white space at its ends; null if it is then empty. */
static void add_field(message *m, json_object *to, const char *name, assay_text text)
{
    text = conf_field_strip(text);
    if (text.n) add_member(m, to, name, json_object_new_string_len(text.at, (int)text.n));
    else add_null(m, to, name);
}

/* Adds the JSON value of arguments, or their text if it is not JSON. */
static void add_value(message *m, json_object *to, const char *name, assay_text text)
{
    json_object *value;
    if (!conf_field_parse(text, &value))
        add_member(m, to, name, json_object_new_string_len(text.at, (int)text.n));
    else if (value) add_member(m, to, name, value);
    else add_null(m, to, name);
}

static json_object *append_object(message *m)
{
    json_object *one = json_object_new_object();
    m->ok = conf_json_append(m->list, one) && m->ok;
    return m->ok ? one : NULL;
}

static void add_copy(message *m, json_object *to, const char *name, json_object *value)
{
    if (value) add_member(m, to, name, json_object_get(value));
    else add_null(m, to, name);
}

/* Chat completions: appends a call with the function's name and no arguments yet. */
static void begin_call(message *m, json_object *function)
{
    buffer *grown = grow_by_one(m->arguments, m->n_calls, sizeof *grown);
    m->ok = grown && m->ok;
    if (!grown) return;
    m->arguments = grown;
    grown[m->n_calls++] = (buffer){0};
    add_copy(m, append_object(m), "name", find_member(function, "name"));
}

/* Chat completions: adds a message or a delta. Deltas identify a call by its index; a message has whole
 * calls, without index. */
static void fold_chat(message *m, json_object *said, json_object *finish)
{
    m->ok = buffer_append_text(&m->content, text_of(find_member(said, "content"))) && m->ok;
    m->ok = buffer_append_text(&m->reasoning, text_of(find_member(said, "reasoning_content"))) && m->ok;
    json_object *calls = find_member(said, "tool_calls");
    for (size_t i = 0; m->ok && i < list_length(calls); i++) {
        json_object *call = json_object_array_get_idx(calls, i), *function = find_member(call, "function");
        json_object *index = find_member(call, "index");
        size_t own = index ? json_object_get_uint64(index) : m->n_calls;
        if (own >= m->n_calls) {
            own = m->n_calls;
            begin_call(m, function);
        }
        m->ok = m->ok && buffer_append_text(&m->arguments[own], text_of(find_member(function, "arguments")));
    }
    if (finish) add_copy(m, m->out, "finish_reason", finish);
}

static void end_chat(message *m)
{
    add_field(m, m->out, "content", buffer_text(&m->content));
    add_field(m, m->out, "reasoning_content", buffer_text(&m->reasoning));
    for (size_t i = 0; i < m->n_calls; i++)
        add_value(m, json_object_array_get_idx(m->list, i), "arguments", buffer_text(&m->arguments[i]));
}

/* The name of the block's member that holds its text. */
static const char *text_name(json_object *block)
{
    return is_text(find_member(block, "type"), "thinking") ? "thinking" : "text";
}

/* Messages: appends a block with its text, or a tool_use block with its input: `input` if not NULL,
 * otherwise the JSON in `text`. */
static void fold_block(message *m, json_object *block, assay_text text, json_object *input)
{
    const bool tool = is_text(find_member(block, "type"), "tool_use");
    if (!tool && conf_field_strip(text).n == 0) return;
    json_object *own = append_object(m);
    add_copy(m, own, "type", find_member(block, "type"));
    if (!tool) {
        add_field(m, own, text_name(block), text);
        return;
    }
    add_copy(m, own, "name", find_member(block, "name"));
    if (input) add_copy(m, own, "input", input);
    else add_value(m, own, "input", text.n ? text : (assay_text){"{}", 2});
}

static void fold_messages(message *m, json_object *event)
{
    static const char *const deltas[] = {"text", "thinking", "partial_json"};
    json_object *type = find_member(event, "type"), *delta = find_member(event, "delta");
    if (is_text(type, "content_block_start")) {
        json_object_put(m->block);
        m->block = json_object_get(find_member(event, "content_block"));
        m->content.n = 0;
    }
    for (size_t i = 0; is_text(type, "content_block_delta") && i < 3; i++)
        m->ok = buffer_append_text(&m->content, text_of(find_member(delta, deltas[i]))) && m->ok;
    if (is_text(type, "content_block_stop")) fold_block(m, m->block, buffer_text(&m->content), NULL);
    if (is_text(type, "message_delta")) add_copy(m, m->out, "stop_reason", find_member(delta, "stop_reason"));
}

static void fold_item(message *m, json_object *item)
{
    json_object *parts = find_member(item, "content"), *own;
    buffer joined = {0};
    if (is_text(find_member(item, "type"), "function_call")) {
        own = append_object(m);
        add_copy(m, own, "type", find_member(item, "type"));
        add_copy(m, own, "name", find_member(item, "name"));
        add_value(m, own, "arguments", text_of(find_member(item, "arguments")));
        return;
    }
    for (size_t i = 0; i < list_length(parts); i++)
        m->ok =
            buffer_append_text(&joined, text_of(find_member(json_object_array_get_idx(parts, i), "text"))) &&
            m->ok;
    const assay_text text = buffer_text(&joined);
    if (conf_field_strip(text).n) {
        own = append_object(m);
        add_copy(m, own, "type", find_member(item, "type"));
        add_field(m, own, "text", text);
    }
    free(joined.data);
}

static void fold_response(message *m, json_object *response)
{
    json_object *output = find_member(response, "output");
    for (size_t i = 0; i < list_length(output); i++) fold_item(m, json_object_array_get_idx(output, i));
    add_copy(m, m->out, "status", find_member(response, "status"));
}

static void fold_whole(message *m, json_object *body)
{
    json_object *choice = json_object_is_type(find_member(body, "choices"), json_type_array)
                              ? json_object_array_get_idx(find_member(body, "choices"), 0)
                              : NULL;
    json_object *content = find_member(body, "content");
    if (m->endpoint == SERVE_CHAT)
        fold_chat(m, find_member(choice, "message"), find_member(choice, "finish_reason"));
    if (m->endpoint == SERVE_RESPONSES) fold_response(m, body);
    if (m->endpoint != SERVE_MESSAGES) return;
    for (size_t i = 0; i < list_length(content); i++) {
        json_object *block = json_object_array_get_idx(content, i);
        fold_block(m, block, text_of(find_member(block, text_name(block))), find_member(block, "input"));
    }
    add_copy(m, m->out, "stop_reason", find_member(body, "stop_reason"));
}

static assay_status fold_event(void *context, const serve_sse_event *event)
{
    message *m = context;
    json_object *value = NULL;
    if (json_parse("data", event->data.at, event->data.n, &value, NULL) != ASSAY_OK)
        return ASSAY_OK; /* "[DONE]" is not JSON */
    if (m->endpoint == SERVE_CHAT && list_length(find_member(value, "choices"))) {
        json_object *choice = json_object_array_get_idx(find_member(value, "choices"), 0);
        fold_chat(m, find_member(choice, "delta"), find_member(choice, "finish_reason"));
    }
    if (m->endpoint == SERVE_MESSAGES) fold_messages(m, value);
    if (m->endpoint == SERVE_RESPONSES && (is_text(find_member(value, "type"), "response.completed") ||
                                           is_text(find_member(value, "type"), "response.incomplete") ||
                                           is_text(find_member(value, "type"), "response.failed")))
        fold_response(m, find_member(value, "response"));
    json_object_put(value);
    return m->ok ? ASSAY_OK : ASSAY_ENOMEM;
}

static assay_status read_stream(message *m, const char *body, size_t n)
{
    const serve_sse_sink sink = {.take = fold_event, .context = m};
    serve_sse *sse;
    assay_status rc = serve_sse_open(&sink, &sse);
    if (rc != ASSAY_OK) return rc;
    rc = serve_sse_feed(sse, body, n);
    serve_sse_free(sse);
    return rc;
}

static assay_status read_whole(message *m, const char *body, size_t n, assay_error *err)
{
    json_object *value = NULL;
    assay_status rc = json_parse("the answer", body, n, &value, err);
    if (rc == ASSAY_OK && !json_object_is_type(value, json_type_object))
        rc = assay_fail(err, ASSAY_EFORMAT, "the answer: found %s, expected an object",
                        json_type_to_name(json_object_get_type(value)));
    if (rc == ASSAY_OK) fold_whole(m, value);
    json_object_put(value);
    return rc;
}

assay_status conf_message_fold(serve_endpoint endpoint, bool streamed, const char *body, size_t n,
                               json_object **out, assay_error *err)
{
    static const char *const lists[SERVE_N_ENDPOINTS] = {
        [SERVE_CHAT] = "tool_calls", [SERVE_MESSAGES] = "content", [SERVE_RESPONSES] = "output"};
    message m = {.endpoint = endpoint, .out = json_object_new_object(), .list = json_object_new_array()};
    m.ok = m.out && m.list;
    add_member(&m, m.out, lists[endpoint], m.list);
    assay_status rc = !m.ok      ? ASSAY_ENOMEM
                      : streamed ? read_stream(&m, body, n)
                                 : read_whole(&m, body, n, err);
    if (rc == ASSAY_OK && m.ok && endpoint == SERVE_CHAT) end_chat(&m);
    if (!m.ok) rc = ASSAY_ENOMEM;
    if (rc == ASSAY_ENOMEM) (void)assay_fail(err, rc, "out of memory");
    for (size_t i = 0; i < m.n_calls; i++) free(m.arguments[i].data);
    free(m.arguments);
    free(m.content.data);
    free(m.reasoning.data);
    json_object_put(m.block);
    if (rc != ASSAY_OK) json_object_put(m.out);
    else *out = m.out;
    return rc;
}
