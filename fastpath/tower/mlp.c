/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/mlp.h"

#include "fastpath/ops.h"
#include "fastpath/tower/linear.h"

assay_status fp_tower_mlp_run(const fp_pass *pass, const plan_mlp *mlp, const fp_mlp *w, size_t n,
                              const float *x, float *y)
{
    const fp_tower_linear up = {&w->up, &mlp->up.clamp}, gate = {&w->gate, &mlp->gate.clamp};
    const bool is_gated = w->gate.weight.packed.panels != NULL;
    const size_t mark = pass->scratch->n, width = mlp->intermediate;
    float *inner = fp_scratch_floats(pass->scratch, n, width);
    float *raised = inner && is_gated ? fp_scratch_floats(pass->scratch, n, width) : inner;
    assay_status rc = raised ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK && !is_gated) rc = fp_tower_linear_activate(pass, inner, x, n, up, mlp->activation);
    if (rc == ASSAY_OK && is_gated) rc = fp_tower_linear_run(pass, inner, x, n, gate);
    if (rc == ASSAY_OK && is_gated) rc = fp_tower_linear_run(pass, raised, x, n, up);
    if (rc == ASSAY_OK) {
        if (is_gated) fp_gate_run(pass, inner, inner, raised, width, n, width, mlp->activation);
        rc = fp_tower_linear_run(pass, y, inner, n, (fp_tower_linear){&w->down, &mlp->down.clamp});
    }
    pass->scratch->n = mark;
    return rc;
}
