/* One decoder layer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/layer.h"
#include "fastpath/altup.h"
#include "fastpath/attend.h"
#include "fastpath/cross.h"
#include "fastpath/delta.h"
#include "fastpath/experts.h"
#include "fastpath/mlp.h"
#include "fastpath/ops.h"
#include "fastpath/pass_trace.h"

#include <string.h>

/* x = (x + norm(right(left(n))) + n) / √2, n the mixer's normalised input (Gemma3nTextLaurelBlock). */
static assay_status add_laurel(fp_pass *pass, size_t i, float *x, const float *n)
{
    const fp_laurel *w = &pass->model->layers[i].laurel;
    size_t hidden = pass->plan->hidden, mark = pass->scratch->n;
    float *low = fp_scratch_floats(pass->scratch, pass->n_rows, w->left.weight.packed.n_out);
    float *high = low ? fp_scratch_floats(pass->scratch, pass->n_rows, hidden) : NULL;
    if (high) {
        fp_linear_run(pass, low, n, pass->n_rows, &w->left);
        fp_linear_run(pass, high, low, pass->n_rows, &w->right);
        fp_norm_run(pass, high, high, pass->n_rows, hidden, &w->norm);
        fp_add_run(pass, x, high, hidden);
        fp_add_run(pass, x, n, hidden);
        fp_scale(x, pass->n_rows * hidden, 0.70710678118654752440);
    }
    pass->scratch->n = mark;
    return high ? ASSAY_OK : ASSAY_ENOMEM;
}

/* y = experts_out(experts(experts_in(h))), in parallel to an MLP. n: scratch, [R, D]. */
static assay_status experts_in_parallel(fp_pass *pass, size_t i, const float *h, float *n, float *y)
{
    const fp_layer *w = &pass->model->layers[i];
    size_t hidden = pass->plan->hidden;
    fp_norm_run(pass, n, h, pass->n_rows, hidden, &w->experts_in);
    assay_status rc = fp_experts_run(pass, i, y, n, pass->plan->layers[i].experts.routes_residual ? h : n);
    if (rc == ASSAY_OK) rc = fp_pass_trace(pass, y, "layer.%02zu.experts", i);
    if (rc != ASSAY_OK) return rc;
    fp_norm_run(pass, y, y, pass->n_rows, hidden, &w->experts_out);
    return ASSAY_OK;
}

/* y = mlp(mlp_in(h)), or experts(mlp_in(h)), or both in parallel with norms of their own. n: scratch,
 * [R, D]; of a parallel layer the mixer's normalised input, which replaces mlp_in(h). */
static assay_status feed_forward(fp_pass *pass, size_t i, const float *h, float *n, float *y)
{
    const plan_layer *layer = &pass->plan->layers[i];
    const fp_layer *w = &pass->model->layers[i];
    size_t hidden = pass->plan->hidden, mark = pass->scratch->n;
    if (!layer->is_parallel) fp_norm_run(pass, n, h, pass->n_rows, hidden, &w->mlp_in);
    assay_status rc = layer->mlp.present
                          ? fp_mlp_run(pass, &layer->mlp, &w->mlp, y, n)
                          : fp_experts_run(pass, i, y, n, layer->experts.routes_residual ? h : n);
    if (rc == ASSAY_OK) rc = fp_pass_trace(pass, y, "layer.%02zu.mlp", i);
    if (rc != ASSAY_OK || !layer->mlp.present || !layer->experts.present) return rc;
    fp_norm_run(pass, y, y, pass->n_rows, hidden, &w->mlp_dense_out);
    float *chosen = fp_scratch_floats(pass->scratch, pass->n_rows, hidden);
    rc = chosen ? experts_in_parallel(pass, i, h, n, chosen) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) fp_add_run(pass, y, chosen, hidden);
    pass->scratch->n = mark;
    return rc;
}

/* x += residual_factor * tanh(gate) * y, with 1 for a gate that is absent. x, y: [R, D]; y is overwritten. */
static void add_residual(fp_pass *pass, size_t i, const float *gate, float *x, float *y)
{
    const double factor = pass->plan->layers[i].residual_factor * fp_gate_value(gate);
    if (factor != 1) fp_scale(y, pass->n_rows * pass->plan->hidden, factor);
    fp_add_run(pass, x, y, pass->plan->hidden);
}

static assay_status mix_tokens(fp_pass *pass, size_t i, const float *x, float *y)
{
    switch (pass->plan->layers[i].mixer.kind) {
    case PLAN_MIXER_DELTA: return fp_delta_run(pass, i, x, y);
    case PLAN_MIXER_CROSS: return fp_cross_attend(pass, i, x, y);
    case PLAN_MIXER_ATTENTION: break;
    }
    return fp_attend(pass, i, x, y);
}

