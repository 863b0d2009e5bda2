/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/truth/chat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "conformance/support/json_add.h"
#include "dialogue/chat/source.h"
#include "dialogue/chat/special.h"
#include "dialogue/table.h"

#define STAND_IN "assay stand-in" /* a message that no recorded prompt holds */

enum { MESSAGES_MOST = 33 }; /* of a conversation that is guessed */

struct probe_chat {
    serve_chat_source source;
    json_object *special; /* the tokens that templates see */
    json_object *known;   /* requests.json; NULL: there is none */
};

static json_object *member(json_object *object, const char *name)
{
    json_object *value = NULL;
    if (!json_object_is_type(object, json_type_object)) return NULL;
    (void)json_object_object_get_ex(object, name, &value);
    return value;
}

static assay_status read_known(const char *cases, json_object **out, assay_error *err)
{
    char *path = NULL;
    assay_status rc = ASSAY_OK;
    if (asprintf(&path, "%s/requests.json", cases) < 0) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (access(path, F_OK) == 0) rc = json_read(path, out, err);
    free(path);
    return rc;
}

assay_status probe_chat_open(const char *dir, const char *cases, probe_chat **out, assay_error *err)
{
    probe_chat *c = calloc(1, sizeof *c);
    if (!c) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc = serve_chat_source_find(dir, false, &c->source, err);
    if (rc == ASSAY_OK && c->source.place) rc = serve_chat_special_read(dir, &c->special, err);
    if (rc == ASSAY_OK && c->source.place) rc = read_known(cases, &c->known, err);
    if (rc == ASSAY_OK && c->source.place) {
        *out = c;
        return ASSAY_OK;
    }
    if (rc == ASSAY_OK) *out = NULL;
    probe_chat_free(c);
    return rc;
}

void probe_chat_free(probe_chat *chat)
{
    if (!chat) return;
    serve_chat_source_free(&chat->source);
    json_object_put(chat->special);
    json_object_put(chat->known);
    free(chat);
}

/* The variables of the template for a request. */
static json_object *make_variables(const probe_chat *chat, json_object *request, probe_thinking thinking)
{
    json_object *v = json_object_new_object();
    bool ok = v && conf_json_add(v, "messages", json_object_get(member(request, "messages"))) &&
              conf_json_add(v, "add_generation_prompt", json_object_new_boolean(true));
    json_object *tools = member(request, "tools");
    if (ok && tools) ok = conf_json_add(v, "tools", json_object_get(tools));
    if (ok && thinking != PROBE_THINKING_UNSET)
        ok = conf_json_add(v, "enable_thinking", json_object_new_boolean(thinking == PROBE_THINKING_ON));
    json_object_object_foreach(chat->special, name, token)
    {
        if (ok && serve_chat_special_is_common(name)) ok = conf_json_add(v, name, json_object_get(token));
    }
    if (ok) return v;
    json_object_put(v);
    return NULL;
}

static void take_text(void *context, const char *bytes, size_t n)
{
    (void)buffer_append(context, bytes, n);
}

/* Renders a request. False if the template refuses it, or out of memory. */
static bool render(const probe_chat *chat, json_object *request, probe_thinking thinking, buffer *out)
{
    json_object *variables = make_variables(chat, request, thinking);
    const char *text = variables ? json_object_to_json_string_ext(variables, JSON_C_TO_STRING_PLAIN) : NULL;
    const assay_template_options options = {.size = sizeof options,
                                            .source = {chat->source.text, chat->source.n},
                                            .variables = {text, text ? strlen(text) : 0}};
    const assay_byte_sink sink = {.take = take_text, .context = out};
    const bool ok =
        text && assay_serving_v2()->template_render(&options, &sink, NULL) == ASSAY_OK && !out->failed;
    json_object_put(variables);
    return ok;
}

/* Whether a text has these ids, with or without the tokens that the tokenizer adds. */
static assay_status has_ids(const probe_vocab *vocab, assay_text text, const probe_recorded *p, bool *same,
                            assay_error *err)
{
    assay_status rc = ASSAY_OK;
    *same = false;
    for (int special = 0; special < 2 && !*same && rc == ASSAY_OK; special++) {
        int32_t *ids = NULL;
        size_t n = 0;
        rc = probe_vocab_encode(vocab, text, special, &ids, &n, err);
        *same = rc == ASSAY_OK && n == p->n && memcmp(ids, p->ids, n * sizeof *ids) == 0;
        free(ids);
    }
    return rc;
}

