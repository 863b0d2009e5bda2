/* The work of one stream: tasks that are done in the order in which they were added, and the first error of
 * any of them.
 *
 * A queue has no thread of its own. Whoever waits for a task does what comes before it, unless somebody is
 * at it already; what nobody waits for is given to an executor (runtime/executor.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_QUEUE_H
#define RUNTIME_QUEUE_H

#include <assay/status.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct queue queue;

/* Does a task, and frees context. A failure is told by queue_fail. */
typedef void queue_fn(queue *q, void *context);

struct queue {
    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t done;  /* n_done has grown, or nobody is at it any more */
    struct queue_task *first, *last;
    uint64_t n_added, n_done;
    bool served;   /* a thread is at it */
    bool promised; /* to queue_serve */
    bool failed;
    assay_error error; /* the first, where failed */
};

void queue_begin(queue *q);
void queue_end(queue *q); /* drops what is left: done by nobody, context not freed */

/* Adds a task; *ticket: for queue_wait, may be NULL. Fails with ASSAY_ENOMEM, fn not called and context not
 * freed. */
assay_status queue_add(queue *q, queue_fn *fn, void *context, uint64_t *ticket, assay_error *err);

/* The ticket of what was added last. */
uint64_t queue_last(queue *q);

/* Returns when the task of that ticket, and so all before it, is done. Tasks may wait for tasks of other
 * queues that were added before they were. */
void queue_wait(queue *q, uint64_t ticket);

/* Does all tasks that nobody else is at, until none is left. To be called once wherever queue_promise has
 * returned true, which it does not again before queue_serve finds the queue empty. */
bool queue_promise(queue *q);
void queue_serve(queue *q);

/* Keeps the error, unless there is one. */
void queue_fail(queue *q, const assay_error *error);

bool queue_has_failed(queue *q);

/* Puts the error of `from`, where there still is one, in the place of that of q. */
void queue_poison(queue *q, queue *from);

/* Returns the error, and forgets it; ASSAY_OK where there is none. */
assay_status queue_take_error(queue *q, assay_error *err);

#endif
