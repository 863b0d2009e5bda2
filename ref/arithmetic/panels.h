/* Products of tokens with a matrix of weights that are stored in a narrower type.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_ARITHMETIC_PANELS_H
#define REF_ARITHMETIC_PANELS_H

#include "model/plan/plan.h"
#include "ref/arithmetic/real.h"
#include "ref/arithmetic/tile.h"

/* y = x Wᵀ, in double, each result rounded once. x: [n_tokens, in], y: [n_tokens, out]. ASSAY_ENOMEM.
 *
 * A BLAS library copies both matrices into panels, in the order in which its micro-kernel reads them. For
 * weights that were only just widened this is a second copy: with 64 tokens it takes a quarter as long as the
 * multiplications. Here only x is copied; widened weights are read where they are. With many tokens the copy
 * costs little, and the library's kernels are better. */
assay_status ref_panels(ref_real *y, const ref_real *x, size_t n_tokens, const plan_weight *weight,
                        const ref_tile *tile);

#endif
