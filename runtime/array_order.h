/* The order of an evaluation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_ARRAY_ORDER_H
#define RUNTIME_ARRAY_ORDER_H

#include "runtime/array_types.h"

/* The arrays of an evaluation in the order of their submission, inputs first. */
typedef struct array_order {
    array **at; /* [n], each with a reference: an array and its users may be done before the last one is
                   submitted */
    size_t n, capacity;
} array_order;

/* Breadth first from `list`, in MLX's order; `target` is the stream that the evaluation waits for. Fails with
 * ASSAY_ENOMEM. The caller holds the graph's lock until array_order_reset has reset the members that this
 * sets. */
assay_status array_order_find(array *const *list, size_t n, stream *target, array_order *out,
                              assay_error *err);
void array_order_reset(const array_order *o);

/* The caller does not hold the graph's lock: arrays without further users are freed here. */
void array_order_free(array_order *o);

#endif
