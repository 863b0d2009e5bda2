/* Weights of plans for tests: made of arrays, and looked at. Their layouts live as long as the program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_TESTS_WEIGHT_H
#define MODEL_TESTS_WEIGHT_H

#include "model/numerics/stored.h"
#include "model/plan/parts.h"

/* The matrix "w" of plain numbers; row_stride and col_stride are numbers. */
plan_weight weight_of(const void *data, assay_dtype dtype, size_t rows, size_t cols);
plan_weight weight_of_strided(const void *data, assay_dtype dtype, size_t rows, size_t cols,
                              size_t row_stride, size_t col_stride);
plan_weight weight_of_affine(const affine *groups, const void *codes, size_t rows, size_t cols);

/* The plain numbers of a weight; the test fails if it has others. */
stored_numbers weight_numbers(const plan_weight *w);

/* The affine groups of a weight; bits 0 if it has none. */
affine weight_affine(const plan_weight *w);

#endif
