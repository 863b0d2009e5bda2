/* One decoder layer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "ref/layer.h"
#include "ref/altup.h"
#include "ref/arithmetic/weight.h"
#include "ref/cross.h"
#include "ref/delta.h"
#include "ref/heads.h"
#include "ref/mlp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How queries and keys rotate. */
static ref_rotation rotation_of(const ref_pass *pass, const plan_attention *a)
{
    if (a->rope == PLAN_NONE) return (ref_rotation){0};
    return (ref_rotation){&pass->plan->ropes[a->rope], pass->cosine[a->rope], pass->sine[a->rope],
                          a->norms_after_rope};
}

/* q: [T, n_heads, head_dim]. gate: likewise, receives the gates of the heads, of which the projection has one
 * beside each query; NULL: it has none. */
static assay_status project_queries(ref_pass *pass, const plan_attention *a, const ref_real *x, ref_real *q,
                                    ref_real *gate)
{
    const size_t n = pass->n_tokens, n_heads = n * a->n_heads, d = a->head_dim;
    const ref_rotation rotation = rotation_of(pass, a);
    if (!gate) return ref_heads_project(q, x, n, a->n_heads, d, &a->q, &a->q_norm, rotation);
    ref_real *q_and_gate = ref_alloc(n_heads, 2 * d);
    assay_status rc = q_and_gate ? ref_linear(q_and_gate, x, n, &a->q) : ASSAY_ENOMEM;
    for (size_t h = 0; rc == ASSAY_OK && h < n_heads; h++) {
        memcpy(q + h * d, q_and_gate + 2 * h * d, d * sizeof *q);
        memcpy(gate + h * d, q_and_gate + (2 * h + 1) * d, d * sizeof *gate);
    }
    free(q_and_gate);
    return rc == ASSAY_OK ? ref_heads_finish(q, n, a->n_heads, d, &a->q_norm, rotation) : rc;
}

static void turn_in_plane(const ref_pass *pass, size_t n_heads, size_t head_dim, ref_real *heads)
{
    if (pass->plane_angle)
        ref_plane_rope(heads, pass->n_tokens, n_heads, head_dim, &pass->plan->plane_rope, pass->plane_angle);
}

/* Makes of each of n heads `times` heads that follow each other, in place. */
static void repeat_heads(ref_real *heads, size_t n, size_t head_dim, size_t times)
{
    if (times < 2) return;
    for (size_t h = n; h-- > 0;)
        for (size_t k = times; k-- > 0;)
            memmove(heads + (h * times + k) * head_dim, heads + h * head_dim, head_dim * sizeof *heads);
}

/* Computes layer i's own keys and values, which stay in the pass for the layers that share them. */
static assay_status make_keys(ref_pass *pass, size_t i, const plan_attention *a, const ref_real *x)
{
    const size_t n = pass->n_tokens, heads = plan_projected_kv_heads(a), d = a->head_dim;
    const plan_linear *values = a->value_is_key ? &a->k : &a->v;
    pass->k[i] = ref_alloc(n, a->n_kv_heads * d);
    pass->v[i] = ref_alloc(n, a->n_kv_heads * d);
    if (!pass->k[i] || !pass->v[i]) return ASSAY_ENOMEM;
    assay_status rc = ref_linear(pass->k[i], x, n, &a->k);
    if (rc == ASSAY_OK) rc = ref_linear(pass->v[i], x, n, values);
    if (rc != ASSAY_OK) return rc;
    repeat_heads(pass->k[i], n * heads, d, a->kv_repeats);
    repeat_heads(pass->v[i], n * heads, d, a->kv_repeats);
    rc = ref_heads_finish(pass->k[i], n, a->n_kv_heads, d, &a->k_norm, rotation_of(pass, a));
    if (rc == ASSAY_OK) rc = ref_heads_finish(pass->v[i], n, a->n_kv_heads, d, &a->v_norm, (ref_rotation){0});
    turn_in_plane(pass, a->n_kv_heads, d, pass->k[i]);
    return rc;
}

