/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/prompt.h"

#include "dialogue/chat/audio.h"
#include "dialogue/chat/chat.h"
#include "dialogue/chat/images.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static assay_status fail(const server_reading *r, const server_path *path, assay_status rc,
                         const assay_error *err)
{
    if (rc == ASSAY_ENOMEM) return server_out_of_memory(r);
    return server_refuse(r->refusal, 400, path->text, "%s", err->text);
}

/* ---- Tokens ---- */

static assay_status check_tokens(const server_reading *r, const server_path *path, const server_prompt *p)
{
    const size_t n_ids = r->context->options.n_ids;
    for (size_t i = 0; i < p->n_tokens; i++)
        if (p->tokens[i] < 0 || (size_t)p->tokens[i] >= n_ids)
            return server_refuse(r->refusal, 400, path->text,
                                 "token %zu: found id %" PRId32 ", expected one of the vocabulary, 0 to %zu",
                                 i, p->tokens[i], n_ids - 1);
    return ASSAY_OK;
}

static assay_status encode(const server_reading *r, const server_path *path, assay_text text,
                           bool add_special, server_prompt *out)
{
    const assay_serving *s = r->context->options.serving;
    const assay_tokenizer *t = r->context->options.tokenizer;
    const size_t capacity = text.n + 16; /* a token has a byte at least; more are added special ones */
    size_t n = 0;
    assay_error err = {0};
    if (text.n > r->context->options.limits.n_prompt_bytes)
        return server_refuse(r->refusal, 413, path->text, "found a prompt of %zu bytes, expected at most %zu",
                             text.n, r->context->options.limits.n_prompt_bytes);
    int32_t *ids = malloc(capacity * sizeof *ids);
    if (!ids) return server_out_of_memory(r);
    assay_status rc = s->encode(t, text.at, text.n, add_special, ids, capacity, &n, &err);
    if (rc == ASSAY_OK && n > capacity) {
        int32_t *grown = realloc(ids, n * sizeof *ids);
        const size_t expected = n;
        if (grown) ids = grown;
        rc = grown ? s->encode(t, text.at, text.n, add_special, ids, expected, &n, &err) : ASSAY_ENOMEM;
        if (n > expected) n = expected;
    }
    out->tokens = ids;
    out->n_tokens = n;
    if (rc != ASSAY_OK) return fail(r, path, rc, &err);
    if (n == 0)
        return server_refuse(r->refusal, 400, path->text,
                             "found a prompt without a token, expected at least one");
    return check_tokens(r, path, out);
}

/* ---- Images and audio clips ---- */

/* Where the bytes of [n] media are; NULL if out of memory. The caller frees it. */
static serve_media_file *list_files(const server_medium *media, size_t n)
{
    serve_media_file *files = calloc(n + 1, sizeof *files);
    for (size_t i = 0; files && i < n; i++)
        files[i] = (serve_media_file){.name = media[i].path ? media[i].path : media[i].member,
                                      .bytes = media[i].bytes,
                                      .n = media[i].n};
    return files;
}

/* The media of a request that has all memory of media to itself will never fit. */
static assay_status refuse_media(const server_reading *r, const server_path *path, size_t n_left,
                                 const assay_error *err)
{
    if (n_left == r->context->options.limits.all_media_bytes)
        return server_refuse(r->refusal, 413, path->text, "%s", err->text);
    return server_refuse(r->refusal, 503, path->text,
                         "the images and audio of other requests take the memory that is for them: %s",
                         err->text);
}

/* Fills in the images and the audio clips of the prompt, as far as they are made. */
static assay_status make_media(const server_reading *r, serve_media_limits *limits, server_prompt *out,
                               assay_error *err)
{
    const server_requests *c = r->context;
    serve_media_file *images = list_files(r->images, r->n_images),
                     *audios = list_files(r->audios, r->n_audios);
    assay_status rc = images && audios ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK && r->n_images)
        rc = serve_images_open(&c->images, images, r->n_images, limits, &out->images, err);
    if (out->images) limits->arrays -= serve_images_bytes(out->images);
    if (rc == ASSAY_OK && r->n_audios)
        rc = serve_audio_open(&c->audios, audios, r->n_audios, limits, &out->audios, err);
    free(images);
    free(audios);
    return rc;
}

