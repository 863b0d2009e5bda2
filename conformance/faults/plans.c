/* Faults that change a plan, which the engine then evaluates correctly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/faults/fault.h"
#include "model/numerics/stored.h"

/* Layers with another mixer are left as they are. */
static void change_attention(plan *p, void (*change)(plan_attention *a))
{
    for (size_t i = 0; i < p->n_layers; i++)
        if (p->layers[i].mixer.kind == PLAN_MIXER_ATTENTION) change(&p->layers[i].mixer.attention);
}

static void widen(plan_attention *a)
{
    if (a->window) a->window++;
}

void fault_window_wide(plan *p)
{
    change_attention(p, widen);
}

static void narrow(plan_attention *a)
{
    if (a->window > 1) a->window--;
}

void fault_window_narrow(plan *p)
{
    change_attention(p, narrow);
}

static void mask_causally(plan_attention *a)
{
    a->mask = PLAN_MASK_CAUSAL;
}

void fault_blocks_causal(plan *p)
{
    change_attention(p, mask_causally);
}

static void mask_in_blocks(plan_attention *a)
{
    a->mask = PLAN_MASK_BLOCKS;
}

void fault_blocks_everywhere(plan *p)
{
    change_attention(p, mask_in_blocks);
}

static const plan_attention *layer_attention(const plan *p, size_t layer)
{
    assert(p->layers[layer].mixer.kind == PLAN_MIXER_ATTENTION);
    return &p->layers[layer].mixer.attention;
}

/* Layers with equal windows are of one kind, with equal head sizes. */
void fault_shared_first(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) {
        plan_attention *a = &p->layers[i].mixer.attention;
        size_t first = 0;
        while (layer_attention(p, first)->window != a->window) first++;
        if (a->cache_layer != i) a->cache_layer = first;
    }
}

void fault_cap_missing(plan *p)
{
    p->soft_cap = 0;
}

static void drop_score_cap(plan_attention *a)
{
    a->score_cap = 0;
}

void fault_score_cap_missing(plan *p)
{
    change_attention(p, drop_score_cap);
}

static void scale_by_head(plan_attention *a)
{
    a->scale = 1 / sqrt((double)a->head_dim);
}

void fault_scale_of_head(plan *p)
{
    change_attention(p, scale_by_head);
}

void fault_embedding_unscaled(plan *p)
{
    p->embedding_scale = 1;
}

void fault_residual_plain(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) p->layers[i].residual_factor = 1;
}

void fault_logits_unscaled(plan *p)
{
    p->logit_factor = 1;
}

static void split_norm(plan_norm *norm, size_t head_dim)
{
    if (norm->present && norm->width != head_dim) norm->width = norm->weight.cols = head_dim;
}

/* With the weights of the first head. */
static void split_norms(plan_attention *a)
{
    split_norm(&a->q_norm, a->head_dim);
    split_norm(&a->k_norm, a->head_dim);
}

void fault_norms_per_head(plan *p)
{
    change_attention(p, split_norms);
}

void fault_norms_early(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) {
        plan_layer *layer = &p->layers[i];
        if (layer->mixer_in.present || layer->mlp_in.present) continue;
        layer->mixer_in = layer->mixer_out;
        layer->mlp_in = layer->mlp_out;
        layer->mixer_out.present = layer->mlp_out.present = false;
    }
}

/* Sandwich norms: those after attention and MLP are left out. */
void fault_post_norms_missing(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++)
        p->layers[i].mixer_out.present = p->layers[i].mlp_out.present = false;
}

void fault_norm_offset_missing(plan *p)
{
    p->norm.offset = 0;
    for (size_t i = 0; i < p->n_layers; i++) {
        plan_layer *layer = &p->layers[i];
        layer->mixer_in.offset = layer->mixer_out.offset = 0;
        layer->mlp_in.offset = layer->mlp_out.offset = 0;
        if (layer->mixer.kind == PLAN_MIXER_DELTA) layer->mixer.delta.norm.offset = 0;
        else layer->mixer.attention.q_norm.offset = layer->mixer.attention.k_norm.offset = 0;
    }
}

/* Windows in the other layers than those that have one. */
void fault_windows_swapped(plan *p)
{
    size_t window = 0;
    for (size_t i = 0; i < p->n_layers; i++)
        if (layer_attention(p, i)->window) window = layer_attention(p, i)->window;
    for (size_t i = 0; i < p->n_layers; i++) {
        plan_attention *a = &p->layers[i].mixer.attention;
        a->window = a->window ? 0 : window;
    }
}

/* Leaves the attention factor, which some scalings set. */
void fault_rope_plain(plan *p)
{
    for (size_t i = 0; i < p->n_ropes; i++) p->ropes[i].type = ROPE_DEFAULT;
}

/* Group 1 of row 0 of the first layer's down projection. */
void fault_scale_shifted(plan *p)
{
    static void *scales; /* of the latest plan */
    plan_weight *w = &p->layers[0].mlp.down.weight;
    assay_field *scale = &w->stored.scale;
    affine groups;
    const void *codes;
    if (!stored_as_affine(&w->stored, &groups, &codes) || w->cols == groups.group) return;
    const size_t each = dtype_size(groups.scale_dtype);
    free(scales);
    scales = malloc(scale->n_bytes);
    if (!scales) abort();
    memcpy(scales, scale->bytes, scale->n_bytes);
    memcpy((char *)scales + each, scales, each);
    scale->bytes = scales;
}
