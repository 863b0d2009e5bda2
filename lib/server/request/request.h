/* A request as the scheduler needs it: tokens, images, audio, sampling, limits, and what the answer must
 * report.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_REQUEST_H
#define SERVER_REQUEST_REQUEST_H

#include <assay/engine.h>
#include <assay/serving.h>

#include "base/buffer.h"
#include "dialogue/grammar/options.h"
#include "dialogue/sampler.h"

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
    struct serve_audio *audios;
    struct server_gate *gate; /* where the bytes of both are held; NULL: nowhere */
    size_t n_media_bytes;
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

/* NULL allowed. */
void server_request_free(server_request *request);

#endif
