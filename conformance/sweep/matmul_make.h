/* The weights and rows of a matrix product.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_MATMUL_MAKE_H
#define CONFORMANCE_SWEEP_MATMUL_MAKE_H

#include "conformance/sweep/matmul_parts.h"

/* For affine groups: whether MLX has this width and group size, and n_in is a multiple of the group.
 * For other weights bits and group must be 0. In both cases whether the arrays fit. */
bool sweep_matrix_allows(assay_dtype weights, size_t n_out, size_t n_in, size_t bits, size_t group);

/* Chooses width and group of the next case, and rounds n_in up to whole groups; for weights that are
 * not affine groups sets both to 0 and leaves n_in unchanged. */
void sweep_matrix_turn(const sweep *s, assay_dtype weights, size_t *n_in, size_t *bits, size_t *group);

/* Makes the weights of p->stored, whose sizes and types are set; rows, scales and biases may be
 * unaligned. */
void sweep_make_weights(sweep_product *p, sweep *s);

/* Takes the memory of p->w and p->magnitude, and chooses the operand that has zeros. */
void sweep_make_values(sweep_product *p, sweep *s);

/* Makes x of p->of.n_rows rows and, for codes, their scales and sums. */
void sweep_make_rows(sweep_product *p, sweep *s);

#endif
