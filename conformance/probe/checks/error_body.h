/* The body of an HTTP error.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_ERROR_BODY_H
#define CONFORMANCE_PROBE_CHECKS_ERROR_BODY_H

#include "conformance/probe/answer/answer.h"

/* Whether the body of an error is an object with a message, as the endpoint's protocol has it. If not, text
 * [size] says what was found. */
bool probe_error_body_is_valid(probe_endpoint endpoint, const probe_exchange *x, char *text, size_t size);

#endif
