/* The body of a refusal.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_SHAPE_H
#define CONFORMANCE_PROBE_CHECKS_SHAPE_H

#include "conformance/probe/answer/answer.h"

/* Whether the body of a refusal is an object with a message, as the endpoint's protocol has it. If not, text
 * [size] says what was found. */
bool probe_shape_is_error(probe_endpoint endpoint, const probe_exchange *x, char *text, size_t size);

#endif
