/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/vision/merge.h"

#include <string.h>

#include "fastpath/ops.h"
#include "fastpath/vision/linear.h"

/* Copies the rows of tokens first … first + n - 1, token by token. rows: [n, n_members, D]. */
static void gather_rows(const fp_vision *v, const float *x, size_t first, size_t n, float *rows)
{
    const fp_layout *l = &v->layout;
    const size_t hidden = v->tower->hidden;
    for (size_t i = 0; i < n * l->n_members; i++)
        memcpy(rows + i * hidden, x + l->member[first * l->n_members + i] * hidden, hidden * sizeof *x);
}

/* (mean · factor - bias) · scale of every side² rows, in place: n rows of [n, side², D] become [n, D]. The
 * sums are in double, in the order of the rows. */
static void pool_rows(const fp_vision *v, size_t n, float *rows)
{
    const plan_pooling *p = &v->tower->pooling;
    const size_t hidden = v->tower->hidden, n_each = p->side * p->side;
    const float *bias = v->packed->pool_bias, *scale = v->packed->pool_scale;
    if (p->side == 1 && p->factor == 1 && !bias && !scale) return;
    for (size_t t = 0; t < n; t++)
        for (size_t d = 0; d < hidden; d++) {
            double sum = 0;
            for (size_t i = 0; i < n_each; i++) sum += (double)rows[(t * n_each + i) * hidden + d];
            sum = sum / (double)n_each * p->factor;
            if (bias) sum -= (double)bias[d];
            if (scale) sum *= (double)scale[d];
            rows[t * hidden + d] = (float)sum;
        }
}

/* rows: [n, merge², D], normalised in place. out: [n, H]. */
static assay_status run_merger(fp_vision *v, const plan_merger *m, const fp_merger *w, size_t n, float *rows,
                               float *out)
{
    const size_t mark = v->pass.scratch->n, n_rows = n * v->tower->merge * v->tower->merge;
    const fp_tower_linear first = {&w->first, &m->first.clip}, second = {&w->second, &m->second.clip};
    if (m->norm_is_last) fp_norm_run(&v->pass, rows, rows, n, n_rows / n * v->tower->hidden, &w->norm);
    else fp_norm_run(&v->pass, rows, rows, n_rows, v->tower->hidden, &w->norm);
    if (!w->first.weight.packed.panels) return fp_tower_linear_run(&v->pass, out, rows, n, second);
    float *inner = fp_scratch_floats(v->pass.scratch, n, w->first.weight.packed.n_out);
    assay_status rc =
        inner ? fp_tower_activated(&v->pass, inner, rows, n, first, m->activation) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = fp_tower_linear_run(&v->pass, out, inner, n, second);
    v->pass.scratch->n = mark;
    return rc;
}

/* The number of tokens whose patches are a block of rows; at least 1. */
static size_t tokens_of_block(const fp_vision *v)
{
    return v->layout.n_members < FP_VISION_ROWS ? FP_VISION_ROWS / v->layout.n_members : 1;
}

/* All tokens, through out_norm and pooling if `ends`, and a merger. */
static assay_status merge_tokens(fp_vision *v, const plan_merger *m, const fp_merger *w, bool ends,
                                 const float *x, float *out)
{
    const fp_layout *l = &v->layout;
    const size_t mark = v->pass.scratch->n, hidden = v->tower->hidden, n_each = tokens_of_block(v);
    const size_t n_most = l->n_tokens < n_each ? l->n_tokens : n_each;
    float *rows = fp_scratch_floats(v->pass.scratch, n_most * l->n_members, hidden);
    assay_status rc = rows ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t first = 0, n; rc == ASSAY_OK && first < l->n_tokens; first += n) {
        n = l->n_tokens - first < n_each ? l->n_tokens - first : n_each;
        gather_rows(v, x, first, n, rows);
        if (ends) fp_norm_run(&v->pass, rows, rows, n * l->n_members, hidden, &v->packed->out_norm);
        if (ends) pool_rows(v, n * v->tower->merge * v->tower->merge, rows);
        rc = run_merger(v, m, w, n, rows, out + first * w->second.weight.packed.n_out);
    }
    v->pass.scratch->n = mark;
    return rc;
}

assay_status fp_vision_merge(fp_vision *v, const float *x, float *out)
{
    return merge_tokens(v, &v->tower->merger, &v->packed->merger, true, x, out);
}

assay_status fp_vision_deepstack(fp_vision *v, size_t k, const float *x, float *out)
{
    return merge_tokens(v, &v->tower->deepstack[k].merger, &v->packed->deepstack[k], false, x, out);
}
