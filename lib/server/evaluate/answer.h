/* The answer to a job: from chunks of its choices to the bytes of its exchange.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_EVALUATE_ANSWER_H
#define SERVER_EVALUATE_ANSWER_H

#include "server/job/job.h"

/* Passes a chunk to the response, and what that writes to the exchange. The status is 200 as soon as there
 * are bytes. Fails as response_chunk does, and with ASSAY_ENOMEM if the exchange cannot keep the bytes. */
assay_status server_answer_chunk(server_job *job, const assay_response_chunk *chunk, assay_error *err);

/* All chunks have been passed. */
void server_answer_end(server_job *job);

/* Ends the answer with an error: as a response of its own, with that status, if nothing has been written,
 * else as the error event of the protocol. */
void server_answer_fail(server_job *job, int status, const char *text);

#endif
