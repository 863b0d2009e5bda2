/* Worker threads that share the items of a call. Between calls they spin for some microseconds, then
 * sleep.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_POOL_H
#define FASTPATH_POOL_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>

#define FP_WORKERS_MAX ((size_t)256)

typedef struct fp_pool fp_pool;

/* Computes item `item` of a call. Items run concurrently, in any order: none may read what another
 * writes. */
typedef void fp_pool_fn(void *context, size_t item);

/* A pool of n_workers, 1 … FP_WORKERS_MAX, including the caller's thread; fewer if the system refuses
 * threads. grain: cost (see fp_pool_run) below which a call stays on the caller's thread. Fails with
 * ASSAY_ENOMEM. The caller frees *out with fp_pool_free, when no call is in progress. */
assay_status fp_pool_open(size_t n_workers, size_t grain, fp_pool **out, assay_error *err);
void fp_pool_free(fp_pool *p);

size_t fp_pool_workers(const fp_pool *p);

/* Whether a call of this total cost would be shared; otherwise it need not be split into items. */
bool fp_pool_shares(const fp_pool *p, size_t work);

/* Calls fn once for every item below n_items; returns when all have ended. cost: of one item, in
 * multiplications. A call whose total cost is below the grain runs on the calling thread; so does a
 * call from another thread while the pool is busy. */
void fp_pool_run(fp_pool *p, size_t n_items, size_t cost, fp_pool_fn *fn, void *context);

#endif
