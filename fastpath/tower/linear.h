/* Products of a tower: with biases, and with limits of their inputs and outputs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_LINEAR_H
#define FASTPATH_TOWER_LINEAR_H

#include "fastpath/pass.h"

/* A matrix of a tower, packed, and as the plan has it. */
typedef struct fp_tower_linear {
    const fp_linear *packed;
    const plan_clamp *clamp;
} fp_tower_linear;

/* y = clamp(clamp(x) Wᵀ + b). x: [n_rows, n_in], y: [n_rows, n_out], must not overlap. Fails with
 * ASSAY_ENOMEM.
 */
assay_status fp_tower_linear_run(const fp_pass *pass, float *y, const float *x, size_t n_rows,
                                 fp_tower_linear w);

/* y = activation(clamp(x) Wᵀ + b), likewise, clamped before the activation. */
assay_status fp_tower_linear_activate(const fp_pass *pass, float *y, const float *x, size_t n_rows,
                                      fp_tower_linear w, assay_activation activation);

/* x = activation(x), in place. x: [n_rows, width]; width: at most that of the tower's activations. */
void fp_tower_activate(const fp_pass *pass, float *x, size_t n_rows, size_t width,
                       assay_activation activation);

#endif
