/* Threads for the work of streams that nobody waits for.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_EXECUTOR_H
#define MODEL_EXECUTOR_H

#include "model/queue.h"

/* Has all that the queue holds done by another thread: one that is idle, or a new one. Where the system gives
 * none, the work is left to whoever waits for it. A queue has one such thread at a time. The queue must live
 * until the library is unloaded; then the threads end, each behind the queue that it is at. */
void executor_serve(queue *q);

#endif
