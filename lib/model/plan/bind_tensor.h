/* One tensor of the checkpoint, found, checked and counted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_BIND_TENSOR_H
#define MODEL_PLAN_BIND_TENSOR_H

#include "model/plan/bind.h"

/* The element types that a tensor may have. */
typedef enum bind_types {
    BIND_FLOATS, /* F64, F32, F16, BF16 */
    BIND_SCALES, /* F32, F16, BF16: the types that MLX quantises */
    BIND_CODES   /* U32: packed codes */
} bind_types;

/* The tensor of that full name, if its type fits; otherwise NULL, and the failure sticks. */
const assay_tensor *bind_tensor_find(bind *b, const char *name, bind_types types);

/* The same, and checks the shape; a tensor of BIND_FLOATS is counted. why: the origin of the shape, for the
 * message; may be "". */
const assay_tensor *bind_tensor_take(bind *b, const char *name, bind_types types, size_t rank,
                                     const size_t *shape, const char *why);

/* Marks a taken tensor as used and, the first time, counts it: n_elements numbers, stored as `storage` says.
 * Tensors of BIND_FLOATS have been counted already; bind_tensor_use only marks. */
void bind_tensor_count(bind *b, const assay_tensor *t, size_t n_elements, plan_storage storage);
void bind_tensor_use(bind *b, const assay_tensor *t);

plan_weight bind_tensor_weight(const assay_tensor *t, size_t rows, size_t cols);

/* The same of a tensor with one dimension, and defers its numbers among b->arrays. */
plan_weight bind_tensor_vector(bind *b, const assay_tensor *t);

/* Elements first … first + n - 1 of such a tensor, as a vector. */
plan_weight bind_tensor_part(bind *b, const assay_tensor *t, size_t first, size_t n);

#endif