/* Queries, keys and values of a layer whose heads are scaled, which all three decide. */
static assay_status project_scaled(ref_pass *pass, size_t i, const plan_attention *a, const ref_real *x,
                                   ref_real *q)
{
    const size_t n = pass->n_tokens, heads = a->n_heads, d = a->head_dim;
    ref_real *k = pass->k[i] = ref_alloc(n, heads * d), *v = pass->v[i] = ref_alloc(n, heads * d);
    if (!k || !v) return ASSAY_ENOMEM;
    assay_status rc = ref_linear(q, x, n, &a->q);
    if (rc == ASSAY_OK) rc = ref_linear(k, x, n, &a->k);
    if (rc == ASSAY_OK) rc = ref_linear(v, x, n, &a->v);
    if (rc == ASSAY_OK) rc = ref_head_scale(q, k, v, n, pass->positions, a);
    if (rc == ASSAY_OK) rc = ref_heads_finish(q, n, heads, d, &a->q_norm, rotation_of(pass, a));
    if (rc == ASSAY_OK) rc = ref_heads_finish(k, n, heads, d, &a->k_norm, rotation_of(pass, a));
    return rc == ASSAY_OK ? ref_heads_finish(v, n, heads, d, &a->v_norm, (ref_rotation){0}) : rc;
}

/* The queries of a layer, and the gates of its heads if it has them; with scales also its keys and values. */
static assay_status project(ref_pass *pass, size_t i, const plan_attention *a, const ref_real *x, ref_real *q,
                            ref_real *gate)
{
    const assay_status rc =
        a->head_scale.present ? project_scaled(pass, i, a, x, q) : project_queries(pass, a, x, q, gate);
    const size_t width = a->n_heads * a->head_dim;
    for (size_t t = 0; a->query_factor.period != 0 && t < pass->n_tokens; t++) {
        const double position = pass->positions ? (double)pass->positions[t * ROPE_AXES_MAX] : (double)t;
        ref_scale(q + t * width, width, plan_query_factor_at(&a->query_factor, position));
    }
    return rc;
}

static assay_status attend_layer(ref_pass *pass, size_t i, const ref_real *x, ref_real *y)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    size_t width = a->n_heads * a->head_dim;
    ref_real *q = ref_alloc(pass->n_tokens, width), *attn_out = ref_alloc(pass->n_tokens, width);
    ref_real *gate = ref_alloc(pass->n_tokens, width);
    plan_keys *keys = calloc(pass->n_tokens, sizeof *keys);
    assay_status rc =
        q && attn_out && gate && keys ? project(pass, i, a, x, q, a->is_gated ? gate : NULL) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) turn_in_plane(pass, a->n_heads, a->head_dim, q);
    if (rc == ASSAY_OK && a->cache_layer == i && !a->head_scale.present) rc = make_keys(pass, i, a, x);
    if (rc == ASSAY_OK) {
        plan_mask_keys(a, pass->limit.limit, pass->limit.sink_tokens, pass->block_end, pass->n_tokens, keys);
        rc = ref_attention(attn_out, q, pass->k[a->cache_layer], pass->v[a->cache_layer], pass->n_tokens,
                           pass->n_tokens, a, keys);
    }
    if (rc == ASSAY_OK && a->is_gated) {
        ref_sigmoid(gate, pass->n_tokens * width);
        ref_multiply(attn_out, gate, pass->n_tokens * width);
    }
    if (rc == ASSAY_OK) rc = ref_linear(y, attn_out, pass->n_tokens, &a->o);
    free(q);
    free(gate);
    free(attn_out);
    free(keys);
    return rc;
}

static assay_status mix_tokens(ref_pass *pass, size_t i, const ref_real *x, ref_real *y)
{
    const plan_mixer *m = &pass->plan->layers[i].mixer;
    if (m->kind == PLAN_MIXER_CROSS) return ref_cross(pass, i, x, y);
    if (m->kind == PLAN_MIXER_DELTA) return ref_delta(y, x, pass->n_tokens, &m->delta);
    return attend_layer(pass, i, x, y);
}

/* x = (x + norm(right(left(n))) + n) / √2, n the mixer's normalised input (Gemma3nTextLaurelBlock). */
static assay_status add_laurel(ref_real *x, const ref_real *n, size_t n_tokens, size_t hidden,
                               const plan_laurel *laurel)
{
    ref_real *low = ref_alloc(n_tokens, laurel->left.weight.rows), *high = ref_alloc(n_tokens, hidden);
    assay_status rc = low && high ? ref_linear(low, n, n_tokens, &laurel->left) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = ref_linear(high, low, n_tokens, &laurel->right);
    if (rc == ASSAY_OK) rc = ref_norm(high, high, n_tokens, hidden, &laurel->norm);
    if (rc == ASSAY_OK) {
        ref_add(x, high, n_tokens * hidden);
        ref_add(x, n, n_tokens * hidden);
        ref_scale(x, n_tokens * hidden, 0.70710678118654752440);
    }
    free(low);
    free(high);
    return rc;
}

