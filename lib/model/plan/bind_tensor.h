/* One tensor of the checkpoint, found, checked and counted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_BIND_TENSOR_H
#define MODEL_PLAN_BIND_TENSOR_H

#include "model/formats/format.h"
#include "model/plan/bind.h"

/* The element types that a tensor of plain numbers may have. */
#define BIND_FLOATS (FORMAT_SCALES | FORMAT_TYPE(ASSAY_F64))

/* The tensor of that full name, if it has one of these types (FORMAT_TYPE); otherwise NULL, and the failure
 * sticks. */
const assay_tensor *bind_tensor_find(bind *b, const char *name, uint32_t types);

/* The same, and checks the shape; a tensor of BIND_FLOATS is counted. why: the origin of the shape, for the
 * message; may be "". */
const assay_tensor *bind_tensor_take(bind *b, const char *name, uint32_t types, size_t rank,
                                     const size_t *shape, const char *why);

/* Marks a taken tensor as used and, the first time, counts it: n_elements numbers, stored as `storage` says.
 * Tensors of BIND_FLOATS have been counted already; bind_tensor_use only marks. */
void bind_tensor_count(bind *b, const assay_tensor *t, size_t n_elements, plan_storage storage);
void bind_tensor_use(bind *b, const assay_tensor *t);

/* The matrix of the plain numbers of t, [rows, cols]; row_stride and col_stride: numbers from one row or
 * column to the next. An absent weight if t is NULL. */
plan_weight bind_tensor_numbers(bind *b, const assay_tensor *t, size_t rows, size_t cols, size_t row_stride,
                                size_t col_stride);
plan_weight bind_tensor_weight(bind *b, const assay_tensor *t, size_t rows, size_t cols);

/* The same of a tensor with one dimension, and defers its numbers among b->arrays. */
plan_weight bind_tensor_vector(bind *b, const assay_tensor *t);

/* Elements first … first + n - 1 of such a tensor, as a vector. */
plan_weight bind_tensor_part(bind *b, const assay_tensor *t, size_t first, size_t n);

#endif
