/* Processes that an engine has started and that outlive its own: a process in another session or group is not
 * killed with the group of its engine. The system makes it a child of this process when its parent ends
 * (PR_SET_CHILD_SUBREAPER), where it is found.
 *
 * Called by one thread of a process.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_ORPHANS_H
#define CONFORMANCE_SUPPORT_ORPHANS_H

#include <sys/types.h>

/* From now on this process, also after it has executed a program, receives the orphans of its descendants. */
void orphans_adopt(void);

/* Notes a child that this process has started; until it is removed it is no orphan. Without memory for it the
 * process is aborted. */
void orphans_add_own(pid_t pid);
void orphans_remove_own(pid_t pid);

/* In a new process: it has no children of its own yet. */
void orphans_forget(void);

/* Kills and reaps every child of this process that is not its own, and their descendants. A process that the
 * system does not end within a second is left. */
void orphans_kill(void);

#endif
