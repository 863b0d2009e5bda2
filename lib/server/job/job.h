/* A request that is to be evaluated, and where its answer goes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_JOB_JOB_H
#define SERVER_JOB_JOB_H

#include "server/job/exchange.h"
#include "server/request/request.h"

/* request, response: owned; the response was opened for the request.
 * exchange:          a reference, owned.
 * seed:              that of the request, or one that the server has drawn. Choice i of each prompt has
 *                    seed + i, modulo 2^64.
 * received:          when the request was received, seconds of the monotonic clock. */
typedef struct server_job {
    server_request *request;
    assay_response *response;
    const assay_serving *serving; /* frees the response */
    server_exchange *exchange;
    uint64_t seed;
    double received;
} server_job;

/* Frees the job with everything that it owns. NULL allowed. */
void server_job_free(server_job *job);

#endif
