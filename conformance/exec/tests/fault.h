/* Ways in which an engine's program breaks the protocol, for tests of the harness.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EXEC_TESTS_FAULT_H
#define CONFORMANCE_EXEC_TESTS_FAULT_H

#include "conformance/exec/tests/served.h"

/* Chooses the fault of this name. It is committed once: where the file `marker` exists, it was. NULL name:
 * none. Ends the program for a name that no fault has. */
void served_fault_choose(const char *name, const char *marker);

/* Called with the answer to a step, before it is sent. */
void served_fault_commit(served *s);

#endif
