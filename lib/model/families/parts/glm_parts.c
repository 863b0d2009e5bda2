/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/glm_parts.h"

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_patches.h"
#include "model/plan/bind_vector.h"

family_decoder family_glm_decoder_read(family *f, double epsilon)
{
    family_check_tied(f);
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = epsilon, .needs_kv_heads = true});
    d.mixer_out = "post_self_attn_layernorm";
    d.mlp_out = "post_mlp_layernorm";
    return d;
}

size_t family_glm_rope(family *f, size_t head_dim, double default_partial, rope_pairing pairing)
{
    const config_rope_request request = {.head_dim = head_dim,
                                         .default_theta = 10000,
                                         .old_scaling = true,
                                         .partial = true,
                                         .default_partial = default_partial,
                                         .sections = ROPE_SECTIONS_CHUNKED,
                                         .default_section = {8, 12, 12}};
    const size_t index = family_rope(f, &request);
    if (family_ok(f)) f->plan->ropes[index].pairing = pairing;
    return index;
}

static void bind_text_layer(family *f, const family_decoder *d, size_t i)
{
    bind *b = f->bind;
    const size_t hidden = f->plan->hidden, n = d->intermediate, rows[] = {n, n};
    plan_mlp *mlp = &f->plan->layers[i].mlp;
    family_decoder_attention(f, d, i);
    *mlp = (plan_mlp){.present = true, .intermediate = n, .activation = d->activation};
    bind_fused_linears(b, 2, rows, hidden, false, (plan_linear *const[]){&mlp->gate, &mlp->up},
                       "layers.%zu.mlp.gate_up_proj", i);
    mlp->down = bind_linear(b, hidden, n, false, "layers.%zu.mlp.down_proj", i);
}

void family_glm_fused_layers(family *f, const family_decoder *d)
{
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) bind_text_layer(f, d, i);
}

void family_glm_layers(family *f, family_decoder *d)
{
    d->rope = family_ok(f) ? family_glm_rope(f, d->head_dim, 1, ROPE_PAIRS_ADJACENT) : 0;
    family_glm_fused_layers(f, d);
}

void family_glm_vision_begin(family_vision *v, family *f, const char *type)
{
    family_vision_begin_qwen(v, f, type);
    config *c = &v->config;
    v->norms = PLAN_RMS_NORM;
    v->epsilon = config_not_negative_or(c, "rms_norm_eps", 1e-5);
    family_vision_layers(v, config_size(c, "hidden_size"), "depth", "num_heads");
    v->activation = family_activation(&v->own, "hidden_act", "silu");
    family_vision_patches(v, 14, true);
    family_vision_rope(v, ROPE_SECTIONS_ROW_COLUMN, ROPE_PAIRS_HALF, 10000);
}

static void bind_layer(family_vision *v, const family_glm_tower *parts, size_t i)
{
    bind *b = v->own.bind;
    const plan_tower *tower = &v->own.plan->vision;
    const size_t d = tower->hidden, n = parts->intermediate, rows[] = {d, d, d};
    plan_tower_layer *layer = &tower->layers[i];
    plan_attention *a = &layer->attention;
    *a = family_vision_attention(v, i);
    layer->mixer_in = bind_norm(b, d, v->epsilon, "blocks.%zu.norm1", i);
    bind_fused_linears(b, 3, rows, d, parts->qkv_bias, (plan_linear *const[]){&a->q, &a->k, &a->v},
                       "blocks.%zu.attn.qkv", i);
    a->o = bind_linear(b, d, d, parts->o_bias, "blocks.%zu.attn.proj", i);
    if (parts->has_head_norms) {
        a->q_norm = bind_norm(b, v->head_dim, v->epsilon, "blocks.%zu.attn.q_norm", i);
        a->k_norm = bind_norm(b, v->head_dim, v->epsilon, "blocks.%zu.attn.k_norm", i);
    }
    layer->mlp_in = bind_norm(b, d, v->epsilon, "blocks.%zu.norm2", i);
    layer->mlp = (plan_mlp){.present = true,
                            .intermediate = n,
                            .activation = v->activation,
                            .gate = bind_linear(b, n, d, parts->mlp_bias, "blocks.%zu.mlp.gate_proj", i),
                            .up = bind_linear(b, n, d, parts->mlp_bias, "blocks.%zu.mlp.up_proj", i),
                            .down = bind_linear(b, d, n, parts->mlp_bias, "blocks.%zu.mlp.down_proj", i)};
}