static assay_status open_media(server_reading *r, const server_path *path, server_prompt *out)
{
    const server_requests *c = r->context;
    const server_wanted *w = r->wanted;
    const size_t n_left = server_gate_enter(c->gate);
    assay_error err = {0};
    serve_media_limits limits = {.goes_on = w ? w->is_wanted : NULL,
                                 .context = w ? w->context : NULL,
                                 .file = c->options.limits.image_bytes,
                                 .arrays = n_left};
    const assay_status rc = make_media(r, &limits, out, &err);
    out->gate = c->gate;
    out->n_media_bytes = (out->images ? serve_images_bytes(out->images) : 0) +
                         (out->audios ? serve_audio_bytes(out->audios) : 0);
    server_gate_leave(c->gate, out->n_media_bytes);
    if (rc == ASSAY_ENOMEM) return server_out_of_memory(r);
    if (rc == ASSAY_ESTOPPED) return server_refuse(r->refusal, 503, path->text, "the client has gone");
    if (rc == ASSAY_EINVAL) return refuse_media(r, path, n_left, &err);
    return rc == ASSAY_OK ? rc : fail(r, path, rc, &err);
}

static size_t sum_of(const size_t *counts, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += counts[i];
    return sum;
}

static assay_status check_count(const server_reading *r, const server_path *path, const server_prompt *p,
                                const serve_placeholder *placeholder, int32_t id, size_t expected)
{
    size_t n = 0;
    if (id < 0) return ASSAY_OK;
    for (size_t i = 0; i < p->n_tokens; i++) n += p->tokens[i] == id;
    if (n == expected) return ASSAY_OK;
    return server_refuse(r->refusal, 400, path->text,
                         "found %zu placeholder tokens %s in the prompt, expected %zu, those that "
                         "the processor writes",
                         n, placeholder->token, expected);
}

/* A text of the user that is encoded as a placeholder token would be taken for an image or an audio clip. */
static assay_status check_placeholders(const server_reading *r, const server_path *path,
                                       const server_prompt *p)
{
    const server_requests *c = r->context;
    size_t n_images = p->images ? sum_of(p->images->n_tokens, p->images->n) : 0;
    const size_t n_audios = p->audios ? sum_of(p->audios->n_tokens, p->audios->n) : 0;
    if (!p->images && c->placeholder.is_first && p->n_tokens > 0)
        n_images = p->tokens[0] == c->placeholder_id;
    const assay_status rc = check_count(r, path, p, &c->placeholder, c->placeholder_id, n_images);
    if (rc != ASSAY_OK) return rc;
    return check_count(r, path, p, &c->audio_placeholder, c->audio_placeholder_id, n_audios);
}

/* Items of a kind that are still to be placed. */
typedef struct placing {
    const assay_item *items;
    const size_t *n_tokens;
    size_t n;
    int32_t id; /* of a placeholder token */
} placing;

/* The next item of the kind, whose placeholder tokens begin at *at; *at is moved behind them. */
static assay_item place_next(const server_prompt *p, placing *kind, size_t *at)
{
    assay_item item = *kind->items++;
    item.offset = *at;
    for (size_t k = 0; k < *kind->n_tokens && *at < p->n_tokens; (*at)++) k += p->tokens[*at] == kind->id;
    item.n_tokens = *at - item.offset;
    kind->n_tokens++;
    kind->n--;
    return item;
}

/* Copies the items in the order of their placeholder tokens, with the span of each. */
static assay_status place_items(const server_reading *r, server_prompt *p)
{
    placing kinds[2] = {{.n = 0}, {.n = 0}};
    if (p->images)
        kinds[0] = (placing){p->images->items, p->images->n_tokens, p->images->n, r->context->placeholder_id};
    if (p->audios)
        kinds[1] =
            (placing){p->audios->items, p->audios->n_tokens, p->audios->n, r->context->audio_placeholder_id};
    assay_item *items = calloc(kinds[0].n + kinds[1].n, sizeof *items);
    if (!items) return server_out_of_memory(r);
    size_t n = 0;
    for (size_t at = 0; at < p->n_tokens;) {
        placing *kind = kinds[0].n && p->tokens[at] == kinds[0].id   ? &kinds[0]
                        : kinds[1].n && p->tokens[at] == kinds[1].id ? &kinds[1]
                                                                     : NULL;
        if (kind) items[n++] = place_next(p, kind, &at);
        else at++;
    }
    p->items = items;
    p->n_items = n;
    return ASSAY_OK;
}

