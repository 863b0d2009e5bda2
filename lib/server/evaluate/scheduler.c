/* SPDX-License-Identifier: Apache-2.0 */
#include "server/evaluate/scheduler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/grow.h"
#include "server/evaluate/round.h"
#include "server/evaluate/runs.h"
#include "server/evaluate/task.h"

#define REST_NANOSECONDS 10000000 /* between rounds in which every client was slow */

struct server_scheduler {
    server_scheduler_options options;
    server_worker worker;
    server_seats *seats;
    server_token_texts *texts;
    server_logprobs *logprobs;

    pthread_mutex_t lock; /* of the next members */
    pthread_cond_t changed;
    server_task **arrived; /* [n_arrived], not seen by the thread yet */
    size_t n_arrived;
    size_t n_waiting; /* tasks without a choice that has started, arrived ones included */
    size_t n_tasks;   /* all */
    bool stopping, ending;

    pthread_t thread; /* which owns the next members */
    bool has_thread;
    server_task **tasks; /* [n_known], in the order of submission */
    size_t n_known;
    server_runs runs;
    server_round round;
};

static void *evaluate(void *context);

static assay_status open_parts(server_scheduler *s, const server_model *model, assay_error *err)
{
    assay_status rc = server_seats_open(model, &s->seats, err);
    if (rc == ASSAY_OK) rc = server_token_texts_open(model, &s->texts, err);
    if (rc == ASSAY_OK) rc = server_logprobs_open(model, s->texts, &s->logprobs, err);
    if (rc != ASSAY_OK) return rc;
    s->worker.seats = s->seats;
    s->worker.logprobs = s->logprobs;
    return server_runs_open(s->options.n_running, &s->runs, err);
}

static void free_parts(server_scheduler *s)
{
    server_logprobs_free(s->logprobs);
    server_token_texts_free(s->texts);
    server_seats_free(s->seats);
    server_round_free(&s->round);
    free(s->arrived);
    free(s->tasks);
    server_runs_free(&s->runs);
    (void)pthread_cond_destroy(&s->changed);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

assay_status server_scheduler_open(const server_model *model, server_metrics *metrics,
                                   const server_scheduler_options *options, server_scheduler **out,
                                   assay_error *err)
{
    server_scheduler *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "the scheduler: out of memory");
    s->options = *options;
    s->worker = (server_worker){.model = model, .metrics = metrics};
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->changed, NULL);
    assay_status rc = open_parts(s, model, err);
    if (rc == ASSAY_OK && pthread_create(&s->thread, NULL, evaluate, s) != 0)
        rc = assay_fail(err, ASSAY_ENOMEM, "the scheduler: found no thread");
    if (rc != ASSAY_OK) {
        free_parts(s);
        return rc;
    }
    s->has_thread = true;
    *out = s;
    return ASSAY_OK;
}

static server_submitted admit(server_scheduler *s, server_job *job)
{
    server_task *t = NULL;
    if (s->stopping) return SERVER_IS_STOPPING;
    if (s->n_waiting >= s->options.n_queued) return SERVER_QUEUE_IS_FULL;
    server_task **arrived = grow_by_one(s->arrived, s->n_arrived, sizeof(server_task *));
    if (!arrived) return SERVER_NO_MEMORY;
    s->arrived = arrived;
    if (server_task_open(job, &t, NULL) != ASSAY_OK) return SERVER_NO_MEMORY;
    s->arrived[s->n_arrived++] = t;
    s->n_waiting++;
    s->n_tasks++;
    server_metrics_add(s->worker.metrics, SERVER_GAUGE_QUEUED, 1);
    (void)pthread_cond_signal(&s->changed);
    return SERVER_SUBMITTED;
}

server_submitted server_scheduler_submit(server_scheduler *s, server_job *job)
{
    (void)pthread_mutex_lock(&s->lock);
    const server_submitted result = admit(s, job);
    (void)pthread_mutex_unlock(&s->lock);
    return result;
}

bool server_scheduler_is_full(server_scheduler *s)
{
    (void)pthread_mutex_lock(&s->lock);
    const bool is_full = s->n_waiting >= s->options.n_queued;
    (void)pthread_mutex_unlock(&s->lock);
    return is_full;
}

void server_scheduler_stop(server_scheduler *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->stopping = true;
    (void)pthread_mutex_unlock(&s->lock);
}

bool server_scheduler_is_idle(server_scheduler *s)
{
    (void)pthread_mutex_lock(&s->lock);
    const bool idle = s->n_tasks == 0;
    (void)pthread_mutex_unlock(&s->lock);
    return idle;
}

