/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/chat/chat.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "dialogue/chat/files.h"
#include "dialogue/chat/special.h"

/* Adds a value that is owned by the call, NULL being out of memory. */
static bool add(json_object *to, const char *name, json_object *value)
{
    if (value && json_object_object_add(to, name, value) == 0) return true;
    (void)json_object_put(value);
    return false;
}

static bool append(json_object *to, json_object *value)
{
    if (value && json_object_array_add(to, value) == 0) return true;
    (void)json_object_put(value);
    return false;
}

/* A string of the text, with invalid UTF-8 replaced by U+FFFD; NULL if it is too long or out of memory. */
static json_object *new_text(assay_text text)
{
    buffer valid = {0};
    for (size_t at = 0; at < text.n;) {
        const size_t n = utf8_valid_prefix(text.at + at, text.n - at);
        uint32_t codepoint;
        (void)buffer_append(&valid, text.at + at, n);
        at += n;
        if (at == text.n) break;
        at += utf8_decode(text.at + at, text.n - at, &codepoint, NULL);
        (void)buffer_append_char(&valid, codepoint);
    }
    json_object *value = NULL;
    if (!valid.failed && valid.n <= INT_MAX)
        value = json_object_new_string_len(buffer_text(&valid).at, (int)valid.n);
    buffer_free(&valid);
    return value;
}

/* A part of a message's content; text.at NULL: the part has only a type. */
static bool append_part(json_object *parts, const char *type, assay_text text)
{
    json_object *part = json_object_new_object();
    return append(parts, part) && add(part, "type", json_object_new_string(type)) &&
           (!text.at || add(part, "text", new_text(text)));
}

static bool add_content(json_object *message, assay_text text, size_t n_images, size_t n_audios)
{
    if (n_images + n_audios == 0) return add(message, "content", new_text(text));
    json_object *parts = json_object_new_array();
    bool ok = add(message, "content", parts);
    for (size_t i = 0; ok && i < n_images; i++) ok = append_part(parts, "image", (assay_text){0});
    for (size_t i = 0; ok && i < n_audios; i++) ok = append_part(parts, "audio", (assay_text){0});
    return ok && append_part(parts, "text", text);
}

static bool append_message(json_object *messages, const char *role, assay_text text, size_t n_images,
                           size_t n_audios)
{
    json_object *message = json_object_new_object();
    return append(messages, message) && add(message, "role", json_object_new_string(role)) &&
           add_content(message, text, n_images, n_audios);
}

/* The variables of the template. */
static bool add_variables(json_object *to, const serve_chat_request *r, json_object *tokens)
{
    json_object *messages = json_object_new_array();
    bool ok = add(to, "messages", messages);
    if (ok && r->system.at) ok = append_message(messages, "system", r->system, 0, 0);
    ok = ok && append_message(messages, "user", r->prompt, r->n_images, r->n_audios) &&
         json_object_object_add(to, "tools", NULL) == 0 &&
         json_object_object_add(to, "documents", NULL) == 0 &&
         add(to, "add_generation_prompt", json_object_new_boolean(true));
    if (ok && r->thinking_off) ok = add(to, "enable_thinking", json_object_new_boolean(false));
    json_object_object_foreach(tokens, name, value) if (ok && serve_chat_special_is_common(name)) ok =
        add(to, name, json_object_get(value));
    return ok;
}

/* Receives the rendered text. */
static void take(void *context, const char *text, size_t n)
{
    (void)buffer_append(context, text, n);
}

static bool begins_with(const buffer *text, json_object *token)
{
    const size_t n = token ? (size_t)json_object_get_string_len(token) : 0;
    return n > 0 && text->n >= n && memcmp(text->data, json_object_get_string(token), n) == 0;
}

assay_status serve_chat_render_variables(const assay_serving *serving, const char *dir,
                                         const serve_chat_source *source, json_object *variables, int64_t now,
                                         buffer *out, assay_error *err)
{
    size_t n = 0;
    assay_error reason = {0};
    const char *text = json_object_to_json_string_length(variables, JSON_C_TO_STRING_PLAIN, &n);
    if (!text) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    const assay_template_options options = {
        .size = sizeof options, .source = {source->text, source->n}, .variables = {text, n}, .now = now};
    const assay_byte_sink sink = {.take = take, .context = out};
    const assay_status rc = serving->template_render(&options, &sink, &reason);
    if (rc != ASSAY_OK) return assay_fail(err, rc, "%s/%s: %s", dir, source->place, reason.text);
    return out->failed ? assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir) : ASSAY_OK;
}

assay_status serve_chat_render(const assay_serving *serving, const char *dir, const serve_chat_source *source,
                               const serve_chat_request *request, buffer *out, bool *add_special,
                               assay_error *err)
{
    json_object *tokens = NULL, *variables = NULL;
    buffer text = {0};
    if (request->prompt.n > INT_MAX || request->system.n > INT_MAX)
        return assay_fail(err, ASSAY_EINVAL, "found a text of %zu bytes, expected at most %d",
                          request->prompt.n > INT_MAX ? request->prompt.n : request->system.n, INT_MAX);
    assay_status rc = serve_chat_special_read(dir, &tokens, err);
    if (rc == ASSAY_OK) {
        variables = json_object_new_object();
        if (!variables || !add_variables(variables, request, tokens))
            rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    }
    if (rc == ASSAY_OK)
        rc = serve_chat_render_variables(serving, dir, source, variables, request->now, &text, err);
    if (rc == ASSAY_OK && !buffer_append(out, text.data, text.n))
        rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    if (rc == ASSAY_OK)
        *add_special = !source->is_complete && serve_chat_has_processor(dir) &&
                       !begins_with(&text, serve_chat_member(tokens, "bos_token"));
    buffer_free(&text);
    (void)json_object_put(variables);
    (void)json_object_put(tokens);
    return rc;
}
