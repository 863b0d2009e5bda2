/* The gated MLP and the mixture of experts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_MLP_H
#define REF_MLP_H

#include "ref/ops.h"

/* down(activation(gate(x)) * up(x)), gate made sparse first where mlp->sparse. x, y: [T, D]. */
assay_status ref_mlp(ref_real *y, const ref_real *x, size_t n_tokens, const plan_mlp *mlp);

/* Mixture of experts. x: [T, D], what the experts see; routed: [T, D], what the router sees; y: [T, D]. */
assay_status ref_experts(ref_real *y, const ref_real *x, const ref_real *routed, size_t n_tokens,
                         const plan_experts *experts);

#endif
