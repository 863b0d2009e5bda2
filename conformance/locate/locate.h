/* Finds where an engine first goes wrong in a case: which tensor first leaves its bound and whether the
 * error is made there or inherited. If no tensor is out of bounds, finds which of batch, padding and
 * state causes the error.
 *
 * All code that calls an engine or reads a file runs in a child process (isolate.h) and returns its
 * results to the reporting process in shared memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_LOCATE_H
#define CONFORMANCE_LOCATE_LOCATE_H

#include "conformance/locate/location.h"

/* Locates and reports to context->out and context->err. */
conf_exit conf_locate(const conf_location *location, const conf_context *context);

#endif
