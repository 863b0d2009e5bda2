/* What a process of its own writes, handed on by the one that owns the terminal. That process leads a group
 * of its own, so that a terminal would stop it for writing, and would not stop it at ^Z; and a pipe that is
 * closed would be its end instead of the program's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROCESS_RELAY_H
#define CONFORMANCE_PROCESS_RELAY_H

#include "conformance/process/isolate.h"
#include "conformance/support/context.h"

/* Hands bytes that can be read from `from`, the end of a pipe that the child alone writes to, on to
 * context->out as they come, until the child has ended; *v is its verdict then. What ends or stops this
 * process meanwhile by way of the terminal, and a child that fails, leave no colour behind. Fails with
 * ASSAY_EIO where standard output takes nothing more; then the child has been killed. */
assay_status conf_relay(conf_child *child, int from, const conf_context *context, conf_verdict *v,
                        assay_error *err);

#endif