/* y = experts(n). h: [T, D], the input of the norm whose output is n. */
static assay_status mix_experts(ref_pass *pass, const plan_layer *layer, const ref_real *h, const ref_real *n,
                                ref_real *y)
{
    bool *has_own = layer->own_experts.present ? calloc(pass->n_tokens, sizeof *has_own) : NULL;
    if (layer->own_experts.present && !has_own) return ASSAY_ENOMEM;
    for (size_t t = 0; has_own && t < pass->n_tokens; t++)
        has_own[t] = plan_has_own_experts(pass->plan, pass->tokens[t]);
    assay_status rc =
        ref_experts(y, n, layer->experts.routes_residual ? h : n, pass->n_tokens, layer, has_own);
    free(has_own);
    return rc;
}

/* y = mlp(mlp_in(h)), or experts(mlp_in(h)), or both in parallel with norms of their own. n: scratch,
 * [T, D]; of a parallel layer the mixer's normalised input, which replaces mlp_in(h). */
static assay_status feed_forward(ref_pass *pass, size_t i, const ref_real *h, ref_real *n, ref_real *y)
{
    const plan_layer *layer = &pass->plan->layers[i];
    size_t n_tokens = pass->n_tokens, hidden = pass->plan->hidden;
    assay_status rc = layer->is_parallel ? ASSAY_OK : ref_norm(n, h, n_tokens, hidden, &layer->mlp_in);
    if (rc != ASSAY_OK) return rc;
    if (!layer->mlp.present) {
        rc = mix_experts(pass, layer, h, n, y);
    } else {
        rc = ref_mlp(y, n, n_tokens, &layer->mlp);
    }
    if (rc == ASSAY_OK) rc = ref_trace(&pass->tracer, y, n_tokens, hidden, "layer.%02zu.mlp", i);
    if (rc != ASSAY_OK || !layer->mlp.present || !layer->experts.present) return rc;
    ref_real *chosen = ref_alloc(n_tokens, hidden);
    rc = chosen ? ref_norm(y, y, n_tokens, hidden, &layer->mlp_dense_out) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = ref_norm(n, h, n_tokens, hidden, &layer->experts_in);
    if (rc == ASSAY_OK) rc = mix_experts(pass, layer, h, n, chosen);
    if (rc == ASSAY_OK) rc = ref_trace(&pass->tracer, chosen, n_tokens, hidden, "layer.%02zu.experts", i);
    if (rc == ASSAY_OK) rc = ref_norm(chosen, chosen, n_tokens, hidden, &layer->experts_out);
    if (rc == ASSAY_OK) ref_add(y, chosen, n_tokens * hidden);
    free(chosen);
    return rc;
}

/* x += factor tanh(gate) y, with 1 for a gate that is absent. y is overwritten. */
static void add_residual(ref_real *x, ref_real *y, size_t n, double factor, const plan_weight *gate)
{
    if (gate->data) {
        ref_real value;
        ref_weight_rows(gate, 0, 1, &value);
        factor *= tanh((double)value);
    }
    if (factor != 1) ref_scale(y, n, factor);
    ref_add(x, y, n);
}

assay_status ref_block(ref_pass *pass, size_t i, ref_real *x)
{
    const plan_layer *layer = &pass->plan->layers[i];
    size_t n_tokens = pass->n_tokens, hidden = pass->plan->hidden, n = n_tokens * hidden;
    const bool crosses = layer->mixer.kind == PLAN_MIXER_CROSS;
    if (crosses && pass->media->n == 0) return ASSAY_OK;
    ref_real *normed = ref_alloc(n_tokens, hidden), *y = ref_alloc(n_tokens, hidden);
    assay_status rc = normed && y ? ref_norm(normed, x, n_tokens, hidden, &layer->mixer_in) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = mix_tokens(pass, i, normed, y);
    if (rc == ASSAY_OK) rc = ref_trace(&pass->tracer, y, n_tokens, hidden, "layer.%02zu.attn", i);
    if (rc == ASSAY_OK) rc = ref_norm(y, y, n_tokens, hidden, &layer->mixer_out);
    if (rc == ASSAY_OK) {
        add_residual(x, y, n, layer->residual_factor, &layer->mixer_gate);
        if (layer->laurel.present) rc = add_laurel(x, normed, n_tokens, hidden, &layer->laurel);
    }
    if (rc == ASSAY_OK) rc = feed_forward(pass, i, x, normed, y);
    if (rc == ASSAY_OK && crosses) ref_cross_leave_out(pass, y);
    if (rc == ASSAY_OK) rc = ref_norm(y, y, n_tokens, hidden, &layer->mlp_out);
    if (rc == ASSAY_OK) add_residual(x, y, n, layer->residual_factor, &layer->mlp_gate);
    free(normed);
    free(y);
    return rc;
}

