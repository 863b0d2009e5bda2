/* Turns bodies of requests into jobs of the scheduler, on threads of its own: rendering, tokenising and
 * decoding images take too long for the threads of HTTP and of evaluation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_INTAKE_H
#define SERVER_INTAKE_H

#include "server/evaluate/scheduler.h"
#include "server/request/read.h"

/* n_queued, queued_bytes: the most bodies that wait, and their bytes. */
typedef struct server_intake_options {
    size_t n_threads, n_queued, queued_bytes;
} server_intake_options;

typedef struct server_intake server_intake;

/* requests, scheduler: borrowed until server_intake_free. Fails with ASSAY_ENOMEM. */
assay_status server_intake_open(const server_model *model, const server_requests *requests,
                                server_scheduler *scheduler, const server_intake_options *options,
                                server_intake **out, assay_error *err);
/* Takes over the body, [n]; x is borrowed. Answers the exchange with 429 if the queue is full, and with 503
 * after server_intake_stop. */
void server_intake_put(server_intake *in, serve_endpoint endpoint, char *body, size_t n, server_exchange *x);
/* Later bodies are answered with 503. */
void server_intake_stop(server_intake *in);
/* Whether no body waits or is being read. */
bool server_intake_is_idle(server_intake *in);
/* Ends the threads; bodies that wait, and later ones, are answered with 503. */
void server_intake_end(server_intake *in);
/* server_intake_end, and frees it: nothing may call server_intake_put any more. NULL allowed. */
void server_intake_free(server_intake *in);

#endif