/* Whether the prompt of this request is the recorded one. */
static assay_status confirm(const probe_chat *chat, const probe_vocab *vocab, json_object *request,
                            probe_thinking thinking, const probe_recorded *p, bool *same, assay_error *err)
{
    buffer text = {0};
    assay_status rc = ASSAY_OK;
    *same = render(chat, request, thinking, &text);
    if (*same) rc = has_ids(vocab, buffer_text(&text), p, same, err);
    buffer_free(&text);
    return rc;
}

/* The role of message i of a conversation: an exchange after the other, the user last. */
static const char *role_of(size_t i, bool has_system)
{
    if (has_system && i == 0) return "system";
    return (i - has_system) % 2 == 0 ? "user" : "assistant";
}

/* A request with these messages [n]; NULL if out of memory. */
static json_object *new_request(const assay_text *messages, size_t n, bool has_system)
{
    json_object *request = json_object_new_object(), *list = json_object_new_array();
    bool ok = conf_json_add(request, "messages", list);
    for (size_t i = 0; ok && i < n; i++) {
        json_object *one = json_object_new_object();
        ok = conf_json_append(list, one) &&
             conf_json_add(one, "role", json_object_new_string(role_of(i, has_system))) &&
             conf_json_add(one, "content", json_object_new_string_len(messages[i].at, (int)messages[i].n));
    }
    if (ok) return request;
    json_object_put(request);
    return NULL;
}

/* Moves *text behind its first `part`. .at NULL: there is none; else what stood before it. */
static assay_text split(assay_text *text, assay_text part)
{
    const char *at = part.n ? memmem(text->at, text->n, part.at, part.n) : text->at;
    if (!at) return (assay_text){0};
    const assay_text before = {text->at, (size_t)(at - text->at)};
    *text = (assay_text){at + part.n, text->n - before.n - part.n};
    return before;
}

/* The parts of `prompt` that stand where stand-ins [n] stand in `frame`, to messages [n]. False: the rest
 * differs. */
static bool cut_messages(assay_text prompt, assay_text frame, const assay_text *stand_ins, size_t n,
                         assay_text *messages)
{
    const assay_text first = split(&frame, stand_ins[0]);
    if (!first.at || !text_begins_with(prompt, first)) return false;
    prompt = (assay_text){prompt.at + first.n, prompt.n - first.n};
    for (size_t i = 1; i < n; i++) {
        const assay_text between = split(&frame, stand_ins[i]);
        if (!between.at || between.n == 0) return false;
        messages[i - 1] = split(&prompt, between);
        if (!messages[i - 1].at) return false;
    }
    messages[n - 1] = (assay_text){prompt.at, prompt.n - frame.n};
    return text_ends_with(prompt, frame);
}

/* The request of n messages that could have this prompt; NULL: none. */
static json_object *guess_request(const probe_chat *chat, assay_text prompt, probe_thinking thinking,
                                  size_t n, bool has_system)
{
    char texts[MESSAGES_MOST][sizeof STAND_IN + 24];
    assay_text stand_ins[MESSAGES_MOST], messages[MESSAGES_MOST];
    buffer frame = {0};
    json_object *found = NULL;
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(texts[i], sizeof texts[i], STAND_IN " %02zu", i);
        stand_ins[i] = (assay_text){texts[i], strlen(texts[i])};
    }
    json_object *request = new_request(stand_ins, n, has_system);
    if (request && render(chat, request, thinking, &frame) &&
        cut_messages(prompt, buffer_text(&frame), stand_ins, n, messages))
        found = new_request(messages, n, has_system);
    buffer_free(&frame);
    json_object_put(request);
    return found;
}

/* The request of most messages that has this prompt: the text of one may hold what the template writes
 * between others. *request stays as it is if there is none. */
static assay_status find_messages(const probe_chat *chat, const probe_vocab *vocab,
                                  const probe_recorded *prompt, probe_thinking thinking, bool has_system,
                                  json_object **request, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t n = 1 + has_system; n <= MESSAGES_MOST && rc == ASSAY_OK; n += 2) {
        bool same = false;
        json_object *one = guess_request(chat, prompt->text, thinking, n, has_system);
        if (!one) break;
        rc = confirm(chat, vocab, one, thinking, prompt, &same, err);
        if (same) {
            json_object_put(*request);
            *request = one;
        } else {
            json_object_put(one);
        }
    }
    return rc;
}

