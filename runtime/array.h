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

#include <assay/engine.h>

#include "runtime/stream.h"

typedef struct array array;

/* Makes the contents of self, by array_allocate or array_point. inputs are realised. Called at most once, on
 * whichever thread does the stream's work; a failure fails self, all that is made of it, and the stream. */
typedef assay_status array_fn(void *context, array *self, array *const *inputs, assay_error *err);

/* How an array is made. drop is called once, when context is no longer needed; it may be NULL. */
typedef struct array_maker {
    array_fn *make;
    void *context;
    void (*drop)(void *context);
} array_maker;

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
