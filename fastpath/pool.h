/* Workers: threads that share the items of one call; between calls they look for another one for some
 * microseconds, and then sleep.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_POOL_H
#define FASTPATH_POOL_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>

#define FP_WORKERS_MAX ((size_t)256)

typedef struct fp_pool fp_pool;

/* Does item `item` of a call. Items of one call run at once, in any order: none may read what another
 * writes. */
typedef void fp_pool_fn(void *context, size_t item);

/* A pool of n_workers, 1 … FP_WORKERS_MAX, the caller's own thread among them. Where the system gives fewer
 * threads, those do the work. grain: the work (see fp_pool_run) below which nobody is woken.
 * Fails with ASSAY_ENOMEM. The caller frees *out with fp_pool_free, when no call is under way. */
assay_status fp_pool_open(size_t n_workers, size_t grain, fp_pool **out, assay_error *err);
void fp_pool_free(fp_pool *p);

size_t fp_pool_workers(const fp_pool *p);

/* Whether a call of that much work in all would be shared; otherwise one item is as good as many. */
bool fp_pool_shares(const fp_pool *p, size_t work);

/* Calls fn once for every item below n_items; returns when all have ended. cost: of one item, in
 * multiplications; a call that costs less than the grain stays on its own thread. So does one that comes
 * from another thread while the pool is busy. */
void fp_pool_run(fp_pool *p, size_t n_items, size_t cost, fp_pool_fn *fn, void *context);

#endif