/* ---- The chat template ---- */

/* The local time as if it were UTC: templates print it without a time zone. */
static int64_t local_now(void)
{
    const time_t now = time(NULL);
    struct tm local;
    return localtime_r(&now, &local) ? (int64_t)timegm(&local) : (int64_t)now;
}

/* The request's own arguments come last; those that the other members state are refused. */
static assay_status add_arguments(const server_reading *r, json_object *variables)
{
    static const char *const taken[] = {
        "messages",      "conversation",           "tools", "documents", "tokenize", "add_generation_prompt",
        "chat_template", "continue_final_message", NULL};
    const server_path path = server_path_top("chat_template_kwargs");
    if (!r->arguments) return ASSAY_OK;
    json_object_object_foreach(r->arguments, name, value)
    {
        for (size_t i = 0; taken[i]; i++) {
            const server_path at = server_path_member(&path, name);
            if (strcmp(name, taken[i]) == 0)
                return server_refuse(r->refusal, 400, at.text,
                                     "found a member that a template argument cannot be");
        }
        if (json_object_object_add(variables, name, json_object_get(value)) != 0) {
            (void)json_object_put(value);
            return server_out_of_memory(r);
        }
    }
    return ASSAY_OK;
}

static assay_status make_variables(const server_reading *r, json_object **out)
{
    const bool tools = r->tools && !r->declines_tools;
    json_object *v = json_object_new_object();
    bool ok = v && server_add(v, "messages", json_object_get(r->messages)) &&
              (tools ? server_add(v, "tools", json_object_get(r->tools))
                     : json_object_object_add(v, "tools", NULL) == 0) &&
              json_object_object_add(v, "documents", NULL) == 0 &&
              server_add(v, "add_generation_prompt", json_object_new_boolean(!r->no_prompt));
    for (size_t i = 0; ok && i < r->context->n_tokens; i++)
        ok = server_add(v, r->context->tokens[i].name, json_object_new_string(r->context->tokens[i].text));
    if (ok && r->has_thinking)
        ok = server_add(v, "enable_thinking", json_object_new_boolean(!r->thinking_off));
    const assay_status rc = ok ? add_arguments(r, v) : server_out_of_memory(r);
    if (rc == ASSAY_OK) *out = v;
    else (void)json_object_put(v);
    return rc;
}

static bool begins_with_bos(const server_requests *c, const buffer *text)
{
    for (size_t i = 0; i < c->n_tokens; i++) {
        const char *token = c->tokens[i].text;
        const size_t n = strlen(token);
        if (strcmp(c->tokens[i].name, "bos_token") != 0 || n == 0) continue;
        return text->n >= n && memcmp(text->data, token, n) == 0;
    }
    return false;
}

static const serve_chat_source *source_of(const server_reading *r)
{
    return r->tools && !r->declines_tools ? &r->context->tool_source : &r->context->source;
}

static assay_status expand(const server_requests *c, const server_prompt *p, const buffer *written,
                           buffer *text, assay_error *err)
{
    serve_placed kinds[2] = {{.n = 0}, {.n = 0}};
    if (p->images) kinds[0] = (serve_placed){&c->placeholder, p->images->n_tokens, p->images->n};
    if (p->audios) kinds[1] = (serve_placed){&c->audio_placeholder, p->audios->n_tokens, p->audios->n};
    return serve_placeholder_expand_kinds(kinds, 2, "the rendered chat template", buffer_text(written), text,
                                          err);
}

/* The rendered template, with the placeholders of each image and audio clip expanded. */
static assay_status render(server_reading *r, const server_path *path, server_prompt *out, buffer *text)
{
    const server_requests *c = r->context;
    const serve_chat_source *source = source_of(r);
    json_object *variables = NULL;
    buffer written = {0};
    assay_error err = {0};
    if (!source->place)
        return server_refuse(r->refusal, 400, path->text,
                             "the model has no chat template: expected a request of /v1/completions");
    assay_status rc = make_variables(r, &variables);
    if (rc != ASSAY_OK) return rc;
    rc = serve_chat_render_variables(c->options.serving, c->dir, source, variables, local_now(), &written,
                                     &err);
    (void)json_object_put(variables);
    if (rc == ASSAY_OK) rc = expand(c, out, &written, text, &err);
    buffer_free(&written);
    return rc == ASSAY_OK ? rc : fail(r, path, rc, &err);
}

