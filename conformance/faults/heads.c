/* Faults of what stands beside queries, keys and values: attention sinks, the rope in the plane of
 * images, the positions of its tokens, scales of heads; and of MLPs: the square of a gate, an offset, a bias
 * of the router, the place of its norm.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/faults/fault.h"

void fault_sink_missing(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) p->layers[i].mixer.attention.sinks.data = NULL;
}

void fault_square_missing(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) p->layers[i].mlp.squares = false;
}

void fault_plane_missing(plan *p)
{
    p->plane_rope.present = false;
}

void fault_plane_other_half(plan *p)
{
    p->plane_rope.first = 0;
}

void fault_positions_of_index(plan *p)
{
    p->positions = PLAN_POSITIONS_INDEX;
}

/* As if keys were repeated after the ropes: all heads that are made of one have the angles of the first. */
void fault_plane_of_group(fp_pass *pass, size_t i)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    const size_t n = pass->plan->plane_rope.dim / 2, n_heads = pass->n_rows * a->n_heads;
    if (!pass->plane_cosine || a->kv_repeats < 2) return;
    for (size_t h = 0; h < n_heads; h++) {
        const size_t first = h / a->kv_repeats * a->kv_repeats;
        memmove(pass->plane_cosine + h * n, pass->plane_cosine + first * n, n * sizeof *pass->plane_cosine);
        memmove(pass->plane_sine + h * n, pass->plane_sine + first * n, n * sizeof *pass->plane_sine);
    }
}

void fault_query_factor_missing(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) p->layers[i].mixer.attention.query_factor.period = 0;
}

/* Positions are counted from 1, as other models do. */
void fault_query_factor_of_next(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) p->layers[i].mixer.attention.query_factor.first += 1;
}

void fault_up_offset_missing(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) p->layers[i].experts.gating.up_offset = 0;
}

void fault_router_bias_missing(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) p->layers[i].experts.router_bias.data = NULL;
}

void fault_head_bias_missing(plan *p)
{
    p->head_bias.data = NULL;
}

void fault_logits_divided(plan *p)
{
    p->logit_factor = 1 / p->logit_factor;
}

void fault_nope_turned(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++)
        if (p->layers[i].mixer.attention.rope == PLAN_NONE) p->layers[i].mixer.attention.rope = 0;
}

/* The first layer has that of the last. */
void fault_windows_shifted(plan *p)
{
    const size_t last = p->layers[p->n_layers - 1].mixer.attention.window;
    for (size_t i = p->n_layers - 1; i > 0; i--)
        p->layers[i].mixer.attention.window = p->layers[i - 1].mixer.attention.window;
    p->layers[0].mixer.attention.window = last;
}

static void share_weights(plan_norm *n)
{
    if (n->n_weights) n->weight.cols = n->width;
    n->n_weights = 0;
}

void fault_head_weights_first(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) {
        share_weights(&p->layers[i].mixer.attention.q_norm);
        share_weights(&p->layers[i].mixer.attention.k_norm);
    }
}

/* Attention, then the MLP over its result, by the same norm. */
void fault_parallel_in_sequence(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) {
        plan_layer *layer = &p->layers[i];
        if (!layer->is_parallel) continue;
        layer->is_parallel = false;
        layer->mlp_in = layer->mixer_in;
    }
}

static float *copy_heads(const fp_pass *pass, const plan_attention *a, const float *heads)
{
    const size_t n = pass->n_rows * a->n_heads * a->head_dim;
    float *copy = malloc(n * sizeof *copy);
    if (!copy) abort();
    return memcpy(copy, heads, n * sizeof *copy);
}

static void restore_heads(const fp_pass *pass, const plan_attention *a, float *heads, float *copy)
{
    memcpy(heads, copy, pass->n_rows * a->n_heads * a->head_dim * sizeof *heads);
    free(copy);
}

void fault_queries_unscaled(const fp_pass *pass, size_t i, const fp_head_scratch *s, float *q, const float *k,
                            float *v, fault_scale_fn *scale)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    float *copy = copy_heads(pass, a, q);
    scale(pass, i, s, q, k, v);
    restore_heads(pass, a, q, copy);
}

void fault_values_unscaled(const fp_pass *pass, size_t i, const fp_head_scratch *s, float *q, const float *k,
                           float *v, fault_scale_fn *scale)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    float *copy = copy_heads(pass, a, v);
    scale(pass, i, s, q, k, v);
    restore_heads(pass, a, v, copy);
}

/* The scales of every token are those of the first position. */
void fault_scales_unplaced(const fp_pass *pass, size_t i, const fp_head_scratch *s, float *q, const float *k,
                           float *v, fault_scale_fn *scale)
{
    static const float zeros[1024];
    fp_attention *w = &pass->model->layers[i].attention;
    const float *alpha = w->scale_alpha;
    if (plan_layer_attention(&pass->plan->layers[i])->n_heads > sizeof zeros / sizeof *zeros) abort();
    w->scale_alpha = zeros;
    scale(pass, i, s, q, k, v);
    w->scale_alpha = alpha;
}
