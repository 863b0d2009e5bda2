/* Binding matrices by name: alone, and those that share one tensor.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_BIND_MATRIX_H
#define MODEL_PLAN_BIND_MATRIX_H

#include "model/plan/bind.h"

/* The matrix prefix + name (printf-formatted), of shape [rows, cols], stored as bind_matrices (bind_format.h)
 * says. */
plan_weight bind_matrix(bind *b, size_t rows, size_t cols, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The matrix [rows, cols] that is stored as plain numbers, [cols, rows]. */
plan_weight bind_transposed(bind *b, size_t rows, size_t cols, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* name.weight [rows, cols], and name.bias [rows] where has_bias. */
plan_linear bind_linear(bind *b, size_t rows, size_t cols, bool has_bias, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The kernels of a depthwise convolution, [n, kernel], kernel > 1: stored [n, 1, kernel] or, with channels
 * last, [n, kernel, 1]. */
plan_weight bind_convolution(bind *b, size_t n, size_t kernel, bool channels_last, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The matrix stored as [1, rows, cols]. */
plan_weight bind_square_table(bind *b, size_t rows, size_t cols, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Rows first … first + rows - 1 of a bound matrix, and its rows first, first + step, first + 2 step, …. */
plan_weight bind_rows(const plan_weight *whole, size_t first, size_t rows);
plan_weight bind_alternate_rows(const plan_weight *whole, size_t first, size_t step);

/* n blocks of `rows` rows, which begin at rows first, first + step, …. */
plan_weight bind_row_blocks(const plan_weight *whole, size_t first, size_t rows, size_t step, size_t n);

/* The same numbers, row by row, as a matrix of another shape. Fails if a scale would belong to parts of two
 * rows, or if the format is neither plain numbers nor affine groups. */
plan_weight bind_reshaped(bind *b, const plan_weight *whole, size_t rows, size_t cols);

/* Products that share one matrix name.weight [sum of rows, cols], and name.bias where has_bias: out[i] has
 * the next rows[i] rows of both. */
void bind_fused_linears(bind *b, size_t n, const size_t *rows, size_t cols, bool has_bias,
                        plan_linear *const *out, const char *format, ...)
    __attribute__((format(printf, 7, 8)));

/* Whether the checkpoint contains lm_head.weight, in whatever format the rules state. */
bool bind_has_head(const bind *b);

/* Binds the LM head: lm_head.weight, or the embedding if tied. A tied checkpoint may also contain
 * lm_head.weight if its bytes equal those of the embedding. If they differ, the head is not tied where
 * keeps_stored is true, and the checkpoint is refused where it is false. */
void bind_head(bind *b, plan *p, bool tied, bool keeps_stored);

/* Binds lm_head.bias, which a tied head has, too. */
void bind_head_bias(bind *b, plan *p);

#endif
