/* The MLP and the mixture of experts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_MLP_H
#define REF_MLP_H

#include "ref/ops.h"

/* down(activation(gate(x)) * up(x)), the gate is made sparse first if mlp->sparse; or down(activation(up(x)))
 * where there is no gate. x, y: [T, D]. */
assay_status ref_mlp(ref_real *y, const ref_real *x, size_t n_tokens, const plan_mlp *mlp);

/* Mixture of experts. x: [T, D], input of the experts; routed: [T, D], input of the router; y: [T, D]. */
assay_status ref_experts(ref_real *y, const ref_real *x, const ref_real *routed, size_t n_tokens,
                         const plan_experts *experts);

#endif
