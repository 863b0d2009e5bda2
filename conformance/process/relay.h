/* Output of a child process, copied to standard output by its parent. The child leads a process group of its
 * own: a terminal would stop it for writing and would not stop it at ^Z, and a closed pipe would end the
 * child instead of the program.
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
