/* SPDX-License-Identifier: Apache-2.0 */
#include "server/job/job.h"

#include <stdlib.h>

void server_job_free(server_job *job)
{
    if (!job) return;
    if (job->response) job->serving->response_free(job->response);
    server_request_free(job->request);
    server_exchange_release(job->exchange);
    free(job);
}
