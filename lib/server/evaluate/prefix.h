/* A prompt of a job while its choices are evaluated: the logprobs of its tokens, and its evaluated sample,
 * from which further choices are copied.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_EVALUATE_PREFIX_H
#define SERVER_EVALUATE_PREFIX_H

#include "server/evaluate/logprobs.h"
#include "server/evaluate/sample.h"
#include "server/evaluate/seats.h"
#include "server/request/request.h"

/* wants:     logprobs of the prompt are wanted.
 * n_known:   how many of its tokens have logprobs. Choices that are evaluated from its first token, because
 * the engine cannot copy, find the later ones known. pending:   its first choice has not finished the prompt.
 * parked:    a sample with the whole prompt, or none.
 * logits:    [vocab], those after the prompt, while `parked` is there. */
typedef struct server_prefix {
    const server_prompt *prompt;
    bool wants, pending;
    size_t n_top, n_known;
    assay_logprobs *logprobs;  /* [n_tokens] */
    assay_token_logprob *tops; /* [n_tokens, n_top] */
    server_seat parked;
    void *logits;
} server_prefix;

/* Fails with ASSAY_ENOMEM. */
assay_status server_prefix_open(const server_model *model, const server_request *request, size_t prompt,
                                server_prefix *out, assay_error *err);
/* Gives up the parked sample, too. */
void server_prefix_free(server_prefix *p, server_seats *seats);

/* Takes the logits of the n tokens from token n_done on: [n, vocab]. Fails as server_logprobs_of does. */
assay_status server_prefix_take(server_prefix *p, server_logprobs *l, size_t n_done, size_t n,
                                const void *logits, const server_model *model, assay_error *err);

/* Parks a copy of an evaluated sample, with the logits after it, for later choices. Does nothing if the
 * engine cannot copy. */
void server_prefix_park(server_prefix *p, server_seats *seats, const server_seat *from, const void *logits,
                        const server_model *model);

server_prompt_report server_prefix_report(const server_prefix *p);

#endif
