/* Binding matrices: numbers, MLX's affine groups, stacks of experts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_BIND_MATRIX_H
#define MODEL_PLAN_BIND_MATRIX_H

#include "model/plan/bind.h"

/* The matrix prefix + name (printf-formatted), of shape [rows, cols]: of a floating type or, where
 * b->quantization and the checkpoint's tensors agree on it, packed by MLX: name is X.weight, beside X.scales
 * and X.biases. */
plan_weight bind_matrix(bind *b, size_t rows, size_t cols, const char *format, ...)
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

/* Rows first … first + rows of a bound matrix. */
plan_weight bind_rows(const plan_weight *whole, size_t first, size_t rows);

/* Products that share one matrix name.weight [sum of rows, cols], and name.bias where has_bias: out[i] has
 * the next rows[i] rows of both. */
void bind_fused_linears(bind *b, size_t n, const size_t *rows, size_t cols, bool has_bias,
                        plan_linear *const *out, const char *format, ...)
    __attribute__((format(printf, 7, 8)));

/* The experts of one layer below prefix + base, in a published layout: base.E.{gate,up,down}_proj.weight
 * per expert, from E = first on; fused base.gate_up_proj [E, 2I, D] (or [E, D, 2I]) with base.down_proj [E,
 * D, I] (or [E, I, D]), gate first; or mlx-lm's stacked.{gate,up,down}_proj.weight, [E, out, in]. The
 * orientation of a square matrix is ambiguous: the published one, [out, in], is assumed. Fills x->gate,
 * x->up, x->down for x->n_experts and x->intermediate. */
void bind_experts(bind *b, plan_experts *x, size_t hidden, size_t first, const char *base,
                  const char *stacked);

/* The same from two stacks below base: fc1.weight [E, 2I, D], of each expert gate first, and fc2.weight
 * [E, D, I]. */
void bind_stacked_experts(bind *b, plan_experts *x, size_t hidden, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Whether the checkpoint contains lm_head.weight. */
bool bind_has_head(const bind *b);

/* Binds the LM head: lm_head.weight, or the embedding if tied. A tied checkpoint may also contain
 * lm_head.weight if its bytes equal those of the embedding. If they differ, the head is not tied where
 * keeps_stored is true, and the checkpoint is refused where it is false. */
void bind_head(bind *b, plan *p, bool tied, bool keeps_stored);

#endif