/* The known request of a prompt, and whether it thinks; NULL: none. */
static json_object *find_known(const probe_chat *chat, const probe_recorded *p, bool *thinks)
{
    json_object *groups = member(chat->known, "groups");
    for (size_t g = 0; json_object_is_type(groups, json_type_array) && g < json_object_array_length(groups);
         g++) {
        json_object *vectors = member(json_object_array_get_idx(groups, g), "vectors");
        if (!json_object_is_type(vectors, json_type_array)) continue;
        for (size_t i = 0; i < json_object_array_length(vectors); i++) {
            json_object *input = member(json_object_array_get_idx(vectors, i), "input");
            const char *file = json_text(member(input, "case"));
            json_object *sample = member(input, "sample"), *request = member(input, "request");
            if (!file || strcmp(file, p->file) != 0 || !json_object_is_type(sample, json_type_int) ||
                json_object_get_int64(sample) != (int64_t)p->sample || !member(request, "messages"))
                continue;
            *thinks = json_object_get_boolean(member(input, "thinking"));
            return json_object_get(request);
        }
    }
    return NULL;
}

assay_status probe_chat_request(const probe_chat *chat, const probe_vocab *vocab,
                                const probe_recorded *prompt, json_object **request, probe_thinking *thinking,
                                bool *implied, bool *thinks, assay_error *err)
{
    bool found = false;
    *thinks = true;
    *implied = false;
    json_object *known = find_known(chat, prompt, thinks);
    *thinking = *thinks ? PROBE_THINKING_ON : PROBE_THINKING_OFF; /* a known request states it */
    assay_status rc = known ? confirm(chat, vocab, known, *thinking, prompt, &found, err) : ASSAY_OK;
    if (!found) {
        json_object_put(known);
        known = NULL;
    }
    for (probe_thinking t = 0; t < PROBE_N_THINKING && !found && rc == ASSAY_OK; t++) {
        rc = find_messages(chat, vocab, prompt, t, false, &known, err);
        if (rc == ASSAY_OK && !known) rc = find_messages(chat, vocab, prompt, t, true, &known, err);
        found = known != NULL;
        *thinking = t;
        *thinks = t != PROBE_THINKING_OFF;
    }
    if (found && rc == ASSAY_OK) rc = confirm(chat, vocab, known, PROBE_THINKING_UNSET, prompt, implied, err);
    if (!found || rc != ASSAY_OK) {
        json_object_put(known);
        known = NULL;
    }
    *request = known;
    return rc;
}

assay_status probe_chat_encode(const probe_chat *chat, const probe_vocab *vocab, json_object *request,
                               probe_thinking thinking, bool special, int32_t **ids, size_t *n,
                               assay_error *err)
{
    buffer text = {0};
    const assay_status rc = render(chat, request, thinking, &text)
                                ? probe_vocab_encode(vocab, buffer_text(&text), special, ids, n, err)
                                : assay_fail(err, ASSAY_EFORMAT, "the chat template refuses the request");
    buffer_free(&text);
    return rc;
}

/* The parsers of a checkpoint whose tokenizer has the marker; the first row counts for each kind. */
static const struct {
    const char *marker, *reasoning, *tools;
} families[] = {
    {"<|channel>", "gemma4", NULL}, {"<|tool_call>", NULL, "gemma4"},  {"<|channel|>", "harmony", "harmony"},
    {"[THINK]", "mistral", NULL},   {"[TOOL_CALLS]", NULL, "mistral"}, {"<think>", "qwen3", NULL},
    {"<arg_key>", NULL, "glm47"},   {"<tool_call>", NULL, "hermes"},
};

void probe_chat_parsers(const probe_vocab *vocab, const char **reasoning, const char **tools)
{
    *reasoning = *tools = NULL;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        int32_t *ids = NULL;
        size_t n = 0;
        const assay_text marker = {families[i].marker, strlen(families[i].marker)};
        if (probe_vocab_encode(vocab, marker, false, &ids, &n, NULL) != ASSAY_OK) continue;
        if (n == 1 && !*reasoning && families[i].reasoning) *reasoning = families[i].reasoning;
        if (n == 1 && !*tools && families[i].tools) *tools = families[i].tools;
        free(ids);
    }
}
