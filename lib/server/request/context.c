/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/context.h"

#include "base/error.h"
#include "base/grow.h"
#include "dialogue/chat/files.h"
#include "dialogue/chat/special.h"
#include "dialogue/parsers.h"
#include "image/config_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_ANSWER 4096 /* tokens, where neither the request nor the model gives a limit */

static assay_status no_memory(const server_requests *c, assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", c->dir ? c->dir : "a checkpoint");
}

static void set_limits(server_request_limits *l)
{
    static const server_request_limits usual = {.n_messages = 16384,
                                                .n_images = 64,
                                                .image_bytes = (size_t)32 << 20,
                                                .n_choices = 128,
                                                .n_values = (size_t)1 << 18,
                                                .n_prompt_bytes = (size_t)16 << 20,
                                                .n_logprobs = (size_t)1 << 22,
                                                .all_media_bytes = (size_t)1 << 30};
    if (!l->n_messages) l->n_messages = usual.n_messages;
    if (!l->n_images) l->n_images = usual.n_images;
    if (!l->image_bytes) l->image_bytes = usual.image_bytes;
    if (!l->n_choices) l->n_choices = usual.n_choices;
    if (!l->n_values) l->n_values = usual.n_values;
    if (!l->n_prompt_bytes) l->n_prompt_bytes = usual.n_prompt_bytes;
    if (!l->n_logprobs) l->n_logprobs = usual.n_logprobs;
    if (!l->all_media_bytes) l->all_media_bytes = usual.all_media_bytes;
}

static assay_status copy_name(const server_requests *c, const char *name, char **out, assay_error *err)
{
    *out = name ? strdup(name) : NULL;
    return name && !*out ? no_memory(c, err) : ASSAY_OK;
}

static assay_status copy_options(server_requests *c, const server_requests_options *o, assay_error *err)
{
    c->options = *o;
    set_limits(&c->options.limits);
    if (c->options.n_ids < o->vocab) c->options.n_ids = o->vocab;
    if (!c->options.max_tokens) c->options.max_tokens = o->max_positions ? SIZE_MAX : LONGEST_ANSWER;
    assay_status rc = copy_name(c, o->dir, &c->dir, err);
    if (rc == ASSAY_OK) rc = copy_name(c, o->model, &c->model, err);
    if (rc != ASSAY_OK || !o->files) return rc;
    c->files = realpath(o->files, NULL);
    if (!c->files) return assay_fail(err, ASSAY_EIO, "%s: %s", o->files, strerror(errno));
    return ASSAY_OK;
}

static assay_status choose_parsers(server_requests *c, assay_error *err)
{
    const char *reasoning = c->options.reasoning, *tools = c->options.tools;
    serve_parsers_choose(c->options.serving, c->options.tokenizer, &reasoning, &tools);
    assay_status rc = copy_name(c, reasoning, &c->reasoning, err);
    return rc == ASSAY_OK ? copy_name(c, tools, &c->tools, err) : rc;
}

/* Copies the tokens that templates see: objects of json-c cannot be shared by threads. */
static assay_status read_tokens(server_requests *c, assay_error *err)
{
    json_object *tokens = NULL;
    assay_status rc = serve_chat_special_read(c->dir, &tokens, err);
    if (rc != ASSAY_OK) return rc;
    json_object_object_foreach(tokens, name, value)
    {
        const char *text = json_text(value);
        if (rc != ASSAY_OK || !text || !serve_chat_special_is_common(name)) continue;
        server_named_token *grown = grow_by_one(c->tokens, c->n_tokens, sizeof *grown);
        if (grown) {
            c->tokens = grown;
            c->tokens[c->n_tokens] = (server_named_token){strdup(name), strdup(text)};
            c->n_tokens++;
        }
        if (!grown || !c->tokens[c->n_tokens - 1].name || !c->tokens[c->n_tokens - 1].text)
            rc = no_memory(c, err);
    }
    (void)json_object_put(tokens);
    return rc;
}

static void close_images(server_requests *c)
{
    if (!c->has_images) return;
    image_config_free(&c->images);
    serve_placeholder_free(&c->placeholder);
    server_gate_free(c->gate);
    c->gate = NULL;
    c->has_images = false;
}

static void close_audio(server_requests *c)
{
    if (!c->has_audio) return;
    serve_audio_processor_free(&c->audios);
    serve_placeholder_free(&c->audio_placeholder);
    c->has_audio = false;
}

