/* The order of an evaluation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_ARRAY_ORDER_H
#define RUNTIME_ARRAY_ORDER_H

#include "runtime/array_types.h"

/* In the order in which an evaluation hands them in, inputs first. */
typedef struct array_order {
    array **at; /* [n], kept: one may be done, and what is made of it, before the last is handed in */
    size_t n, capacity;
} array_order;

/* Breadth first from `list`, in upstream's order; `target` is the stream that the evaluation waits for.
 * Fails with ASSAY_ENOMEM. The graph is locked, and stays so until array_order_reset has taken back what this
 * sets in its arrays. */
assay_status array_order_find(array *const *list, size_t n, stream *target, array_order *out,
                              assay_error *err);
void array_order_reset(const array_order *o);

/* The graph is not locked: whatever goes with the last of its users goes here. */
void array_order_free(array_order *o);

#endif
