/* SPDX-License-Identifier: Apache-2.0 */
#include "server/intake.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/error.h"
#include "server/job/clock.h"

#define ID_BYTES 12

/* A body that waits. */
typedef struct waiting {
    struct waiting *next;
    serve_endpoint endpoint;
    char *body; /* [n] */
    size_t n;
    server_exchange *exchange; /* a reference */
    double received;
} waiting;

struct server_intake {
    const server_model *model;
    const server_requests *requests;
    server_scheduler *scheduler;
    server_intake_options options;
    pthread_t *threads; /* [n_threads] */
    size_t n_threads;
    pthread_mutex_t lock; /* of the next members */
    pthread_cond_t changed;
    waiting *first, **last;
    size_t n_queued, n_bytes, n_reading;
    bool stopping, ending;
};

static void *read_bodies(void *context);

assay_status server_intake_open(const server_model *model, const server_requests *requests,
                                server_scheduler *scheduler, const server_intake_options *options,
                                server_intake **out, assay_error *err)
{
    server_intake *in = calloc(1, sizeof *in);
    if (!in) return assay_fail(err, ASSAY_ENOMEM, "intake: out of memory");
    in->model = model;
    in->requests = requests;
    in->scheduler = scheduler;
    in->options = *options;
    in->last = &in->first;
    (void)pthread_mutex_init(&in->lock, NULL);
    (void)pthread_cond_init(&in->changed, NULL);
    in->threads = calloc(options->n_threads, sizeof *in->threads);
    while (in->threads && in->n_threads < options->n_threads &&
           pthread_create(&in->threads[in->n_threads], NULL, read_bodies, in) == 0)
        in->n_threads++;
    if (in->n_threads < options->n_threads) {
        server_intake_free(in);
        return assay_fail(err, ASSAY_ENOMEM, "intake: found no thread");
    }
    *out = in;
    return ASSAY_OK;
}

/* Answers with an error. */
static void answer_error(server_exchange *x, serve_endpoint endpoint, int status, const char *member,
                         const char *text)
{
    buffer body = {0};
    server_exchange_begin(x, status, "application/json");
    if (server_refusal_write(endpoint, status, member, text, &body))
        (void)server_exchange_put(x, body.data, body.n);
    server_exchange_end(x);
    buffer_free(&body);
}

static void free_waiting(waiting *w)
{
    server_exchange_release(w->exchange);
    free(w->body);
    free(w);
}

/* What a submission that failed is answered with; NULL: it has not failed. */
static const char *describe_submitted(server_submitted result, int *status)
{
    *status = result == SERVER_QUEUE_IS_FULL ? 429 : 503;
    switch (result) {
    case SERVER_SUBMITTED: return NULL;
    case SERVER_QUEUE_IS_FULL: return "the queue of requests is full";
    case SERVER_IS_STOPPING: return "the server is stopping";
    case SERVER_NO_MEMORY: return "out of memory";
    }
    return NULL;
}

/* Takes over what w has if the result is SERVER_SUBMITTED. */
static server_submitted enqueue(server_intake *in, waiting *w)
{
    server_submitted result = SERVER_SUBMITTED;
    (void)pthread_mutex_lock(&in->lock);
    if (in->stopping) result = SERVER_IS_STOPPING;
    else if (in->n_queued >= in->options.n_queued || w->n > in->options.queued_bytes - in->n_bytes)
        result = SERVER_QUEUE_IS_FULL;
    if (result == SERVER_SUBMITTED) {
        *in->last = w;
        in->last = &w->next;
        in->n_queued++;
        in->n_bytes += w->n;
        (void)pthread_cond_signal(&in->changed);
    }
    (void)pthread_mutex_unlock(&in->lock);
    return result;
}

void server_intake_put(server_intake *in, serve_endpoint endpoint, char *body, size_t n, server_exchange *x)
{
    server_submitted result = SERVER_NO_MEMORY;
    int status;
    waiting *w = calloc(1, sizeof *w);
    if (w) {
        server_exchange_hold(x);
        *w = (waiting){NULL, endpoint, body, n, x, server_clock()};
        result = enqueue(in, w);
    }
    const char *why = describe_submitted(result, &status);
    if (!why) return;
    answer_error(x, endpoint, status, "", why);
    if (w) free_waiting(w);
    else free(body);
}

void server_intake_stop(server_intake *in)
{
    (void)pthread_mutex_lock(&in->lock);
    in->stopping = true;
    (void)pthread_mutex_unlock(&in->lock);
}

bool server_intake_is_idle(server_intake *in)
{
    (void)pthread_mutex_lock(&in->lock);
    const bool idle = in->n_queued == 0 && in->n_reading == 0;
    (void)pthread_mutex_unlock(&in->lock);
    return idle;
}

