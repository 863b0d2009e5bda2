/* The MLP and the mixture of experts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_MLP_H
#define REF_MLP_H

#include "ref/ops.h"

/* down(activation(gate(x)) * up(x)), the gate is made sparse first if mlp->sparse; or down(activation(up(x)))
 * where there is no gate. x, y: [T, D]. */
assay_status ref_mlp(ref_real *y, const ref_real *x, size_t n_tokens, const plan_mlp *mlp);

/* Mixture of the experts of a layer. x: [T, D], input of the experts; routed: [T, D], input of the router; y:
 * [T, D]. has_own: [T], whether a token is evaluated by layer->own_experts; NULL: the layer has none. */
assay_status ref_experts(ref_real *y, const ref_real *x, const ref_real *routed, size_t n_tokens,
                         const plan_layer *layer, const bool *has_own);

#endif
