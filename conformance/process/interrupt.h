/* SIGINT, SIGTERM and SIGHUP: running tasks are killed, finished ones are reported, and the program then
 * ends by the signal.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROCESS_INTERRUPT_H
#define CONFORMANCE_PROCESS_INTERRUPT_H

#include <stdbool.h>

/* Why a case that was interrupted has no verdict. */
extern const char conf_interrupt_reason[];

/* From now on the first of the signals is noted, and one that arrives more than half a second later ends the
 * process. A signal that is ignored, as under nohup, stays ignored. */
void conf_interrupt_watch(void);

/* Whether a signal has been noted. */
bool conf_interrupted(void);

/* In a child process: restores the default actions of the signals. */
void conf_interrupt_forget(void);

/* Ends the process by the noted signal; returns if there is none. */
void conf_interrupt_raise(void);

#endif