assay_status server_prompt_render(server_reading *r, server_prompt *out)
{
    const server_path path = server_path_top(r->out->endpoint == SERVE_RESPONSES ? "input" : "messages");
    buffer text = {0};
    assay_status rc = r->n_images || r->n_audios ? open_media(r, &path, out) : ASSAY_OK;
    if (rc == ASSAY_OK) rc = render(r, &path, out, &text);
    if (rc == ASSAY_OK)
        rc = encode(r, &path, buffer_text(&text),
                    !source_of(r)->is_complete && r->context->has_processor &&
                        !begins_with_bos(r->context, &text),
                    out);
    buffer_free(&text);
    if (rc == ASSAY_OK) rc = check_placeholders(r, &path, out);
    return rc == ASSAY_OK && (out->images || out->audios) ? place_items(r, out) : rc;
}

/* ---- Completions ---- */

static assay_status read_text(server_reading *r, const server_path *path, json_object *value,
                              server_prompt *out)
{
    const assay_text text = {json_object_get_string(value), (size_t)json_object_get_string_len(value)};
    if (!buffer_append_text(&out->text, text)) return server_out_of_memory(r);
    return encode(r, path, text, !r->no_special, out);
}

static assay_status decode(const server_reading *r, const server_path *path, server_prompt *p)
{
    const assay_serving *s = r->context->options.serving;
    size_t n = 0, again = 0;
    assay_error err = {0};
    assay_status rc =
        s->decode(r->context->options.tokenizer, p->tokens, p->n_tokens, false, NULL, 0, &n, &err);
    if (rc != ASSAY_OK) return fail(r, path, rc, &err);
    if (!buffer_reserve(&p->text, n + 1)) return server_out_of_memory(r);
    rc = s->decode(r->context->options.tokenizer, p->tokens, p->n_tokens, false, p->text.data, n, &again,
                   &err);
    p->text.n = again < n ? again : n;
    return rc == ASSAY_OK ? rc : fail(r, path, rc, &err);
}

static assay_status read_ids(server_reading *r, const server_path *path, json_object *list,
                             server_prompt *out)
{
    const size_t n = json_object_array_length(list), n_ids = r->context->options.n_ids;
    if (n == 0) return server_refuse(r->refusal, 400, path->text, "found [], expected at least one token id");
    out->tokens = calloc(n, sizeof *out->tokens);
    if (!out->tokens) return server_out_of_memory(r);
    for (size_t i = 0; i < n; i++) {
        json_object *id = json_object_array_get_idx(list, i);
        const int64_t value = json_object_get_int64(id);
        const server_path place = server_path_element(path, i);
        if (!json_object_is_type(id, json_type_int) || value < 0 || (uint64_t)value >= n_ids)
            return server_unexpected(r, &place, id, "a token id of the vocabulary");
        out->tokens[out->n_tokens++] = (int32_t)value;
    }
    return r->out->echo ? decode(r, path, out) : ASSAY_OK;
}

static assay_status read_one(server_reading *r, const server_path *path, json_object *value)
{
    server_prompt *out = &r->out->prompts[r->out->n_prompts++];
    assay_status rc = json_object_is_type(value, json_type_string) ? read_text(r, path, value, out)
                      : json_object_is_type(value, json_type_array)
                          ? read_ids(r, path, value, out)
                          : server_unexpected(r, path, value, "a text, or a list of token ids");
    return rc == ASSAY_OK ? check_placeholders(r, path, out) : rc;
}

assay_status server_prompt_read(server_reading *r, json_object *value)
{
    const server_path path = server_path_top("prompt");
    const bool list = json_object_is_type(value, json_type_array) && json_object_array_length(value) > 0 &&
                      !json_object_is_type(json_object_array_get_idx(value, 0), json_type_int);
    const size_t n = list ? json_object_array_length(value) : 1, most = r->context->options.limits.n_messages;
    if (n > most)
        return server_refuse(r->refusal, 413, path.text, "found %zu prompts, expected at most %zu", n, most);
    r->out->prompts = calloc(n, sizeof *r->out->prompts);
    if (!r->out->prompts) return server_out_of_memory(r);
    if (!list) return read_one(r, &path, value);
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        const server_path place = server_path_element(&path, i);
        rc = read_one(r, &place, json_object_array_get_idx(value, i));
    }
    return rc;
}
