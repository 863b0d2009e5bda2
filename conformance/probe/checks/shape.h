/* The members that a whole answer must have.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_SHAPE_H
#define CONFORMANCE_PROBE_CHECKS_SHAPE_H

#include "conformance/probe/run/run.h"

/* Adds a row for each required member that a successful whole answer lacks, or has with another type or
 * value, or one row that it has all. */
void probe_shape_check(probe_run *r, const char *check, probe_endpoint endpoint, const probe_exchange *x);

/* Whether the body of a refusal is an object with a message, as the endpoint's protocol has it. If not, text
 * [size] says what was found. */
bool probe_shape_is_error(probe_endpoint endpoint, const probe_exchange *x, char *text, size_t size);

#endif
