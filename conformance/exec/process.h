/* The process of an engine's program, and the pipes to it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EXEC_PROCESS_H
#define CONFORMANCE_EXEC_PROCESS_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define EXEC_CLOSED (-1) /* no wait status: the program had closed its standard output, and did not end */

/* What the processes that use one program, one after the other, know of it. In shared memory. */
typedef struct exec_state {
    volatile bool busy;   /* a request has not been answered */
    volatile bool broken; /* it has ended, or broken the protocol */
} exec_state;

/* command: owned. to, from: its standard input and output; -1: closed. leads: as in exec_process_start. */
typedef struct exec_process {
    char *command;
    pid_t pid; /* 0: none */
    bool leads;
    int to, from;
    exec_state *state;
} exec_process;

/* Starts `/bin/sh -c "exec command"`. It is killed when this process ends.
 * mib: a limit on its memory as conf_limits states it; 0: that of this process.
 * leads: whether it leads a process group of its own; otherwise it is killed with the group of this process.
 * Fails with ASSAY_EINTERNAL if the system cannot create a process, and with ASSAY_ENOMEM. */
assay_status exec_process_start(const char *command, size_t mib, bool leads, exec_process *out,
                                assay_error *err);

/* Closes the pipes, after which the process ends by itself; it is killed, with its group if it leads one, if
 * that takes more than two seconds, or at once if it owes an answer. Returns its wait status; 0 if there was
 * none. */
int exec_process_end(exec_process *p);

#endif