static plan_merger_step mlp_step(family_vision *v, size_t width, size_t n)
{
    bind *b = v->own.bind;
    return (plan_merger_step){PLAN_MERGER_MLP,
                              .mlp = {.present = true,
                                      .intermediate = n,
                                      .activation = v->activation,
                                      .gate = bind_linear(b, n, width, false, "merger.gate_proj"),
                                      .up = bind_linear(b, n, width, false, "merger.up_proj"),
                                      .down = bind_linear(b, width, n, false, "merger.down_proj")}};
}

static void bind_merger(family_vision *v, size_t intermediate)
{
    bind *b = v->own.bind;
    plan_tower *tower = &v->own.plan->vision;
    const size_t out = v->own.plan->hidden;
    plan_patches block = {.size = tower->merge, .channels = tower->hidden, .frames = 1};
    bind_patches(b, out, &block, true, "downsample");
    tower->merger = (plan_merger){
        6,
        {{PLAN_MERGER_CONCATENATE, .channels_first = !block.weights_channels_last},
         {PLAN_MERGER_LINEAR, .linear = block.embed},
         {PLAN_MERGER_LINEAR, .linear = bind_linear(b, out, out, false, "merger.proj")},
         {PLAN_MERGER_NORM, .norm = bind_layer_norm(b, out, 1e-5, "merger.post_projection_norm")},
         {PLAN_MERGER_ACTIVATION, .activation = ASSAY_GELU},
         mlp_step(v, out, intermediate)}};
}

void family_glm_bind_tower(family_vision *v, const family_glm_tower *parts)
{
    plan_tower *tower = &v->own.plan->vision;
    const size_t out = v->own.plan->hidden, stated = config_size(&v->config, "out_hidden_size");
    if (family_ok(&v->own) && stated != out)
        config_fail(&v->config, ASSAY_EFORMAT,
                    "out_hidden_size: found %zu, expected the language model's hidden_size, %zu", stated,
                    out);
    for (size_t i = 0; family_ok(&v->own) && i < tower->n_layers; i++) bind_layer(v, parts, i);
    if (!family_ok(&v->own)) return;
    tower->out_norm = bind_norm(v->own.bind, tower->hidden, v->epsilon, "post_layernorm");
    bind_merger(v, parts->merger_intermediate);
}

void family_glm4v_tower(family *f, const char *type, size_t default_image)
{
    family_vision v;
    family_glm_vision_begin(&v, f, type);
    config *c = &v.config;
    family_vision_table(&v, PLAN_TABLE_BICUBIC, config_size_or(c, "image_size", 336));
    if (family_ok(&v.own))
        f->plan->vision.in_norm =
            bind_norm(v.own.bind, f->plan->vision.hidden, v.epsilon, "post_conv_layernorm");
    family_glm_bind_tower(&v,
                          &(family_glm_tower){.qkv_bias = config_flag_or(c, "attention_bias", false),
                                              .intermediate = f->plan->hidden,
                                              .merger_intermediate = config_size(c, "intermediate_size")});
    family_vision_image_token(&v, default_image);
    family_vision_end(&v);
}

void family_glm_ignore_predictors(family *f)
{
    static const struct {
        size_t layer;
        const char *prefix;
    } OTHERS[] = {{46, "layers.46."}, {92, "layers.92."}};
    for (size_t k = 0; k < sizeof OTHERS / sizeof *OTHERS; k++)
        if (f->plan->n_layers <= OTHERS[k].layer)
            bind_ignore(f->bind, f->config->notes, OTHERS[k].prefix, "the published class does not load it");
}
