/* The MLP, with a gate or without.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/mlp.h"
#include "fastpath/ops.h"

#include <math.h>

/* relu(x - (mean + deviations · std)) of every row, in place; std over the whole row (Gemma 3n,
 * _gaussian_topk). */
static void make_sparse(float *x, size_t n_rows, size_t width, double deviations)
{
    for (size_t r = 0; r < n_rows; r++) {
        float *row = x + r * width;
        double mean = 0, variance = 0;
        for (size_t i = 0; i < width; i++) mean += (double)row[i];
        mean /= (double)width;
        for (size_t i = 0; i < width; i++) variance += ((double)row[i] - mean) * ((double)row[i] - mean);
        double cutoff = mean + sqrt(variance / (double)width) * deviations;
        for (size_t i = 0; i < width; i++)
            row[i] = (double)row[i] < cutoff ? 0 : (float)((double)row[i] - cutoff);
    }
}

/* down(activation(up(x))). */
static assay_status run_plain(fp_pass *pass, const plan_mlp *mlp, const fp_mlp *w, float *y, const float *x)
{
    const size_t n_rows = pass->n_rows, width = mlp->intermediate, mark = pass->scratch->n;
    float *up = fp_scratch_floats(pass->scratch, n_rows, width);
    if (!up) return ASSAY_ENOMEM;
    fp_linear_run(pass, up, x, n_rows, &w->up);
    fp_gate_run(pass, up, up, pass->model->ones, 0, n_rows, width, mlp->activation);
    fp_linear_run(pass, y, up, n_rows, &w->down);
    pass->scratch->n = mark;
    return ASSAY_OK;
}

assay_status fp_mlp_run(fp_pass *pass, const plan_mlp *mlp, const fp_mlp *w, float *y, const float *x)
{
    if (mlp->gate.weight.rows == 0) return run_plain(pass, mlp, w, y, x);
    size_t n_rows = pass->n_rows, width = mlp->intermediate, mark = pass->scratch->n;
    float *gate = fp_scratch_floats(pass->scratch, n_rows, width);
    float *up = gate ? fp_scratch_floats(pass->scratch, n_rows, width) : NULL;
    if (up) {
        fp_products(pass, x, n_rows, (const fp_target[]){{gate, &w->gate.weight}, {up, &w->up.weight}}, 2);
        fp_bias_run(gate, n_rows, &w->gate);
        fp_bias_run(up, n_rows, &w->up);
        if (mlp->sparse) make_sparse(gate, n_rows, width, mlp->sparse_deviations);
        fp_gating(gate, up, n_rows * width, &mlp->gating);
        if (mlp->squares) fp_gate_run(pass, up, gate, up, width, n_rows, width, mlp->activation);
        fp_gate_run(pass, gate, gate, up, width, n_rows, width, mlp->activation);
        fp_linear_run(pass, y, gate, n_rows, &w->down);
    }
    pass->scratch->n = mark;
    return up ? ASSAY_OK : ASSAY_ENOMEM;
}
