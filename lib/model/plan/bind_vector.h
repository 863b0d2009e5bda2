/* Binding vectors and norms; ignoring tensors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_BIND_VECTOR_H
#define MODEL_PLAN_BIND_VECTOR_H

#include "model/plan/bind.h"

/* The same for a vector, of shape [n]. */
plan_weight bind_vector(bind *b, size_t n, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A row of a matrix [rows, n], as a vector. */
plan_weight bind_vector_row(bind *b, size_t rows, size_t n, size_t row, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The elements of a tensor of this shape, row by row, as a vector. */
plan_weight bind_elements(bind *b, size_t rank, const size_t *shape, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The vectors name.0.weight … name.COUNT - 1.weight, of shape [n] each, one after the other as one vector.
 * Its `stored` describes the first of them alone. */
plan_weight bind_vectors(bind *b, size_t count, size_t n, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* name.weight [n]. */
plan_norm bind_norm(bind *b, size_t n, double epsilon, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A LayerNorm: name.weight and name.bias, [n] each. */
plan_norm bind_layer_norm(bind *b, size_t n, double epsilon, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The number that a tensor of shape [] or [1] holds; may be infinite, but is a number. */
double bind_scalar(bind *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ignores every tensor whose full name starts with `start`, or whose name below the prefix does, and
 * notes how many there were. */
void bind_ignore(bind *b, config_notes *notes, const char *start, const char *why);

#endif