static assay_status find_placeholder_id(const server_requests *c, const char *token, int32_t *out,
                                        assay_error *err)
{
    size_t n = 0;
    int32_t id = -1;
    const assay_status rc =
        c->options.serving->encode(c->options.tokenizer, token, strlen(token), false, &id, 1, &n, err);
    if (rc != ASSAY_OK) return rc;
    if (n != 1) return assay_fail(err, ASSAY_EFORMAT, "%s: the tokenizer has no token %s", c->dir, token);
    *out = id;
    return ASSAY_OK;
}

/* A checkpoint without a supported image processor serves text: the reason is told to whoever sends an image.
 */
static assay_status open_images(server_requests *c)
{
    assay_error reason = {0};
    c->placeholder_id = -1;
    assay_status rc = image_config_open(c->dir, false, &c->images, &reason);
    if (rc == ASSAY_OK) {
        rc = serve_placeholder_find(c->dir, c->images.type, &c->placeholder, &reason);
        if (rc != ASSAY_OK) image_config_free(&c->images);
    }
    c->has_images = rc == ASSAY_OK;
    if (rc == ASSAY_OK && !(c->gate = server_gate_new(c->options.limits.all_media_bytes)))
        rc = assay_fail(&reason, ASSAY_ENOMEM, "out of memory");
    if (rc == ASSAY_OK) rc = find_placeholder_id(c, c->placeholder.token, &c->placeholder_id, &reason);
    if (rc == ASSAY_OK) return ASSAY_OK;
    close_images(c);
    c->no_images = reason;
    return rc == ASSAY_ENOMEM ? rc : ASSAY_OK;
}

/* The same for audio clips. */
static assay_status open_audios(server_requests *c)
{
    assay_error reason = {0};
    c->audio_placeholder_id = -1;
    assay_status rc = serve_audio_processor_open(c->dir, &c->audios, &reason);
    if (rc == ASSAY_OK) {
        rc = serve_placeholder_find_audio(c->dir, &c->audio_placeholder, &reason);
        if (rc != ASSAY_OK) serve_audio_processor_free(&c->audios);
    }
    c->has_audio = rc == ASSAY_OK;
    if (rc == ASSAY_OK)
        rc = find_placeholder_id(c, c->audio_placeholder.token, &c->audio_placeholder_id, &reason);
    if (rc == ASSAY_OK) return ASSAY_OK;
    close_audio(c);
    c->no_audio = reason;
    return rc == ASSAY_ENOMEM ? rc : ASSAY_OK;
}

assay_status server_requests_open(const server_requests_options *options, server_requests **out,
                                  assay_error *err)
{
    server_requests *c = calloc(1, sizeof *c);
    if (!c) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", options->dir);
    assay_status rc = copy_options(c, options, err);
    if (rc == ASSAY_OK) rc = choose_parsers(c, err);
    if (rc == ASSAY_OK) rc = serve_chat_source_find(c->dir, false, &c->source, err);
    if (rc == ASSAY_OK) rc = serve_chat_source_find(c->dir, true, &c->tool_source, err);
    if (rc == ASSAY_OK) rc = read_tokens(c, err);
    if (rc == ASSAY_OK && open_images(c) != ASSAY_OK) rc = no_memory(c, err);
    if (rc == ASSAY_OK && open_audios(c) != ASSAY_OK) rc = no_memory(c, err);
    c->has_processor = rc == ASSAY_OK && serve_chat_has_processor(c->dir);
    if (rc == ASSAY_OK) *out = c;
    else server_requests_free(c);
    return rc;
}

void server_requests_free(server_requests *c)
{
    if (!c) return;
    close_images(c);
    close_audio(c);
    for (size_t i = 0; i < c->n_tokens; i++) {
        free(c->tokens[i].name);
        free(c->tokens[i].text);
    }
    free(c->tokens);
    serve_chat_source_free(&c->source);
    serve_chat_source_free(&c->tool_source);
    free(c->dir);
    free(c->model);
    free(c->files);
    free(c->reasoning);
    free(c->tools);
    free(c);
}

const char *server_requests_reasoning(const server_requests *c)
{
    return c->reasoning;
}

const char *server_requests_tools(const server_requests *c)
{
    return c->tools;
}
