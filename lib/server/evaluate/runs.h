/* The choices that are evaluated, and those that rest: their client reads so slowly that they have given up
 * their sample to a choice that waited for one. A choice that has rested is evaluated again from its first
 * token, which gives the same bits.
 *
 * Used by the evaluating thread alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_EVALUATE_RUNS_H
#define SERVER_EVALUATE_RUNS_H

#include "server/evaluate/task.h"

/* active:  [n_active], in the order in which they got their sample. resting: [n_resting], without a sample,
 * in the order in which they gave it up. Both have that capacity. */
typedef struct server_runs {
    server_run *active, *resting;
    size_t n_active, n_resting, capacity;
} server_runs;

/* capacity: the most samples at once. Fails with ASSAY_ENOMEM. */
assay_status server_runs_open(size_t capacity, server_runs *out, assay_error *err);
/* All runs must have been removed. */
void server_runs_free(server_runs *r);

/* Removes runs that have finished, and those of tasks that are over. */
void server_runs_remove_finished(server_runs *r, const server_worker *w);

/* Whether one more run can have a sample, if necessary that of a run whose client is slow. If more rest than
 * run, the client of the one that has rested longest counts as gone. */
bool server_runs_make_space(server_runs *r, const server_worker *w);

/* Gives samples to runs whose client has read everything, as far as there is space. */
void server_runs_resume(server_runs *r, const server_worker *w);

#endif
