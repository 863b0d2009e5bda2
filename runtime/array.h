/* Deferred arrays: bytes that are made when they are asked for, on the stream that they were deferred on.
 *
 * An array knows how it is made and of which other arrays. It is deferred until an evaluation reaches it;
 * from then on it is its stream's work, and in the end realised or failed. An evaluation goes through the
 * graph in the order of MLX's (mlx/transforms.cpp, eval_impl), since that order decides what has been
 * realised where one is refused half-way.
 *
 * Arrays are shared by count; any thread may keep and release them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_ARRAY_H
#define RUNTIME_ARRAY_H

#include "runtime/array_types.h"

/* A deferred array. inputs [n_inputs] are kept until it is made. n_bytes: what it will have. Fails with
 * ASSAY_ENOMEM; then drop has been called. The caller releases *out. */
assay_status array_defer(stream *s, size_t n_bytes, array_maker maker, array *const *inputs, size_t n_inputs,
                         array **out, assay_error *err);

array *array_keep(array *a);
void array_release(array *a); /* NULL allowed */

/* For an array_fn: zeroed memory that self owns; NULL where there is none. */
void *array_allocate(array *self);

/* For an array_fn: memory that somebody else owns, for as long as self is used. */
void array_point(array *self, void *data);

assay_array_state array_state(const array *a); /* what is under way is still deferred */
const stream *array_stream(const array *a);
size_t array_bytes(const array *a);

/* Of a realised array; any thread. */
const void *array_data(const array *a);

#endif
