/* Rows go through a layer in groups of at most fp_tower_block. First the keys and values of all rows are
 * computed, then each group goes through the rest of the layer. The norm before attention is computed twice,
 * which is cheaper than storing its rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/layer.h"

#include "fastpath/ops.h"
#include "fastpath/tower/attend.h"
#include "fastpath/tower/mlp.h"

static assay_status put_keys(fp_tower_pass *v, size_t i, fp_tower_keys *keys, const float *x, float *normed)
{
    const size_t n_rows = v->layout.n_rows, hidden = v->tower->hidden;
    assay_status rc = ASSAY_OK;
    for (size_t first = 0, n; rc == ASSAY_OK && first < n_rows; first += n) {
        n = fp_tower_block(v, first);
        fp_norm_run(&v->pass, normed, x + first * hidden, n, hidden, &v->packed->layers[i].mixer_in);
        rc = fp_tower_keys_put(v, i, keys, first, n, normed);
    }
    return rc;
}

/* The rest of the layer, for `n` rows from `first` on. x: [n, D]; normed, y: scratch, likewise. */
static assay_status run_block(fp_tower_pass *v, size_t i, const fp_tower_keys *keys, size_t first, size_t n,
                              float *x, float *normed, float *y)
{
    const fp_tower_layer *w = &v->packed->layers[i];
    const size_t hidden = v->tower->hidden;
    v->pass.n_rows = n; /* of fp_add_run */
    fp_norm_run(&v->pass, normed, x, n, hidden, &w->mixer_in);
    assay_status rc = fp_tower_attend(v, i, keys, first, n, normed, y);
    if (rc != ASSAY_OK) return rc;
    fp_norm_run(&v->pass, y, y, n, hidden, &w->mixer_out);
    if (w->mixer_gate) fp_scale(y, n * hidden, fp_gate_value(w->mixer_gate));
    fp_add_run(&v->pass, x, y, hidden);
    fp_norm_run(&v->pass, normed, x, n, hidden, &w->mlp_in);
    rc = fp_tower_mlp_run(&v->pass, &v->tower->layers[i].mlp, &w->mlp, n, normed, y);
    if (rc != ASSAY_OK) return rc;
    fp_norm_run(&v->pass, y, y, n, hidden, &w->mlp_out);
    if (w->mlp_gate) fp_scale(y, n * hidden, fp_gate_value(w->mlp_gate));
    fp_add_run(&v->pass, x, y, hidden);
    return ASSAY_OK;
}

assay_status fp_tower_layer_run(fp_tower_pass *v, size_t i, float *x)
{
    const size_t n_rows = v->layout.n_rows, hidden = v->tower->hidden, mark = v->pass.scratch->n;
    const size_t n_most = fp_tower_block(v, 0);
    float *normed = fp_scratch_floats(v->pass.scratch, n_most, hidden);
    float *y = normed ? fp_scratch_floats(v->pass.scratch, n_most, hidden) : NULL;
    fp_tower_keys keys;
    assay_status rc = y ? fp_tower_keys_alloc(v, i, &keys) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = put_keys(v, i, &keys, x, normed);
    for (size_t first = 0, n; rc == ASSAY_OK && first < n_rows; first += n) {
        n = fp_tower_block(v, first);
        rc = run_block(v, i, &keys, first, n, x + first * hidden, normed, y);
    }
    v->pass.scratch->n = mark;
    return rc;
}
