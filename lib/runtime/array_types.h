/* Deferred arrays and how they are made.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_ARRAY_TYPES_H
#define RUNTIME_ARRAY_TYPES_H

#include <assay/engine.h>

#include "runtime/stream.h"

typedef struct array array;

/* Makes the contents of self with array_allocate or array_point. inputs are realised. Called at most once, on
 * the thread that runs the stream's tasks; a failure fails self, all arrays that depend on it, and the
 * stream. */
typedef assay_status array_fn(void *context, array *self, array *const *inputs, assay_error *err);

/* How an array is made. drop is called once, when context is no longer needed; it may be NULL. */
typedef struct array_maker {
    array_fn *make;
    void *context;
    void (*drop)(void *context);
} array_maker;

#endif
