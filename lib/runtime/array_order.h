/* The order of an evaluation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_ARRAY_ORDER_H
#define RUNTIME_ARRAY_ORDER_H

#include "runtime/array_types.h"

/* The arrays in the order in which an evaluation submits them, inputs first. */
typedef struct array_order {
    array **at; /* [n], a reference held to each: an array and its users may be done before the last array is
                   submitted */
    size_t n;
} array_order;

/* Breadth first from `list`, in upstream's order; `target` is the stream that the evaluation waits for.
 * Fails with ASSAY_ENOMEM. The caller holds the graph lock until array_order_reset has undone the changes
 * that this makes to the arrays. */
assay_status array_order_find(array *const *list, size_t n, stream *target, array_order *out,
                              assay_error *err);
void array_order_reset(const array_order *o);

/* The caller does not hold the graph lock: this may release the last reference to an array and so free it. */
void array_order_free(array_order *o);

#endif
