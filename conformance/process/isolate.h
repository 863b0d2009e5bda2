/* Runs an engine in a process of its own, so that a crash, a hang or an out-of-memory becomes a verdict and
 * does not end the harness.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROCESS_ISOLATE_H
#define CONFORMANCE_PROCESS_ISOLATE_H

#include <assay/status.h>

#include <sys/types.h>

#include "conformance/exec/process.h"
#include "conformance/judge/verdict.h"
#include "conformance/support/memory.h"

#define CONF_SECONDS_DEFAULT 60
#define CONF_MIB_LEAST       4096 /* of the default: libraries reserve space for every processor */

/* Half of the machine's memory, but at least CONF_MIB_LEAST. */
size_t conf_mib_default(void);

/* If rc is ASSAY_ENOMEM, adds the memory limit of this process to the error. */
void conf_memory_explain(assay_status rc, assay_error *err);

/* The limits of a process. */
typedef struct conf_limits {
    double seconds; /* > 0 */
    bool fixed;     /* the user has chosen them: they do not grow with the cost of a model */
    size_t mib; /* of private memory that can be written to, > 0; mapped files do not count; without effect
                 * where CONF_LIMITS_MEMORY is 0 */
} conf_limits;

/* Fills in a verdict that is zeroed. */
typedef void conf_task_fn(const void *context, conf_verdict *v);

/* A process that runs a task, and leads its own process group. */
typedef struct conf_child {
    pid_t pid; /* 0: none */
    struct conf_shared *shared;
    exec_process *program; /* that its task uses, and that outlives it; NULL: none */
    conf_limits limits;
    double started; /* seconds on the monotonic clock */
    bool overdue;   /* timed out, and therefore killed */
} conf_child;

/* Calls task in a child process whose standard output is standard error; it is killed when the caller ends.
 * program: NULL, or the running program of the engine that the task opens; borrowed until the child has
 * ended. context is borrowed until this returns. Fails with ASSAY_EINTERNAL if the system cannot create a
 * process.
 */
assay_status conf_child_start(conf_task_fn *task, const void *context, const conf_limits *limits,
                              exec_process *program, conf_child *out, assay_error *err);

/* Whether the child has ended; then *child is zeroed and *out is its verdict. A child that a signal ends,
 * that exits before its verdict is complete, or that is killed here after its timeout, has failed at the
 * stage that it last entered; so has one whose program has ended. What it has started and is still
 * running is killed, also in another group or session. */
bool conf_child_ended(conf_child *child, conf_verdict *out);

/* Sleeps until one of children[n] may have ended or be overdue; those without a process are passed over. */
void conf_child_wait_any(const conf_child *children, size_t n);

/* Kills the child, if there is one, and everything that it has started. */
void conf_child_kill(conf_child *child);

/* Runs one task to its end, or until conf_interrupted: then *out is CONF_BROKEN, with reason
 * conf_interrupt_reason. */
assay_status conf_isolate(conf_task_fn *task, const void *context, const conf_limits *limits,
                          conf_verdict *out, assay_error *err);

#endif
