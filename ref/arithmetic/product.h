/* Matrix products in double: on OpenBLAS, or on tiles (ref/arithmetic/panels.h) where these are faster.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_ARITHMETIC_PRODUCT_H
#define REF_ARITHMETIC_PRODUCT_H

#include "model/plan/plan.h"
#include "ref/arithmetic/real.h"

/* y = alpha a bᵀ, or alpha a b if b_holds_columns. a: [m, k], b: [n, k] (or [k, n]), y: [m, n]; ld_*:
 * row strides in elements. */
assay_status ref_product(ref_real *y, size_t ld_y, const ref_real *a, size_t ld_a, const ref_real *b,
                         size_t ld_b, bool b_holds_columns, size_t m, size_t n, size_t k, double alpha);

/* y = x Wᵀ. x: [T, in], y: [T, out]. The weights are converted block by block, each time: a converted copy of
 * all weights would be state, and take four times the memory of a bfloat16 checkpoint. */
assay_status ref_matrix(ref_real *y, const ref_real *x, size_t n_tokens, const plan_weight *weight);

#endif
