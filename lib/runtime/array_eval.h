/* Evaluating deferred arrays.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_ARRAY_EVAL_H
#define RUNTIME_ARRAY_EVAL_H

#include "runtime/array_types.h"

/* Submits the arrays and all their inputs to their streams, and returns without waiting; no task runs until a
 * caller waits or array_start is called. Fails with ASSAY_ESTREAM if an array belongs to a stream of another
 * thread; the arrays before it in the order of evaluation stay submitted. */
assay_status array_schedule(array *const *list, size_t n, assay_error *err);

/* array_schedule; the tasks are then run by executor threads. */
assay_status array_start(array *const *list, size_t n, assay_error *err);

/* Evaluates the arrays and waits for them. Returns and clears the first error of the stream of list[0]; if
 * that stream has no error, returns the error of an array of the list that has failed. */
assay_status array_evaluate(array *const *list, size_t n, assay_error *err);

#endif
