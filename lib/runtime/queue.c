/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/queue.h"

#include <stdlib.h>

#include "base/error.h"

typedef struct queue_task {
    struct queue_task *next;
    queue_fn *fn;
    void *context;
} queue_task;

void queue_begin(queue *q)
{
    *q = (queue){0};
    (void)pthread_mutex_init(&q->lock, NULL);
    (void)pthread_cond_init(&q->done, NULL);
}

static queue_task *pop_task(queue *q)
{
    queue_task *t = q->first;
    if (t) q->first = t->next;
    if (!q->first) q->last = NULL;
    return t;
}

void queue_end(queue *q)
{
    for (queue_task *t; (t = pop_task(q));) free(t);
    (void)pthread_cond_destroy(&q->done);
    (void)pthread_mutex_destroy(&q->lock);
}

assay_status queue_add(queue *q, queue_fn *fn, void *context, uint64_t *ticket, assay_error *err)
{
    queue_task *t = malloc(sizeof *t);
    if (!t) return assay_fail(err, ASSAY_ENOMEM, "stream: out of memory");
    *t = (queue_task){NULL, fn, context};
    (void)pthread_mutex_lock(&q->lock);
    if (q->last) q->last->next = t;
    else q->first = t;
    q->last = t;
    q->n_added++;
    if (ticket) *ticket = q->n_added;
    (void)pthread_mutex_unlock(&q->lock);
    return ASSAY_OK;
}

uint64_t queue_last(queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    const uint64_t ticket = q->n_added;
    (void)pthread_mutex_unlock(&q->lock);
    return ticket;
}

/* Runs tasks until n_done reaches `ticket`. The lock is held, and the caller has set q->served. */
static void serve_until(queue *q, uint64_t ticket)
{
    while (q->n_done < ticket) {
        queue_task *t = pop_task(q);
        (void)pthread_mutex_unlock(&q->lock);
        t->fn(q, t->context);
        free(t);
        (void)pthread_mutex_lock(&q->lock);
        q->n_done++;
        (void)pthread_cond_broadcast(&q->done);
    }
}

/* Runs tasks until n_done reaches `ticket`, in turn with other threads that do the same. The lock is
 * held. */
static void run_until(queue *q, uint64_t ticket)
{
    while (q->n_done < ticket) {
        if (q->served) {
            (void)pthread_cond_wait(&q->done, &q->lock);
            continue;
        }
        q->served = true;
        serve_until(q, ticket);
        q->served = false;
        (void)pthread_cond_broadcast(&q->done);
    }
}

void queue_wait(queue *q, uint64_t ticket)
{
    (void)pthread_mutex_lock(&q->lock);
    run_until(q, ticket);
    (void)pthread_mutex_unlock(&q->lock);
}

bool queue_promise(queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    const bool first = !q->promised;
    q->promised = true;
    (void)pthread_mutex_unlock(&q->lock);
    return first;
}

void queue_serve(queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    while (q->n_done < q->n_added) run_until(q, q->n_added);
    q->promised = false;
    (void)pthread_mutex_unlock(&q->lock);
}

void queue_fail(queue *q, const assay_error *error)
{
    (void)pthread_mutex_lock(&q->lock);
    if (!q->failed) q->error = *error;
    q->failed = true;
    (void)pthread_mutex_unlock(&q->lock);
}

bool queue_has_failed(queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    const bool failed = q->failed;
    (void)pthread_mutex_unlock(&q->lock);
    return failed;
}

void queue_poison(queue *q, queue *from)
{
    assay_error error;
    (void)pthread_mutex_lock(&from->lock);
    const bool failed = from->failed;
    if (failed) error = from->error;
    (void)pthread_mutex_unlock(&from->lock);
    if (!failed) return;
    (void)pthread_mutex_lock(&q->lock);
    q->failed = true;
    q->error = error;
    (void)pthread_mutex_unlock(&q->lock);
}

assay_status queue_take_error(queue *q, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    (void)pthread_mutex_lock(&q->lock);
    if (q->failed) {
        rc = q->error.status;
        if (err) *err = q->error;
    }
    q->failed = false;
    (void)pthread_mutex_unlock(&q->lock);
    return rc;
}
