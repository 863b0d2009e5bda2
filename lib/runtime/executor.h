/* Threads that run the tasks of streams on which no thread waits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_EXECUTOR_H
#define RUNTIME_EXECUTOR_H

#include "runtime/queue.h"

/* Makes another thread, an idle one or a new one, run all tasks of the queue. If no thread can be created,
 * the tasks are left to the threads that wait for them. A queue has one such thread at a time. The queue must
 * live until the library is unloaded; the threads then finish all tasks given to them and end. A forked
 * process has its own threads; a queue that a thread of the parent was serving stays unfinished in the child.
 */
void executor_serve(queue *q);

#endif