/* y = out_norm(projection(activation(gate(x)) * input of layer i)). x, y: [T, D]. */
static assay_status layer_input(ref_pass *pass, size_t i, const ref_real *x, ref_real *y)
{
    const plan_layer_input *in = &pass->plan->layers[i].layer_input;
    size_t n_tokens = pass->n_tokens, width = pass->plan->layer_inputs.width, n_layers = pass->plan->n_layers;
    ref_real *gate = ref_alloc(n_tokens, width);
    assay_status rc = gate ? ref_linear(gate, x, n_tokens, &in->gate) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        ref_activate(gate, n_tokens * width, in->activation);
        for (size_t t = 0; t < n_tokens; t++)
            ref_multiply(gate + t * width, pass->layer_inputs + (t * n_layers + i) * width, width);
        rc = ref_linear(y, gate, n_tokens, &in->projection);
    }
    if (rc == ASSAY_OK) rc = ref_norm(y, y, n_tokens, pass->plan->hidden, &in->out_norm);
    free(gate);
    return rc;
}

static assay_status plain_layer(ref_pass *pass, size_t i, ref_real *x)
{
    const plan_layer *layer = &pass->plan->layers[i];
    size_t n = pass->n_tokens * pass->plan->hidden;
    assay_status rc = ref_block(pass, i, x);
    ref_real *y = ref_alloc(pass->n_tokens, pass->plan->hidden);
    if (!y) rc = ASSAY_ENOMEM;
    if (rc == ASSAY_OK && layer->layer_input.present) {
        rc = layer_input(pass, i, x, y);
        if (rc == ASSAY_OK) ref_add(x, y, n);
    }
    if (rc == ASSAY_OK && layer->scalar.data) {
        ref_real scalar;
        ref_weight_rows(&layer->scalar, 0, 1, &scalar);
        ref_scale(x, n, (double)scalar);
    }
    free(y);
    return rc;
}

/* The block is applied to the active stream; the corrected active stream is the source of the per-layer
 * input, which is added to all streams but the first (upstream: corrected_predictions[1:]). */
static assay_status stream_layer(ref_pass *pass, size_t i, ref_real *streams)
{
    const plan *p = pass->plan;
    const plan_altup *altup = &p->layers[i].altup;
    size_t n = pass->n_tokens * p->hidden;
    ref_real *predicted = ref_alloc(p->streams.n, n), *x = ref_alloc(1, n), *y = ref_alloc(1, n);
    ref_real *scale = ref_alloc(1, p->hidden);
    assay_status rc = predicted && x && y && scale
                          ? ref_altup_predict(predicted, streams, pass->n_tokens, p, altup)
                          : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        memcpy(x, predicted + p->streams.active * n, n * sizeof *x);
        rc = ref_block(pass, i, x);
    }
    if (rc == ASSAY_OK) rc = ref_altup_correct(predicted, x, pass->n_tokens, p, altup);
    if (rc == ASSAY_OK) {
        memcpy(streams, predicted, p->streams.n * n * sizeof *streams);
        memcpy(x, streams + p->streams.active * n, n * sizeof *x);
        if (altup->output_scale.data) {
            ref_weight_rows(&altup->output_scale, 0, 1, scale);
            for (size_t t = 0; t < pass->n_tokens; t++) ref_multiply(x + t * p->hidden, scale, p->hidden);
        }
        rc = layer_input(pass, i, x, y);
    }
    for (size_t s = 1; rc == ASSAY_OK && s < p->streams.n; s++) ref_add(streams + s * n, y, n);
    free(predicted);
    free(x);
    free(y);
    free(scale);
    return rc;
}

assay_status ref_layer(ref_pass *pass, size_t i, ref_real *x)
{
    const plan *p = pass->plan;
    bool has_streams = p->streams.n > 0;
    assay_status rc = has_streams ? stream_layer(pass, i, x) : plain_layer(pass, i, x);
    if (rc != ASSAY_OK) return rc;
    ref_real *out = x + (has_streams ? p->streams.active * pass->n_tokens * p->hidden : 0);
    ref_features_add(&pass->features, i, pass->n_tokens, p->hidden, out);
    return ref_trace(&pass->tracer, out, pass->n_tokens, p->hidden, "layer.%02zu.out", i);
}
