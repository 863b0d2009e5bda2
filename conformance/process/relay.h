/* Copies the output of a child process to the terminal. The child leads its own process group: if it wrote
 * to the terminal itself, the terminal could stop it for writing, ^Z would not stop it, and a closed pipe
 * would end the child instead of the program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROCESS_RELAY_H
#define CONFORMANCE_PROCESS_RELAY_H

#include "conformance/process/isolate.h"
#include "conformance/support/context.h"

/* Copies bytes from `from`, the read end of a pipe that only the child writes to, to context->out as they
 * arrive, until the child has ended; *v is its verdict then. A signal that ends this process (interrupt.h)
 * kills the child, and *v is broken with conf_interrupt_reason. The terminal's colours are reset then, if
 * the terminal stops this process, and if the child fails. Fails with ASSAY_EIO if standard output cannot
 * be written; the child has been killed then. */
assay_status conf_relay(conf_child *child, int from, const conf_context *context, conf_verdict *v,
                        assay_error *err);

#endif
