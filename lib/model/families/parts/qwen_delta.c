/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/qwen_delta.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

/* layer_types; if absent, every full_attention_interval-th layer is full. */
static void read_types(family_qwen_delta *g)
{
    static const char INTERVAL[] = "full_attention_interval";
    config *c = g->f->config;
    const size_t n = g->f->plan->n_layers;
    g->is_delta = calloc(n + 1, sizeof *g->is_delta);
    if (!g->is_delta) config_fail(c, ASSAY_ENOMEM, "out of memory");
    if (!family_ok(g->f)) return;
    if (family_layer_kinds(g->f, "linear_attention", g->is_delta)) {
        if (config_has(c, INTERVAL)) (void)config_size(c, INTERVAL); /* published, and without effect then */
        return;
    }
    const size_t interval = config_size_or(c, INTERVAL, 4);
    for (size_t i = 0; family_ok(g->f) && i < n; i++) g->is_delta[i] = (i + 1) % interval != 0;
}

static void read_delta(family_qwen_delta *g)
{
    config *c = g->f->config;
    plan_delta *d = &g->delta;
    d->n_k_heads = config_size(c, "linear_num_key_heads");
    d->n_v_heads = config_size(c, "linear_num_value_heads");
    d->k_dim = config_size(c, "linear_key_head_dim");
    d->v_dim = config_size(c, "linear_value_head_dim");
    d->kernel = config_size(c, "linear_conv_kernel_dim");
    if (!family_ok(g->f)) return;
    if (d->n_v_heads % d->n_k_heads != 0)
        config_fail(c, ASSAY_EFORMAT,
                    "linear_num_value_heads: found %zu, expected a multiple of the %zu key heads",
                    d->n_v_heads, d->n_k_heads);
    if (d->kernel < 2) /* the layout of its weight would not tell a published checkpoint from MLX's */
        config_fail_member(c, ASSAY_EUNSUPPORTED, "linear_conv_kernel_dim", "expected at least 2");
    if (g->d.activation != ASSAY_SILU)
        config_fail_member(c, ASSAY_EUNSUPPORTED, "hidden_act",
                           "expected \"silu\", which the convolution of a delta net has");
}

/* Whether mlx-lm converted the checkpoint (mlx_lm/models/qwen3_5.py: sanitize): its convolutions are stored
 * channels last, and its norms with 1 added. */
static bool was_converted(const family_qwen_delta *g)
{
    const family *f = g->f;
    for (size_t i = 0; i < f->plan->n_layers; i++) {
        char name[BIND_NAME_MAX];
        if (!g->is_delta[i]) continue;
        (void)snprintf(name, sizeof name, "%slayers.%zu.linear_attn.conv1d.weight", f->bind->prefix, i);
        const assay_tensor *t = weights_find(f->bind->weights, name);
        return t && t->rank == 3 && t->shape[2] == 1;
    }
    if (rules_any(&f->bind->rules))
        config_fail(
            f->config, ASSAY_EUNSUPPORTED,
            "layer_types: found no linear_attention in a quantised checkpoint, whose convolutions tell "
            "whether its norms are stored with 1 added");
    return false;
}

void family_qwen_delta_read(family_qwen_delta *g, bool has_no_mlp, const config_rope_request *sections)
{
    family *f = g->f;
    config_rope_request request = *sections;
    g->d = family_decoder_read(f, &(family_class){.epsilon = 1e-6,
                                                  .needs_kv_heads = true,
                                                  .needs_head_dim = true,
                                                  .norm_offset = 1,
                                                  .has_no_mlp = has_no_mlp});
    g->d.qk_norms = FAMILY_QK_PER_HEAD;
    g->d.is_gated = true;
    g->d.qkv_bias = g->d.o_bias = config_flag_or(f->config, "attention_bias", false);
    request.head_dim = g->d.head_dim;
    request.default_theta = 10000;
    request.old_scaling = request.partial = true;
    request.default_partial = 0.25;
    g->d.rope = family_rope(f, &request);
    read_types(g);
    read_delta(g);
    if (!family_ok(f)) return;
    g->is_mlx = was_converted(g);
    if (g->is_mlx) g->d.norm_offset = f->plan->norm.offset = 0;
}

