/* The MLP of a tower's layer or merger.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_MLP_H
#define FASTPATH_TOWER_MLP_H

#include "fastpath/pass.h"

/* y = down(activation(gate(x)) * up(x)), or without the gate, with the limits of each product. x, y: [n, D],
 * must not overlap. Fails with ASSAY_ENOMEM. */
assay_status fp_tower_mlp_run(const fp_pass *pass, const plan_mlp *mlp, const fp_mlp *w, size_t n,
                              const float *x, float *y);

#endif
