/* Jobs that are evaluated, and their choices that have a sample of the engine.
 *
 * Used by the evaluating thread alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_EVALUATE_TASK_H
#define SERVER_EVALUATE_TASK_H

#include "server/evaluate/prefix.h"
#include "server/evaluate/sample.h"
#include "server/evaluate/seats.h"
#include "server/job/job.h"
#include "server/job/metrics.h"

/* What the evaluating thread works with; all borrowed. */
typedef struct server_worker {
    const server_model *model;
    server_metrics *metrics;
    server_seats *seats;
    server_logprobs *logprobs;
} server_worker;

/* A job. n_choices: over all prompts. over: it is answered, or has failed; its choices are to be removed. */
typedef struct server_task {
    server_job *job;
    server_prefix *prefixes; /* [n_prompts of the request], opened when their first choice starts */
    bool *begun;             /* [n_prompts]: a choice has started to evaluate the prompt */
    size_t n_choices, n_started, n_finished;
    bool over;
} server_task;

/* A choice with a sample.
 * n_done: tokens that its sample has: of the prompt, then of those that were generated.
 * token:  generated, and to be evaluated next, once the sample has all tokens before it
 * (server_run_is_behind). whole:  the engine has refused to divide the prompt. */
typedef struct server_run {
    server_task *task;
    server_prefix *prefix;
    server_sample *sample;
    server_seat seat;
    size_t n_done;
    int32_t token;
    bool whole;
} server_run;

/* Takes over the job. On failure, ASSAY_ENOMEM, the job is still the caller's. */
assay_status server_task_open(server_job *job, server_task **out, assay_error *err);
void server_task_free(const server_worker *w, server_task *t);

/* Ends the task with an error. */
void server_task_fail(const server_worker *w, server_task *t, int status, const char *text);

/* Whether the next choice can start: there is one, the client is not slow, and if the prompt is being
 * evaluated by another choice, that one has finished the prompt or the engine cannot copy samples. */
bool server_task_can_start(const server_worker *w, const server_task *t);

/* Starts the next choice. After a failure the task is over, and false is returned. A choice whose prompt has
 * been evaluated takes its first token at once; *run is without a seat if it has finished with that. */
bool server_task_start(const server_worker *w, server_task *t, server_run *run);

/* Takes the logits after the run's prompt or token. Gives up the seat of a choice that has finished, and ends
 * the answer after the last one. */
void server_run_take(const server_worker *w, server_run *run, const void *logits);

/* Gives up what the run has. */
void server_run_close(const server_worker *w, server_run *run);

/* Evaluates the prompt again from its first token, in one step. After a failure the task is over. */
void server_run_restart(const server_worker *w, server_run *run);

/* Gives up the sample, and that with the prompt: server_run_resume takes another one, which is evaluated from
 * the first token on. False after a failure: the task is over. */
void server_run_rest(const server_worker *w, server_run *run);
bool server_run_resume(const server_worker *w, server_run *run);

/* Whether the sample lacks tokens of the prompt. */
bool server_run_in_prompt(const server_run *run);
/* Whether it lacks tokens of the prompt, or, after a rest, generated ones before the latest. */
bool server_run_is_behind(const server_run *run);

#endif
