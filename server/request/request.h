/* From the body of a request to what the scheduler needs: tokens, images, sampling, limits, and what the
 * answer must report. One context serves all threads; reading a request changes nothing in it.
 *
 * No member of a request is accepted and ignored: it is honoured; refused, with its name, if it would change
 * the answer; or one of the few that change nothing (server/request/members.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_REQUEST_H
#define SERVER_REQUEST_REQUEST_H

#include <assay/engine.h>
#include <assay/serving.h>

#include "base/buffer.h"
#include "server/request/refusal.h"
#include "serving/grammar/options.h"
#include "serving/sampler.h"

/* The limits of one request; 0: the default. */
typedef struct server_request_limits {
    size_t n_messages;     /* messages, input items or prompts; 16384 */
    size_t n_images;       /* 64 */
    size_t image_bytes;    /* of one image file or data URL, decoded; 32 MiB */
    size_t n_choices;      /* n times the number of prompts; 128 */
    size_t n_values;       /* JSON values of a body; 2^18 */
    size_t n_prompt_bytes; /* of one prompt as text, rendered; 16 MiB */
    size_t n_logprobs;     /* entries in an answer: 1 + top for each token of prompts and choices that has
                            * logprobs, with max_tokens as the length of a choice; 2^22 */
} server_request_limits;

/* The checkpoint that is served. Everything but the strings is borrowed until server_requests_free.
 * Required: dir, model, serving, tokenizer, vocab. */
typedef struct server_requests_options {
    const char *dir;
    const char *model;                /* the name by which requests ask for it */
    const assay_serving *serving;     /* has template_render if the checkpoint has a chat template */
    const assay_tokenizer *tokenizer; /* of serving */
    size_t vocab;                     /* of the model */
    size_t max_positions;             /* of a prompt and its completion; 0: no limit */
    size_t max_tokens;                /* of a completion whose request gives no limit; 0: up to max_positions,
                                       * or 4096 if that is 0 */
    const char *files;             /* the directory that file: URLs of images may name files in; NULL: none */
    const char *reasoning, *tools; /* names of the parsers; NULL: by the tokenizer's markers; "none": none */
    server_request_limits limits;
} server_requests_options;

typedef struct server_requests server_requests;

/* Reads the chat template, the special tokens, the image processor and the parsers of the checkpoint. A
 * checkpoint may lack a chat template or an image processor: requests that need one are refused.
 * Fails naming the file. */
assay_status server_requests_open(const server_requests_options *options, server_requests **out,
                                  assay_error *err);
void server_requests_free(server_requests *requests);

/* The names of the parsers in use; NULL: none. */
const char *server_requests_reasoning(const server_requests *requests);
const char *server_requests_tools(const server_requests *requests);

/* One prompt of a request. */
typedef struct server_prompt {
    int32_t *tokens; /* [n_tokens], n_tokens > 0, each within the vocabulary; owned */
    size_t n_tokens;
    buffer text; /* completions: as the client gave it, or decoded from its ids, for `echo` */
    /* [n_items], in the order of their placeholder tokens. offset and n_tokens: the span of the placeholder
     * tokens of each in `tokens`, so that no step of the scheduler divides it. */
    const assay_item *items;
    size_t n_items;
    struct serve_images *images; /* what items points into; NULL: none */
} server_prompt;

typedef struct server_request {
    serve_endpoint endpoint;
    bool streams;
    server_prompt *prompts; /* [n_prompts], n_prompts > 0; more than one in completions only */
    size_t n_prompts;
    size_t n; /* choices of each prompt; choice i of prompt k is choice k * n + i of the response */

    serve_sampling sampling; /* of choice i of a prompt: with seed + i, modulo 2^64 */
    bool has_seed;           /* false: sampling.seed is 0, and the server chooses one */
    size_t max_tokens;      /* of each choice; with its prompt at most max_positions. 0: nothing is generated,
                             * and the finish reason is "length" */
    assay_text *stop_texts; /* [n_stop_texts], owned with their texts */
    size_t n_stop_texts;
    bool thinking_off;    /* the request turns thinking off */
    bool ignore_stop_ids; /* ignore_eos: stop ids do not end the completion */

    bool logprobs;        /* of the generated tokens are wanted, with the n_top most probable */
    size_t n_top;         /* at most the vocabulary */
    bool prompt_logprobs; /* of the tokens of the prompts are wanted, with the n_prompt_top most probable */
    size_t n_prompt_top;
    bool echo;      /* the response's first chunks need prompt_text */
    bool token_ids; /* the response's chunks need token_ids and prompt_token_ids */

    char *body; /* [n_body], the request for response_open; owned */
    size_t n_body;
} server_request;

/* Reads a body. body: any bytes. ASSAY_EINVAL if the request is refused, which *refusal describes;
 * ASSAY_ENOMEM, with *refusal filled in as well (500). *out is untouched on failure; free it with
 * server_request_free. Uses the caller's thread for everything: rendering, tokenising, decoding images. */
assay_status server_request_read(const server_requests *requests, serve_endpoint endpoint, assay_text body,
                                 server_request **out, server_refusal *refusal);
void server_request_free(server_request *request);

/* Opens the response to a request (assay/serving.h, response_open). id, created: as there. */
assay_status server_request_respond(const server_requests *requests, const server_request *request,
                                    const char *id, int64_t created, assay_response **out, assay_error *err);

#endif
