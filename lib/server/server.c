/* SPDX-License-Identifier: Apache-2.0 */
#include "server/server.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "server/answers.h"
#include "server/http/http.h"
#include "server/http/listen.h"
#include "server/intake.h"

#define READERS      2                   /* threads that read requests */
#define BODIES_BYTES ((size_t)256 << 20) /* of requests that are received, and of those that wait */

const server_limits server_limits_default = {.n_running = 32,
                                             .n_queued = 256,
                                             .n_connections = 4096,
                                             .body_bytes = (size_t)64 << 20,
                                             .n_images = 16,
                                             .image_bytes = (size_t)32 << 20,
                                             .n_choices = 128,
                                             .n_logprobs = (size_t)1 << 20,
                                             .idle_seconds = 60,
                                             .receive_seconds = 120,
                                             .stall_seconds = 60};

struct server {
    server_metrics *metrics;
    server_model *model;
    server_requests *requests;
    server_scheduler *scheduler;
    server_intake *intake;
    server_http *http;
    server_service service;
    atomic_bool stopping;
};

/* server_service.post */
static void post_body(void *context, serve_endpoint endpoint, char *body, size_t n, server_exchange *x)
{
    server *s = context;
    server_intake_put(s->intake, endpoint, body, n, x);
}

/* server_service.get */
static int get_path(void *context, const char *path, const char **content_type, buffer *body)
{
    server *s = context;
    const server_answers a = {
        .model = s->model, .metrics = s->metrics, .stopping = atomic_load(&s->stopping)};
    return server_answers_get(&a, path, content_type, body);
}

static assay_status open_requests(server *s, const server_options *o, assay_error *err)
{
    const server_requests_options options = {.dir = s->model->dir,
                                             .model = s->model->name,
                                             .serving = s->model->serving,
                                             .tokenizer = s->model->tokenizer,
                                             .vocab = s->model->vocab,
                                             .n_ids = s->model->n_ids,
                                             .max_positions = s->model->max_positions,
                                             .max_tokens = o->max_tokens,
                                             .files = o->files,
                                             .reasoning = o->reasoning,
                                             .tools = o->tools,
                                             .limits = {.n_images = o->limits.n_images,
                                                        .image_bytes = o->limits.image_bytes,
                                                        .n_choices = o->limits.n_choices,
                                                        .n_logprobs = o->limits.n_logprobs}};
    return server_requests_open(&options, &s->requests, err);
}

static assay_status open_evaluation(server *s, const server_limits *l, assay_error *err)
{
    const server_scheduler_options scheduling = {
        .n_running = l->n_running, .n_queued = l->n_queued, .stall_seconds = l->stall_seconds};
    const server_intake_options reading = {
        .n_threads = READERS, .n_queued = l->n_queued, .queued_bytes = BODIES_BYTES};
    assay_status rc = server_scheduler_open(s->model, s->metrics, &scheduling, &s->scheduler, err);
    if (rc == ASSAY_OK)
        rc = server_intake_open(s->model, s->requests, s->scheduler, &reading, &s->intake, err);
    return rc;
}

static assay_status open_http(server *s, const server_options *o, assay_error *err)
{
    const server_http_options options = {.host = o->host,
                                         .port = o->port,
                                         .key = o->key,
                                         .n_connections = o->limits.n_connections,
                                         .body_bytes = o->limits.body_bytes,
                                         .all_bodies_bytes = BODIES_BYTES,
                                         .idle_seconds = o->limits.idle_seconds,
                                         .receive_seconds = o->limits.receive_seconds,
                                         .silent_seconds = SERVER_PROBE_SECONDS * (SERVER_PROBES + 1)};
    s->service = (server_service){.context = s, .post = post_body, .get = get_path};
    return server_http_open(&options, &s->service, s->metrics, &s->http, err);
}

assay_status server_open(const server_options *options, server **out, assay_error *err)
{
    server *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "the server: out of memory");
    s->metrics = server_metrics_new();
    assay_status rc = s->metrics ? server_model_open(&options->model, &s->model, err)
                                 : assay_fail(err, ASSAY_ENOMEM, "the server: out of memory");
    if (rc == ASSAY_OK) rc = open_requests(s, options, err);
    if (rc == ASSAY_OK) rc = open_evaluation(s, &options->limits, err);
    if (rc == ASSAY_OK) rc = open_http(s, options, err);
    if (rc == ASSAY_OK) *out = s;
    else server_free(s);
    return rc;
}

const char *server_name(const server *s)
{
    return s->model->name;
}

uint16_t server_port(const server *s)
{
    return server_http_port(s->http);
}

void server_stop(server *s)
{
    atomic_store(&s->stopping, true);
    server_intake_stop(s->intake);
}

bool server_is_idle(server *s)
{
    return server_intake_is_idle(s->intake) && server_scheduler_is_idle(s->scheduler) &&
           server_http_busy(s->http) == 0;
}

/* Lets HTTP send the answers that are complete, to clients that read them within a second. */
static void send_last_answers(server *s)
{
    const struct timespec tick = {.tv_nsec = 10000000};
    for (size_t i = 0; s->http && i < 100 && server_http_busy(s->http) > 0; i++) (void)nanosleep(&tick, NULL);
}

/* libmicrohttpd closes no suspended connection: the threads that answer exchanges end first, with an error
 * for each that is not answered, which resumes its connection. */
void server_free(server *s)
{
    if (!s) return;
    if (s->intake) server_intake_end(s->intake);
    server_scheduler_free(s->scheduler);
    send_last_answers(s);
    server_http_free(s->http);
    server_intake_free(s->intake);
    server_requests_free(s->requests);
    server_model_close(s->model);
    server_metrics_free(s->metrics);
    free(s);
}