void server_intake_end(server_intake *in)
{
    (void)pthread_mutex_lock(&in->lock);
    in->stopping = in->ending = true;
    (void)pthread_cond_broadcast(&in->changed);
    waiting *w = in->first;
    in->first = NULL;
    in->last = &in->first;
    in->n_queued = 0;
    (void)pthread_mutex_unlock(&in->lock);
    for (waiting *next; w; w = next) {
        next = w->next;
        answer_error(w->exchange, w->endpoint, 503, "", "the server is stopping");
        free_waiting(w);
    }
    for (; in->n_threads > 0; in->n_threads--) (void)pthread_join(in->threads[in->n_threads - 1], NULL);
}

void server_intake_free(server_intake *in)
{
    if (!in) return;
    server_intake_end(in);
    (void)pthread_cond_destroy(&in->changed);
    (void)pthread_mutex_destroy(&in->lock);
    free(in->threads);
    free(in);
}

/* ---- The threads ---- */

/* Random hexadecimal digits, so that no answer has the id of another one. */
static void draw_id(char id[2 * ID_BYTES + 1])
{
    unsigned char bytes[ID_BYTES] = {0};
    (void)getrandom(bytes, sizeof bytes, 0);
    for (size_t i = 0; i < ID_BYTES; i++) (void)snprintf(id + 2 * i, 3, "%02x", bytes[i]);
}

static uint64_t draw_seed(void)
{
    uint64_t seed = 0;
    (void)getrandom(&seed, sizeof seed, 0);
    return seed;
}

/* The job of a request; NULL, and the exchange is answered, if there is no response to it. */
static server_job *make_job(server_intake *in, waiting *w, server_request *request)
{
    char id[2 * ID_BYTES + 1];
    assay_error err = {0};
    server_job *job = calloc(1, sizeof *job);
    if (!job) {
        answer_error(w->exchange, w->endpoint, 503, "", "out of memory");
        return NULL;
    }
    draw_id(id);
    server_exchange_hold(w->exchange);
    *job = (server_job){.request = request,
                        .serving = in->model->serving,
                        .exchange = w->exchange,
                        .seed = request->has_seed ? request->sampling.seed : draw_seed(),
                        .received = w->received};
    const assay_status rc =
        server_request_respond(in->requests, request, id, (int64_t)time(NULL), &job->response, &err);
    if (rc == ASSAY_OK) return job;
    answer_error(w->exchange, w->endpoint,
                 rc == ASSAY_ENOMEM    ? 503
                 : rc == ASSAY_EFORMAT ? 400
                                       : 500,
                 "", err.text);
    job->request = NULL;
    server_job_free(job);
    return NULL;
}

static bool is_wanted(void *context)
{
    return !server_exchange_is_abandoned(context);
}

static void read_body(server_intake *in, waiting *w)
{
    server_refusal refusal = {.status = 500};
    server_request *request = NULL;
    const server_wanted wanted = {is_wanted, w->exchange};
    int status;
    if (server_exchange_is_abandoned(w->exchange)) return;
    if (server_scheduler_is_full(in->scheduler)) {
        answer_error(w->exchange, w->endpoint, 429, "", describe_submitted(SERVER_QUEUE_IS_FULL, &status));
        return;
    }
    if (server_request_read(in->requests, w->endpoint, (assay_text){w->body ? w->body : "", w->n}, &wanted,
                            &request, &refusal) != ASSAY_OK) {
        answer_error(w->exchange, w->endpoint, refusal.status, refusal.member, refusal.text);
        return;
    }
    free(w->body);
    w->body = NULL;
    server_job *job = make_job(in, w, request);
    if (!job) {
        server_request_free(request);
        return;
    }
    const char *why = describe_submitted(server_scheduler_submit(in->scheduler, job), &status);
    if (!why) return;
    answer_error(w->exchange, w->endpoint, status, "", why);
    server_job_free(job);
}

/* The next body; NULL: the threads end. */
static waiting *next_body(server_intake *in)
{
    (void)pthread_mutex_lock(&in->lock);
    while (!in->ending && !in->first) (void)pthread_cond_wait(&in->changed, &in->lock);
    waiting *w = in->ending ? NULL : in->first;
    if (w) {
        in->first = w->next;
        if (!in->first) in->last = &in->first;
        in->n_queued--;
        in->n_reading++;
    }
    (void)pthread_mutex_unlock(&in->lock);
    return w;
}

static void *read_bodies(void *context)
{
    server_intake *in = context;
    for (waiting *w; (w = next_body(in));) {
        const size_t n = w->n;
        read_body(in, w);
        free_waiting(w);
        (void)pthread_mutex_lock(&in->lock);
        in->n_bytes -= n;
        in->n_reading--;
        (void)pthread_mutex_unlock(&in->lock);
    }
    return NULL;
}
