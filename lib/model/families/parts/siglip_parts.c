/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/siglip_parts.h"

#include <stdio.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_patches.h"
#include "model/plan/bind_vector.h"

void family_siglip_shape(family_vision *v)
{
    config *c = &v->config;
    family_vision_layers(v, config_size(c, "hidden_size"), "num_hidden_layers", "num_attention_heads");
    v->intermediate = config_size(c, "intermediate_size");
    v->activation = family_activation(&v->own, "hidden_act", "gelu_pytorch_tanh");
    v->norms = PLAN_LAYER_NORM;
    v->epsilon = config_not_negative_or(c, "layer_norm_eps", 1e-6);
}

void family_siglip_embeddings(family_vision *v, plan_table_kind kind)
{
    config *c = &v->config;
    plan_tower *tower = &v->own.plan->vision;
    plan_patches *patches = &tower->patches;
    const size_t image = config_size(c, "image_size");
    patches->order = PLAN_PATCHES_RASTER;
    patches->size = config_size(c, "patch_size");
    patches->frames = 1;
    patches->channels = config_size_or(c, "num_channels", 3);
    if (!family_ok(&v->own)) return;
    bind_patches(v->own.bind, tower->hidden, patches, true, "embeddings.patch_embedding");
    family_vision_table(v, kind, image);
}

static plan_norm layer_norm(family_vision *v, const char *layers, size_t i, const char *name)
{
    return bind_layer_norm(v->own.bind, v->own.plan->vision.hidden, v->epsilon, "%s.%zu.%s", layers, i, name);
}

static void bind_qkv(family_vision *v, plan_attention *a, const char *layers, size_t i)
{
    bind *b = v->own.bind;
    const size_t d = v->own.plan->vision.hidden, rows[] = {d, d, d};
    if (bind_exists(b, "%s.%zu.self_attn.qkv.weight", layers, i)) {
        bind_fused_linears(b, 3, rows, d, true, (plan_linear *const[]){&a->q, &a->k, &a->v},
                           "%s.%zu.self_attn.qkv", layers, i);
        return;
    }
    a->q = bind_linear(b, d, d, true, "%s.%zu.self_attn.q_proj", layers, i);
    a->k = bind_linear(b, d, d, true, "%s.%zu.self_attn.k_proj", layers, i);
    a->v = bind_linear(b, d, d, true, "%s.%zu.self_attn.v_proj", layers, i);
}

void family_siglip_layer(family_vision *v, const char *layers, size_t i)
{
    bind *b = v->own.bind;
    const plan_tower *tower = &v->own.plan->vision;
    const size_t d = tower->hidden, inner = v->intermediate;
    plan_tower_layer *layer = &tower->layers[i];
    plan_attention *a = &layer->attention;
    layer->mixer_in = layer_norm(v, layers, i, "layer_norm1");
    *a = family_vision_attention(v, i);
    bind_qkv(v, a, layers, i);
    a->o = bind_linear(b, d, d, true, "%s.%zu.self_attn.out_proj", layers, i);
    layer->mlp_in = layer_norm(v, layers, i, "layer_norm2");
    layer->mlp = (plan_mlp){.present = true,
                            .intermediate = inner,
                            .activation = v->activation,
                            .up = bind_linear(b, inner, d, true, "%s.%zu.mlp.fc1", layers, i),
                            .down = bind_linear(b, d, inner, true, "%s.%zu.mlp.fc2", layers, i)};
}
