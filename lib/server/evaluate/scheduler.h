/* Evaluates jobs: one thread, which builds each step from all samples that run.
 *
 * Between two steps the thread removes the samples of jobs that are over or whose client has gone, and starts
 * choices of waiting jobs in the order in which these were submitted. Then it makes one round (round.h).
 * Nothing in an answer depends on the other samples.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_EVALUATE_SCHEDULER_H
#define SERVER_EVALUATE_SCHEDULER_H

#include "server/job/job.h"
#include "server/job/metrics.h"
#include "server/job/model.h"

typedef struct server_scheduler server_scheduler;

/* n_running:     the most samples that are evaluated at once, at least 1.
 * n_queued:      the most jobs of which no choice has started.
 * stall_seconds: a client that takes no bytes for this long while some wait for it counts as gone. */
typedef struct server_scheduler_options {
    size_t n_running, n_queued;
    double stall_seconds;
} server_scheduler_options;

typedef enum server_submitted {
    SERVER_SUBMITTED,
    SERVER_QUEUE_IS_FULL, /* 429 */
    SERVER_IS_STOPPING,   /* 503 */
    SERVER_NO_MEMORY      /* 503 */
} server_submitted;

/* Starts the thread. model, metrics: borrowed until server_scheduler_free. Fails as session_open of the
 * engine and the tokenizer do, and with ASSAY_ENOMEM. */
assay_status server_scheduler_open(const server_model *model, server_metrics *metrics,
                                   const server_scheduler_options *options, server_scheduler **out,
                                   assay_error *err);
/* The job is the scheduler's if the result is SERVER_SUBMITTED, and else still the caller's. From any thread.
 */
server_submitted server_scheduler_submit(server_scheduler *s, server_job *job);
/* Whether a job would be refused because the queue is full. */
bool server_scheduler_is_full(server_scheduler *s);
/* No job is accepted any more; those that were are finished. */
void server_scheduler_stop(server_scheduler *s);
/* Whether no job waits or runs. */
bool server_scheduler_is_idle(server_scheduler *s);
/* Ends the thread after its current step; jobs that wait or run fail with 503. NULL allowed. */
void server_scheduler_free(server_scheduler *s);

#endif
