/* Threads for the work of streams that nobody waits for.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_EXECUTOR_H
#define RUNTIME_EXECUTOR_H

#include "runtime/queue.h"

/* Has all that the queue holds done by another thread: one that is idle, or a new one. Where the system gives
 * none, the work is left to whoever waits for it. A queue has one such thread at a time. The queue must live
 * until the library is unloaded; then the threads end, behind all that they were given. A forked process has
 * threads of its own; a queue that one of its parent's was at stays unfinished there. */
void executor_serve(queue *q);

#endif
