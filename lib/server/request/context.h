/* What a checkpoint says about requests: opened once, then immutable; one serves all threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_CONTEXT_H
#define SERVER_REQUEST_CONTEXT_H

#include <assay/serving.h>

#include "dialogue/chat/audio.h"
#include "dialogue/chat/placeholder.h"
#include "dialogue/chat/source.h"
#include "image/settings.h"
#include "server/request/gate.h"

/* Whether a request is still wanted: its client may have gone. Called between the images and audio of a
 * request. */
typedef struct server_wanted {
    bool (*is_wanted)(void *context);
    void *context;
} server_wanted;

/* The limits of one request; 0: the default. */
typedef struct server_request_limits {
    size_t n_messages;      /* messages, input items or prompts; 16384 */
    size_t n_images;        /* images, and audio clips, each; 64 */
    size_t all_media_bytes; /* of the images and audio of all requests, as the model takes them; 1 GiB */
    size_t image_bytes;     /* of one image file, data URL or audio clip, decoded; 32 MiB */
    size_t n_choices;       /* n times the number of prompts; 128 */
    size_t n_values;        /* JSON values of a body; 2^18 */
    size_t n_prompt_bytes;  /* of one prompt as text, rendered; 16 MiB */
    size_t n_logprobs;      /* entries in an answer: 1 + top for each token of prompts and choices that has
                             * logprobs, with max_tokens as the length of a choice; 2^22 */
} server_request_limits;

/* The checkpoint that is served. Everything but the strings is borrowed until server_requests_free.
 * Required: dir, model, serving, tokenizer, vocab. */
typedef struct server_requests_options {
    const char *dir;
    const char *model;                /* the name by which requests ask for it */
    const assay_serving *serving;     /* has template_render if the checkpoint has a chat template */
    const assay_tokenizer *tokenizer; /* of serving */
    size_t vocab;                     /* of the model: width of the logits */
    size_t n_ids;                     /* ids of prompts are below this; 0: as many as vocab */
    size_t max_positions;             /* of a prompt and its completion; 0: no limit */
    size_t max_tokens;                /* of a completion whose request gives no limit; 0: up to max_positions,
                                       * or 4096 if that is 0 */
    const char *files;             /* the directory that file: URLs of images may name files in; NULL: none */
    const char *reasoning, *tools; /* names of the parsers; NULL: by the tokenizer's markers; "none": none */
    server_request_limits limits;
} server_requests_options;

/* A special token that templates see. Both owned. */
typedef struct server_named_token {
    char *name, *text;
} server_named_token;

typedef struct server_requests {
    server_requests_options options;       /* with all defaults filled in; the strings are those below */
    char *dir, *model, *files;             /* files: the real path, without a slash at its end; NULL: none */
    char *reasoning, *tools;               /* NULL: none */
    serve_chat_source source, tool_source; /* for requests without and with tools; place NULL: none */
    server_named_token *tokens;            /* [n_tokens] */
    size_t n_tokens;
    bool has_processor;    /* of any kind: the tokenizer adds its special tokens to a rendered prompt */
    bool has_images;       /* the checkpoint's image processor is supported */
    assay_error no_images; /* why not */
    image_config images;
    serve_placeholder placeholder;
    int32_t placeholder_id; /* -1 without images */
    server_gate *gate;      /* of images */
    bool has_audio;         /* the checkpoint's processor of audio clips is supported */
    assay_error no_audio;   /* why not */
    serve_audio_processor audios;
    serve_placeholder audio_placeholder;
    int32_t audio_placeholder_id; /* -1 without audio clips */
} server_requests;

/* Reads the chat template, the special tokens, the processors of images and audio and the parsers of the
 * checkpoint. A checkpoint may lack a chat template or a processor: requests that need one are refused. Fails
 * naming the file. */
assay_status server_requests_open(const server_requests_options *options, server_requests **out,
                                  assay_error *err);
void server_requests_free(server_requests *requests);

/* The names of the parsers in use; NULL: none. */
const char *server_requests_reasoning(const server_requests *requests);
const char *server_requests_tools(const server_requests *requests);

#endif
