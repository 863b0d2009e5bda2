/* Where an engine first goes wrong in a case: which tensor first leaves its bound, whether the error is made
 * there or inherited, and where no tensor says so, which of batch, padding and state it takes.
 *
 * Everything that calls an engine or reads a file runs in a process of its own (isolate.h) and answers
 * through memory that it shares with the one that reports.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_LOCATE_H
#define CONFORMANCE_LOCATE_LOCATE_H

#include "conformance/locate/location.h"

/* Locates and reports to context->out and context->err. */
conf_exit conf_locate(const conf_location *location, const conf_context *context);

#endif
