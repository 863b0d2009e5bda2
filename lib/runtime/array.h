/* Deferred arrays: their contents are computed when they are evaluated, on the stream on which they were
 * deferred.
 *
 * An array holds its maker and its input arrays. It is deferred until an evaluation schedules it as a task of
 * its stream; the task ends with the array realised or failed. An evaluation traverses the graph in MLX's
 * order (mlx/transforms.cpp, eval_impl), because that order decides which arrays have been realised when an
 * evaluation is refused half-way.
 *
 * Arrays are reference-counted; any thread may keep and release them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_ARRAY_H
#define RUNTIME_ARRAY_H

#include "runtime/array_types.h"

/* Makes a deferred array. inputs: [n_inputs], a reference to each is held until the array is made. n_bytes:
 * the size of its data. Fails with ASSAY_ENOMEM, after calling drop. The caller releases *out. */
assay_status array_defer(stream *s, size_t n_bytes, array_maker maker, array *const *inputs, size_t n_inputs,
                         array **out, assay_error *err);

array *array_retain(array *a);
void array_release(array *a); /* NULL allowed */

/* For an array_fn: allocates zeroed memory that self owns; NULL if out of memory. */
void *array_allocate(array *self);

/* For an array_fn: makes self borrow data, which must live as long as self is used. */
void array_point(array *self, void *data);

assay_array_state array_state(const array *a); /* a scheduled array still counts as deferred */
const stream *array_stream(const array *a);
size_t array_bytes(const array *a);

/* The data of a realised array; callable on any thread. */
const void *array_data(const array *a);

#endif
