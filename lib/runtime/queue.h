/* The work of one stream: tasks that are done in the order in which they were added, and the first error of
 * any of them.
 *
 * A queue has no thread of its own. A thread that waits for a task runs that task and all before it, unless
 * another thread is serving the queue; tasks for which no thread waits are run by an executor
 * (runtime/executor.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_QUEUE_H
#define RUNTIME_QUEUE_H

#include <assay/status.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct queue queue;

/* Runs a task and frees context. Reports a failure with queue_fail. */
typedef void queue_fn(queue *q, void *context);

struct queue {
    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t done;  /* signalled when n_done grows or `served` becomes false */
    struct queue_task *first, *last;
    uint64_t n_added, n_done;
    bool served;   /* a thread is running its tasks */
    bool promised; /* to queue_serve */
    bool failed;
    assay_error error; /* the first, where failed */
};

void queue_begin(queue *q);
void queue_end(queue *q); /* drops the remaining tasks: they are not run, and their contexts are not freed */

/* Adds a task; *ticket: for queue_wait, may be NULL. Fails with ASSAY_ENOMEM, fn not called and context not
 * freed. */
assay_status queue_add(queue *q, queue_fn *fn, void *context, uint64_t *ticket, assay_error *err);

/* The ticket of the task that was added last. */
uint64_t queue_last(queue *q);

/* Returns when the task of that ticket, and so all before it, is done. Tasks may wait for tasks of other
 * queues that were added before they were. */
void queue_wait(queue *q, uint64_t ticket);

/* queue_serve runs tasks until the queue is empty, unless another thread is serving it. It must be called
 * once for each queue_promise that returns true; queue_promise returns true again only after queue_serve has
 * found the queue empty. */
bool queue_promise(queue *q);
void queue_serve(queue *q);

/* Stores the error, unless one is stored already. */
void queue_fail(queue *q, const assay_error *error);

bool queue_has_failed(queue *q);

/* Replaces the error of q by that of `from`, if `from` still has one. */
void queue_poison(queue *q, queue *from);

/* Returns the error and clears it; ASSAY_OK if there is none. */
assay_status queue_take_error(queue *q, assay_error *err);

#endif
