/* SPDX-License-Identifier: Apache-2.0 */
#include "server/evaluate/answer.h"

#include "base/error.h"
#include "server/request/refusal.h"

/* Where bytes of a response go. */
typedef struct writing {
    server_job *job;
    bool failed;
} writing;

static const char *content_type(const server_job *job)
{
    return job->request->streams ? "text/event-stream" : "application/json";
}

static void take_bytes(void *context, const char *bytes, size_t n)
{
    writing *w = context;
    server_exchange_begin(w->job->exchange, 200, content_type(w->job));
    if (!server_exchange_put(w->job->exchange, bytes, n)) w->failed = true;
}

assay_status server_answer_chunk(server_job *job, const assay_response_chunk *chunk, assay_error *err)
{
    writing w = {.job = job};
    const assay_byte_sink sink = {.take = take_bytes, .context = &w};
    const assay_status rc = job->serving->response_chunk(job->response, chunk, &sink, err);
    if (rc != ASSAY_OK) return rc;
    return w.failed ? assay_fail(err, ASSAY_ENOMEM, "an answer: out of memory") : ASSAY_OK;
}

void server_answer_end(server_job *job)
{
    writing w = {.job = job};
    const assay_byte_sink sink = {.take = take_bytes, .context = &w};
    (void)job->serving->response_end(job->response, &sink, NULL);
    server_exchange_end(job->exchange);
}

void server_answer_fail(server_job *job, int status, const char *text)
{
    const char *type;
    writing w = {.job = job};
    const assay_byte_sink sink = {.take = take_bytes, .context = &w};
    buffer body = {0};
    if (server_exchange_status(job->exchange, &type) != 0) {
        (void)job->serving->response_fail(job->response, text, &sink, NULL);
    } else {
        server_exchange_begin(job->exchange, status, "application/json");
        if (server_refusal_write(job->request->endpoint, status, "", text, &body))
            (void)server_exchange_put(job->exchange, body.data, body.n);
    }
    server_exchange_end(job->exchange);
    buffer_free(&body);
}
