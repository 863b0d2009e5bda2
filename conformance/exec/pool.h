/* Programs of engines that outlive the processes which use them, so that one serves many cases.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EXEC_POOL_H
#define CONFORMANCE_EXEC_POOL_H

#include "conformance/exec/process.h"

typedef struct exec_pool exec_pool;

/* A pool of at most n_most > 0 programs that are idle or in use, each within the memory limit (as in
 * exec_process_start). The caller frees *out, after the last program was given back. */
assay_status exec_pool_open(size_t n_most, size_t mib, exec_pool **out, assay_error *err);
void exec_pool_free(exec_pool *pool);

/* A program of this command, for one user at a time: an idle one, or one that is started. An idle one of
 * another command is ended if the pool is full. *out: borrowed from the pool. At most n_most may be in use.
 * Fails like exec_process_start. */
assay_status exec_pool_take(exec_pool *pool, const char *command, exec_process **out, assay_error *err);

/* Its user has ended. A program that owes an answer, or is broken, is ended. */
void exec_pool_give(exec_pool *pool, exec_process *process);

#endif
