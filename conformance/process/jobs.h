/* Several isolated tasks at once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROCESS_JOBS_H
#define CONFORMANCE_PROCESS_JOBS_H

#include "conformance/process/isolate.h"

typedef struct conf_jobs conf_jobs;

/* A pool of at most n > 0 processes, each within the limits. The caller frees *out. */
assay_status conf_jobs_open(size_t n, const conf_limits *limits, conf_jobs **out, assay_error *err);

/* Once conf_interrupted, no task is started and running tasks are killed; their verdicts are CONF_SKIPPED,
 * with reason conf_interrupt_reason. */

/* Waits until fewer than n tasks run, and starts one. engine: that the task opens; if it is a program, it
 * outlives the task and serves later ones. context is borrowed until this returns; *out is borrowed until the
 * task has ended and its verdict has been written there. Fails like conf_child_start. */
assay_status conf_jobs_start(conf_jobs *jobs, conf_task_fn *task, const void *context, const char *engine,
                             conf_verdict *out, assay_error *err);

/* Runs one task to its end, in the same way. */
assay_status conf_jobs_run(conf_jobs *jobs, conf_task_fn *task, const void *context, const char *engine,
                           conf_verdict *out, assay_error *err);

/* Whether the task whose verdict goes to *out is still running. */
bool conf_jobs_is_running(const conf_jobs *jobs, const conf_verdict *out);

/* Waits until any task ends; false if none is running. */
bool conf_jobs_wait(conf_jobs *jobs);

/* Kills all running tasks. */
void conf_jobs_free(conf_jobs *jobs);

#endif
