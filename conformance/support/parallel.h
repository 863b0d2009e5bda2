/* Work split over threads: fork, n items, join. The threads end with the call, so that nothing of them is
 * left where a process forks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_PARALLEL_H
#define CONFORMANCE_SUPPORT_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

/* Does item `item`. worker: which thread it runs on, below the number of workers; two items of the same
 * worker never run at once. False: no further item is begun. */
typedef bool conf_parallel_fn(void *context, size_t item, size_t worker);

/* Calls fn once for each of n_items, on at most n_workers threads, the caller's among them; items are begun
 * in order. Returns when all have ended. Where the system gives no thread, those that there are do the work.
 */
void conf_parallel(size_t n_workers, size_t n_items, conf_parallel_fn *fn, void *context);

#endif
