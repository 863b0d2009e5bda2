/* What a request and the server's options say about the response.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_RESPONSE_REQUEST_H
#define DIALOGUE_RESPONSE_REQUEST_H

#include <assay/serving.h>

#include "base/buffer.h"
#include "dialogue/grammar/grammar.h"

typedef struct serve_request {
    serve_endpoint endpoint;
    bool streams;
    bool usage;          /* chat completions and completions: a chunk with the usage is wanted */
    bool thinking_off;   /* by the request, by its template arguments, or by the server's */
    bool declines_tools; /* tool_choice none */
    bool one_call;       /* at most one call: parallel_tool_calls is false */
    size_t n;            /* choices of each prompt, at least 1 */
    size_t n_choices;    /* of all prompts */
    bool logprobs, prompt_logprobs, echo, token_ids; /* what is reported beside the text */
    bool ids_as_tokens;                              /* return_tokens_as_token_ids */
    buffer model;                                    /* terminated, as are the next two */
    buffer parser;                                   /* name of the reasoning parser; empty: none */
    buffer tools;                                    /* name of the tool-call parser; empty: none */
    buffer request; /* a JSON object with the tools, in the form of chat completions; empty: none */
} serve_request;

#define SERVE_CHOICES_MAX 16384

/* On failure *out holds nothing that must be freed. ASSAY_EFORMAT for an invalid member, ASSAY_EUNSUPPORTED
 * for an unknown endpoint, ASSAY_ENOMEM. */
assay_status serve_request_read(const assay_response_options *options, serve_request *out, assay_error *err);
void serve_request_free(serve_request *r);

#endif
