/* Locates the first divergence of an engine in a case: the first tensor that exceeds its bound, and
 * whether its error arises there or is inherited; if no tensor does, whether batch, padding or state
 * causes the divergence.
 *
 * Code that calls an engine or reads a file runs in a process of its own (isolate.h), and returns
 * results through shared memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_LOCATE_H
#define CONFORMANCE_LOCATE_LOCATE_H

#include "conformance/locate/location.h"

/* Locates and reports to context->out and context->err. */
conf_exit conf_locate(const conf_location *location, const conf_context *context);

#endif