void family_qwen_delta_read_experts(family_qwen_delta *g, bool renormalizes)
{
    config *c = g->f->config;
    plan_experts *x = &g->experts;
    *x = (plan_experts){.present = true,
                        .activation = g->d.activation,
                        .router_factor = 1,
                        .share_factor = 1,
                        .renormalize = renormalizes};
    x->n_experts = config_size(c, "num_experts");
    x->n_active = config_size(c, "num_experts_per_tok");
    x->intermediate = config_size(c, "moe_intermediate_size");
    x->shared.intermediate = config_size(c, "shared_expert_intermediate_size");
    if (c->status == ASSAY_OK && x->n_active > x->n_experts)
        config_fail(c, ASSAY_EFORMAT, "num_experts_per_tok: found %zu, expected at most the %zu experts",
                    x->n_active, x->n_experts);
}

/* The four products of a layer whose rows are in groups by key head: in_proj_qkvz has of each its q, k, v and
 * z, in_proj_ba its b and a. */
static void bind_groups(family_qwen_delta *g, plan_delta *d, size_t i)
{
    bind *b = g->f->bind;
    const size_t n = d->n_k_heads, per_key = d->n_v_heads / n, values = per_key * d->v_dim,
                 width = 2 * d->k_dim + values, step = width + values;
    const plan_weight qkvz =
        bind_matrix(b, n * step, g->f->plan->hidden, "layers.%zu.linear_attn.in_proj_qkvz.weight", i);
    const plan_weight ba =
        bind_matrix(b, 2 * d->n_v_heads, g->f->plan->hidden, "layers.%zu.linear_attn.in_proj_ba.weight", i);
    d->qkv.weight = bind_row_blocks(&qkvz, 0, width, step, n);
    d->z.weight = bind_row_blocks(&qkvz, width, values, step, n);
    d->b.weight = bind_row_blocks(&ba, 0, per_key, 2 * per_key, n);
    d->a.weight = bind_row_blocks(&ba, per_key, per_key, 2 * per_key, n);
}

void family_qwen_delta_bind(family_qwen_delta *g, size_t i)
{
    bind *b = g->f->bind;
    plan_layer *layer = &g->f->plan->layers[i];
    const size_t hidden = g->f->plan->hidden;
    family_decoder_norms(g->f, &g->d, i);
    layer->mixer = (plan_mixer){.kind = PLAN_MIXER_DELTA, .delta = g->delta};
    plan_delta *d = &layer->mixer.delta;
    const size_t k = d->n_k_heads * d->k_dim, v = d->n_v_heads * d->v_dim;
    if (d->groups_heads) {
        bind_groups(g, d, i);
    } else {
        d->qkv = bind_linear(b, 2 * k + v, hidden, false, "layers.%zu.linear_attn.in_proj_qkv", i);
        d->z = bind_linear(b, v, hidden, false, "layers.%zu.linear_attn.in_proj_z", i);
        d->a = bind_linear(b, d->n_v_heads, hidden, false, "layers.%zu.linear_attn.in_proj_a", i);
        d->b = bind_linear(b, d->n_v_heads, hidden, false, "layers.%zu.linear_attn.in_proj_b", i);
    }
    d->conv = bind_convolution(b, 2 * k + v, d->kernel, g->is_mlx, "layers.%zu.linear_attn.conv1d", i);
    d->a_log = bind_vector(b, d->n_v_heads, "layers.%zu.linear_attn.A_log", i);
    d->dt_bias = bind_vector(b, d->n_v_heads, "layers.%zu.linear_attn.dt_bias", i);
    d->norm = bind_norm(b, d->v_dim, g->d.epsilon, "layers.%zu.linear_attn.norm", i);
    d->out = bind_linear(b, hidden, v, false, "layers.%zu.linear_attn.out_proj", i);
}

void family_qwen_delta_bind_experts(family_qwen_delta *g, size_t i)
{
    family *f = g->f;
    plan_experts *x = family_layer_experts(f, &g->experts, i);
    x->shared =
        family_mlp_below(f, i, "mlp.shared_expert", g->experts.shared.intermediate, x->activation, false);
    x->shared_gate = bind_matrix(f->bind, 1, f->plan->hidden, "layers.%zu.mlp.shared_expert_gate.weight", i);
}
