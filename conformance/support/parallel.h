/* Work split over threads: fork, n items, join. The threads end before the call returns, so that a later
 * fork of the process is safe.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_PARALLEL_H
#define CONFORMANCE_SUPPORT_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

/* Processes item `item`. worker: index of the thread, below the number of workers; two items of the same
 * worker never run at once. False: no further item is started. */
typedef bool conf_parallel_fn(void *context, size_t item, size_t worker);

/* Calls fn once for each of n_items, on at most n_workers threads, including the caller's; items are started
 * in order. Returns when all have ended. If a thread cannot be created, the existing threads process all
 * items. */
void conf_parallel(size_t n_workers, size_t n_items, conf_parallel_fn *fn, void *context);

#endif
