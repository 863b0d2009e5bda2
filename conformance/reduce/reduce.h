/* Reduction: a smaller case with which an engine fails in the same way.
 *
 * The first tokens of a sample, and samples of their own, have the recorded values of the whole case.
 * Anything else is computed by the reference engine, if that agrees with the whole case, and the reduced case
 * says so. Goldens are never changed: a reduced case is a bundle, no fixture.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_REDUCE_H
#define CONFORMANCE_REDUCE_REDUCE_H

#include "conformance/reduce/task.h"
#include "conformance/support/context.h"

/* Reduces the case, prints each attempt and what is kept, and writes the bundle. Exit status: 0 it is
 * written; 2 the engine passes the case; 77 it cannot run it, or cases of this kind cannot be reduced; 99
 * otherwise. */
conf_exit conf_reduce(const conf_reduction_task *task, const conf_context *context);

#endif
