/* Logprobs as JSON, in the published spellings.
 *
 * A logprob is written with the digits that identify the double; -9999 stands for minus infinity, as in
 * OpenAI's API, and null for a token that has none. A token is its text, with U+FFFD for bytes that are not
 * UTF-8, or, if ids_as_tokens is set, "token_id:" and its id (vLLM, return_tokens_as_token_ids).
 *
 * Each function appends one JSON value to *out, which records a failed allocation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_RESPONSE_LOGPROBS_H
#define DIALOGUE_RESPONSE_LOGPROBS_H

#include <assay/serving.h>

#include "base/buffer.h"

void serve_logprobs_number(buffer *out, double logprob);
void serve_logprobs_token(buffer *out, const assay_token_logprob *token, bool ids_as_tokens);

/* An element of chat completions' logprobs.content and of Responses' output_text.logprobs: token, logprob,
 * bytes (the true ones), top_logprobs, and the id, which llama.cpp's server adds. */
void serve_logprobs_object(buffer *out, const assay_logprobs *l, bool ids_as_tokens);

/* An element of completions' top_logprobs: logprobs by token, the token itself first. Of tokens with the same
 * text only the first is there, since a JSON object has one member of a name. null without a logprob. */
void serve_logprobs_map(buffer *out, const assay_logprobs *l, bool ids_as_tokens);

/* An element of vLLM's prompt_logprobs: logprob, rank and decoded_token by id, the token itself first. null
 * without a logprob. */
void serve_logprobs_by_id(buffer *out, const assay_logprobs *l);

#endif