void server_scheduler_free(server_scheduler *s)
{
    if (!s) return;
    (void)pthread_mutex_lock(&s->lock);
    s->stopping = s->ending = true;
    (void)pthread_cond_signal(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
    if (s->has_thread) (void)pthread_join(s->thread, NULL);
    free_parts(s);
}

/* ---- The evaluating thread ---- */

/* Moves the tasks that have arrived to the known ones. Waits for one if there is nothing to do. Returns
 * whether the thread goes on. rested: every client was slow in the latest round. */
static bool receive_tasks(server_scheduler *s, bool rested)
{
    (void)pthread_mutex_lock(&s->lock);
    while (!s->ending && s->n_arrived == 0 && s->n_known == 0) (void)pthread_cond_wait(&s->changed, &s->lock);
    if (!s->ending && s->n_arrived == 0 && rested) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += REST_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&s->changed, &s->lock, &until);
    }
    size_t n_moved = 0;
    for (; n_moved < s->n_arrived; n_moved++) {
        server_task **tasks = grow_by_one(s->tasks, s->n_known, sizeof(server_task *));
        if (!tasks) break; /* tried again in the next round */
        s->tasks = tasks;
        s->tasks[s->n_known++] = s->arrived[n_moved];
    }
    if (n_moved > 0) memmove(s->arrived, s->arrived + n_moved, (s->n_arrived - n_moved) * sizeof *s->arrived);
    s->n_arrived -= n_moved;
    const bool goes_on = !s->ending;
    (void)pthread_mutex_unlock(&s->lock);
    return goes_on;
}

/* Marks tasks whose client has gone, or takes nothing. */
static void notice_gone_clients(server_scheduler *s)
{
    for (size_t i = 0; i < s->n_known; i++) {
        server_task *t = s->tasks[i];
        double stalled;
        if (t->over) continue;
        (void)server_exchange_is_slow(t->job->exchange, &stalled);
        if (stalled > s->options.stall_seconds) server_exchange_abandon(t->job->exchange);
        if (!server_exchange_is_abandoned(t->job->exchange)) continue;
        t->over = true;
        server_metrics_add(s->worker.metrics, SERVER_COUNT_ABANDONED, 1);
    }
}

/* Counts a task that no longer waits. */
static void count_started(server_scheduler *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->n_waiting--;
    (void)pthread_mutex_unlock(&s->lock);
    server_metrics_add(s->worker.metrics, SERVER_GAUGE_QUEUED, -1);
}

/* Removes runs that have finished, tasks that are over, and the runs of these. */
static void remove_finished(server_scheduler *s)
{
    server_runs_remove_finished(&s->runs, &s->worker);
    size_t n = 0;
    for (size_t i = 0; i < s->n_known; i++) {
        server_task *t = s->tasks[i];
        if (!t->over) {
            s->tasks[n++] = t;
            continue;
        }
        if (t->n_started == 0) count_started(s);
        server_task_free(&s->worker, t);
        (void)pthread_mutex_lock(&s->lock);
        s->n_tasks--;
        (void)pthread_mutex_unlock(&s->lock);
    }
    s->n_known = n;
}

/* Starts choices while there is capacity. */
static void start_choices(server_scheduler *s)
{
    for (size_t i = 0; i < s->n_known; i++) {
        server_task *t = s->tasks[i];
        while (server_task_can_start(&s->worker, t) && server_runs_make_space(&s->runs, &s->worker)) {
            if (t->n_started == 0) count_started(s);
            server_run *run = &s->runs.active[s->runs.n_active];
            if (!server_task_start(&s->worker, t, run)) break;
            if (run->seat.session) s->runs.n_active++;
        }
    }
}

static void *evaluate(void *context)
{
    server_scheduler *s = context;
    bool rested = false;
    while (receive_tasks(s, rested)) {
        notice_gone_clients(s);
        remove_finished(s);
        server_runs_resume(&s->runs, &s->worker);
        start_choices(s);
        rested = !server_round_run(&s->round, &s->worker, s->runs.active, s->runs.n_active);
        remove_finished(s);
        server_metrics_add(s->worker.metrics, SERVER_GAUGE_RUNNING,
                           (int64_t)s->runs.n_active -
                               server_metrics_get(s->worker.metrics, SERVER_GAUGE_RUNNING));
    }
    for (size_t i = 0; i < s->n_arrived; i++) {
        server_task_fail(&s->worker, s->arrived[i], 503, "the server is stopping");
        server_task_free(&s->worker, s->arrived[i]);
    }
    for (size_t i = 0; i < s->n_known; i++)
        server_task_fail(&s->worker, s->tasks[i], 503, "the server is stopping");
    remove_finished(s);
    return NULL;
}
