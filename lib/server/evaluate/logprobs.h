/* Logarithms of the probabilities that a row of logits gives to tokens: log-softmax in double, of the logits
 * as the engine returned them, before temperature, penalties and truncation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_EVALUATE_LOGPROBS_H
#define SERVER_EVALUATE_LOGPROBS_H

#include "server/evaluate/token_text.h"

/* Working memory, used by one thread at a time. */
typedef struct server_logprobs server_logprobs;

/* texts: borrowed until server_logprobs_free. */
assay_status server_logprobs_open(const server_model *model, server_token_texts *texts, server_logprobs **out,
                                  assay_error *err);
void server_logprobs_free(server_logprobs *l);

/* Writes the logprob of a token, and those of the n_top most probable ones, by descending logit, then by id.
 * logits: [vocab], of type ASSAY_F32 or ASSAY_F64. A NaN counts as minus infinity; if there is no finite
 * logit, all logprobs are NaN.
 * token:  a valid id, whose logprob is minus infinity if it has no logit; -1: none is wanted, and out->token
 *         is untouched.
 * top:    [min(n_top, vocab)], which out->top then points to.
 * Fails as server_token_text does. */
assay_status server_logprobs_of(server_logprobs *l, const void *logits, assay_dtype dtype, int32_t token,
                                size_t n_top, assay_token_logprob *top, assay_logprobs *out,
                                assay_error *err);

/* server_token_text of the texts that l was opened with. */
assay_status server_logprobs_text(server_logprobs *l, int32_t id, assay_text *out, assay_error *err);

#endif