/* The layer without alternating updates and per-layer input. x: [R, D], in place. */
static assay_status run_block(fp_pass *pass, size_t i, float *x)
{
    const fp_layer *w = &pass->model->layers[i];
    size_t hidden = pass->plan->hidden, mark = pass->scratch->n;
    const bool crosses = pass->plan->layers[i].mixer.kind == PLAN_MIXER_CROSS;
    if (crosses && !fp_cross_has_images(pass)) return ASSAY_OK;
    float *normed = fp_scratch_floats(pass->scratch, pass->n_rows, hidden);
    float *y = normed ? fp_scratch_floats(pass->scratch, pass->n_rows, hidden) : NULL;
    assay_status rc = y ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        fp_norm_run(pass, normed, x, pass->n_rows, hidden, &w->mixer_in);
        rc = mix_tokens(pass, i, normed, y);
    }
    if (rc == ASSAY_OK) rc = fp_pass_trace(pass, y, "layer.%02zu.attn", i);
    if (rc == ASSAY_OK) {
        fp_norm_run(pass, y, y, pass->n_rows, hidden, &w->mixer_out);
        add_residual(pass, i, w->mixer_gate, x, y);
        if (pass->plan->layers[i].laurel.present) rc = add_laurel(pass, i, x, normed);
    }
    if (rc == ASSAY_OK) rc = feed_forward(pass, i, x, normed, y);
    if (rc == ASSAY_OK && crosses) fp_cross_leave_out(pass, y);
    if (rc == ASSAY_OK) {
        fp_norm_run(pass, y, y, pass->n_rows, hidden, &w->mlp_out);
        add_residual(pass, i, w->mlp_gate, x, y);
    }
    pass->scratch->n = mark;
    return rc;
}

/* y = out_norm(projection(activation(gate(x)) * input of layer i)). x, y: [R, D]. */
static assay_status layer_input(fp_pass *pass, size_t i, const float *x, float *y)
{
    const plan *p = pass->plan;
    const fp_layer_input *w = &pass->model->layers[i].layer_input;
    size_t width = p->layer_inputs.width, mark = pass->scratch->n;
    float *gate = fp_scratch_floats(pass->scratch, pass->n_rows, width);
    if (!gate) return ASSAY_ENOMEM;
    fp_linear_run(pass, gate, x, pass->n_rows, &w->gate);
    fp_gate_run(pass, gate, gate, pass->layer_inputs + i * width, p->n_layers * width, pass->n_rows, width,
                p->layers[i].layer_input.activation);
    fp_linear_run(pass, y, gate, pass->n_rows, &w->projection);
    fp_norm_run(pass, y, y, pass->n_rows, p->hidden, &w->out_norm);
    pass->scratch->n = mark;
    return ASSAY_OK;
}

static assay_status plain_layer(fp_pass *pass, size_t i, float *x)
{
    const fp_layer *w = &pass->model->layers[i];
    size_t n = pass->n_rows * pass->plan->hidden, mark = pass->scratch->n;
    assay_status rc = run_block(pass, i, x);
    if (rc == ASSAY_OK && pass->plan->layers[i].layer_input.present) {
        float *y = fp_scratch_floats(pass->scratch, 1, n);
        rc = y ? layer_input(pass, i, x, y) : ASSAY_ENOMEM;
        if (rc == ASSAY_OK) fp_add_run(pass, x, y, pass->plan->hidden);
    }
    if (rc == ASSAY_OK && w->scalar) fp_scale(x, n, (double)*w->scalar);
    pass->scratch->n = mark;
    return rc;
}

/* The block is applied to the active stream; the corrected active stream is the source of the per-layer
 * input, which is added to all streams but the first (upstream: corrected_predictions[1:]). */
static assay_status stream_layer(fp_pass *pass, size_t i, float *streams)
{
    const plan *p = pass->plan;
    const fp_altup *w = &pass->model->layers[i].altup;
    size_t n = pass->n_rows * p->hidden, mark = pass->scratch->n;
    float *predicted = fp_scratch_floats(pass->scratch, p->streams.n, n);
    float *x = predicted ? fp_scratch_floats(pass->scratch, 1, n) : NULL;
    float *y = x ? fp_scratch_floats(pass->scratch, 1, n) : NULL;
    assay_status rc = y ? fp_altup_predict(pass, i, predicted, streams) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        memcpy(x, predicted + p->streams.active * n, n * sizeof *x);
        rc = run_block(pass, i, x);
    }
    if (rc == ASSAY_OK) rc = fp_altup_correct(pass, i, predicted, x);
    if (rc == ASSAY_OK) {
        memcpy(streams, predicted, p->streams.n * n * sizeof *streams);
        memcpy(x, streams + p->streams.active * n, n * sizeof *x);
        if (w->output_scale) fp_scale_columns(x, pass->n_rows, p->hidden, w->output_scale);
        rc = layer_input(pass, i, x, y);
    }
    for (size_t s = 1; rc == ASSAY_OK && s < p->streams.n; s++)
        fp_add_run(pass, streams + s * n, y, p->hidden);
    pass->scratch->n = mark;
    return rc;
}

/* Adds the features of deepstack entry i to the rows of their tokens. x: [R, D]. */
static void add_deepstack(const fp_pass *pass, size_t i, float *x)
{
    const size_t hidden = pass->plan->hidden;
    if (i >= pass->plan->vision.n_deepstack) return;
    for (size_t j = 0; j < pass->n_runs; j++) {
        const fp_run *run = &pass->runs[j];
        for (size_t t = 0; run->placed && t < run->n_rows; t++)
            if (run->placed[t].features && i + 1 < fp_features_levels(run->placed[t].features))
                fp_add(x + (run->first_row + t) * hidden,
                       fp_features_row(run->placed[t].features, i + 1, run->placed[t].row), hidden);
    }
}

assay_status fp_layer_run(fp_pass *pass, size_t i, float *x)
{
    const plan *p = pass->plan;
    bool has_streams = p->streams.n > 0;
    assay_status rc = has_streams ? stream_layer(pass, i, x) : plain_layer(pass, i, x);
    if (rc != ASSAY_OK) return rc;
    float *out = x + (has_streams ? p->streams.active * pass->n_rows * p->hidden : 0);
    add_deepstack(pass, i, out);
    return fp_pass_trace(pass, out, "layer.%02zu.out", i);
}
