/* One choice of a job: from logits to its next token, and to the chunks of the answer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_EVALUATE_SAMPLE_H
#define SERVER_EVALUATE_SAMPLE_H

#include "server/evaluate/logprobs.h"
#include "server/job/job.h"

typedef struct server_sample server_sample;

/* What the answer reports of a prompt. logprobs: [n_logprobs] of its tokens, or none. */
typedef struct server_prompt_report {
    const assay_logprobs *logprobs;
    size_t n_logprobs;
} server_prompt_report;

/* choice: the index of the choice in the answer; its prompt is choice / n. model, job: borrowed until
 * server_sample_free. Fails as the sampler and completion_open do. */
assay_status server_sample_open(const server_model *model, server_job *job, size_t choice,
                                server_sample **out, assay_error *err);
void server_sample_free(server_sample *s);

/* Takes the logits after the prompt or after the latest token: chooses the next token, and passes a chunk to
 * the answer. report: used by the first call. l: working memory. *finished: this was the last chunk of the
 * choice; otherwise *token is to be evaluated next.
 * Fails with ASSAY_EINTERNAL if all logits are NaN or minus infinity, and as completion_push,
 * server_logprobs_of and server_answer_chunk do. */
assay_status server_sample_take(server_sample *s, const void *logits, const server_prompt_report *report,
                                server_logprobs *l, int32_t *token, bool *finished, assay_error *err);

/* How many tokens were generated. */
size_t server_sample_count(const server_sample *s);
/* These tokens. */
const int32_t *server_sample_tokens(const server_sample *s);

#endif
