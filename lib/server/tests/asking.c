/* SPDX-License-Identifier: Apache-2.0 */
#include "server/tests/asking.h"

#include <stdlib.h>
#include <time.h>

#include "base/tests/support.h"
#include "dialogue/table.h"
#include "server/tests/toy.h"

#define MODEL "fixtures/trained/qwen3/model"

static void ignore_wake(void *context)
{
    (void)context;
}

const server_scheduler_options asking_usual = {.n_running = 32, .n_queued = 64, .stall_seconds = 30};
const server_scheduler_options asking_one = {.n_running = 1, .n_queued = 2, .stall_seconds = 30};

void asking_open(asking *a, const assay_engine *engine, const server_scheduler_options *options)
{
    char dir[4096];
    assay_error err = {0};
    (void)snprintf(dir, sizeof dir, "%s/" MODEL, getenv("top_srcdir"));
    const server_model_options model = {
        .engine = engine, .serving = assay_serving_v2(), .dir = dir, .name = "toy"};
    ck_assert_msg(server_model_open(&model, &a->model, &err) == ASSAY_OK, "%s", err.text);
    const server_requests_options requests = {.dir = a->model->dir,
                                              .model = "toy",
                                              .serving = a->model->serving,
                                              .tokenizer = a->model->tokenizer,
                                              .vocab = a->model->vocab};
    ck_assert_msg(server_requests_open(&requests, &a->requests, &err) == ASSAY_OK, "%s", err.text);
    a->metrics = server_metrics_new();
    ck_assert_msg(server_scheduler_open(a->model, a->metrics, options, &a->scheduler, &err) == ASSAY_OK, "%s",
                  err.text);
}

void asking_close(asking *a)
{
    server_scheduler_free(a->scheduler);
    server_requests_free(a->requests);
    server_metrics_free(a->metrics);
    server_model_close(a->model);
    ck_assert_uint_eq(toy_count().n_samples, 0);
}

char *asking_question(size_t n_tokens, unsigned seed, const char *members)
{
    buffer b = {0};
    char id[16];
    (void)buffer_append_string(&b, "{\"model\":\"toy\",\"prompt\":[");
    for (size_t i = 0; i < n_tokens; i++) {
        seed = seed * 1664525U + 1013904223U;
        unsigned token = (seed >> 8) % TOY_VOCAB;
        if (token == TOY_FAILS || token == TOY_STOP) token = 14;
        (void)snprintf(id, sizeof id, "%s%u", i ? "," : "", token);
        (void)buffer_append_string(&b, id);
    }
    (void)buffer_append_string(&b, "]");
    (void)buffer_append_string(&b, members);
    (void)buffer_append(&b, "}", 2);
    ck_assert(!b.failed);
    return b.data;
}

void asking_ask(asking *a, char *question, asked *out)
{
    server_refusal refusal = {0};
    server_request *request = NULL;
    assay_error err = {0};
    const assay_text body = {question, strlen(question)};
    ck_assert_msg(server_request_read(a->requests, SERVE_COMPLETIONS, body, NULL, &request, &refusal) ==
                      ASSAY_OK,
                  "%s", refusal.text);
    server_job *job = calloc(1, sizeof *job);
    *out = (asked){.exchange = server_exchange_new(ignore_wake, NULL)};
    server_exchange_hold(out->exchange);
    *job = (server_job){.request = request,
                        .serving = a->model->serving,
                        .exchange = out->exchange,
                        .seed = request->sampling.seed};
    ck_assert_msg(server_request_respond(a->requests, request, "id", 0, &job->response, &err) == ASSAY_OK,
                  "%s", err.text);
    out->submitted = server_scheduler_submit(a->scheduler, job);
    if (out->submitted != SERVER_SUBMITTED) server_job_free(job);
    free(question);
}

bool asking_take(asked *q)
{
    char bytes[4096];
    const char *type;
    bool ended;
    for (size_t n; (n = server_exchange_take(q->exchange, bytes, sizeof bytes, &ended)) > 0;)
        (void)buffer_append(&q->body, bytes, n);
    q->status = server_exchange_status(q->exchange, &type);
    return ended;
}

void asking_wait(asked *q)
{
    const struct timespec tick = {.tv_nsec = 1000000};
    const time_t start = time(NULL);
    while (!asking_take(q)) {
        ck_assert_msg(time(NULL) - start < 60, "no answer for a minute");
        (void)nanosleep(&tick, NULL);
    }
}

void asking_expect_same(const asked *a, const asked *b)
{
    ck_assert_int_eq(a->status, b->status);
    ck_assert_uint_eq(a->body.n, b->body.n);
    ck_assert_mem_eq(a->body.data, b->body.data, a->body.n);
}

void asking_free(asked *q)
{
    server_exchange_release(q->exchange);
    buffer_free(&q->body);
}
