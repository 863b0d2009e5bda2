/* Evaluating deferred arrays.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_ARRAY_EVAL_H
#define RUNTIME_ARRAY_EVAL_H

#include "runtime/array_types.h"

/* Hands the arrays in to their streams, with all that they are made of, and returns without waiting; nothing
 * is done until somebody waits, or array_start is called. Fails with ASSAY_ESTREAM where one belongs to a
 * stream of another thread; what comes before it in the order of evaluation is done all the same. */
assay_status array_schedule(array *const *list, size_t n, assay_error *err);

/* array_schedule, and has it done by threads of its own. */
assay_status array_start(array *const *list, size_t n, assay_error *err);

/* Evaluates the arrays and waits for them. Returns, and forgets, the first error of the stream that the first
 * of them is on, and otherwise that of an array of the list that has failed. */
assay_status array_evaluate(array *const *list, size_t n, assay_error *err);

#endif
