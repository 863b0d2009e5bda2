/* GLM-4.1V (transformers, models/glm4v/modeling_glm4v.py): a decoder with norms before and after attention
 * and MLP and chunked M-RoPE of adjacent pairs; a tower of RMSNorms with a bicubic table of positions and a
 * convolution that merges blocks. Images only: the published class gives the frames of a video the
 * placeholder of images.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/families.h"
#include "model/families/parts/common.h"
#include "model/families/parts/glm_parts.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

static void read_text(family *f)
{
    family_check_tied(f);
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-5, .needs_kv_heads = true});
    if (family_ok(f) && d.n_heads * d.head_dim != f->plan->hidden)
        config_fail(
            f->config, ASSAY_EUNSUPPORTED,
            "head_dim: found %zu, expected hidden_size / num_attention_heads, which the published class "
            "takes",
            d.head_dim);
    d.mixer_out = "post_self_attn_layernorm";
    d.mlp_out = "post_mlp_layernorm";
    d.qkv_bias = true;
    if (config_has(f->config, "attention_bias") && !config_flag_or(f->config, "attention_bias", true))
        config_fail_member(f->config, ASSAY_EUNSUPPORTED, "attention_bias",
                           "expected true: the published class has biases of q, k and v");
    d.rope = family_ok(f) ? family_glm_rope(f, d.head_dim) : 0;
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) family_glm_layer(f, &d, i);
}

static void bind_embeddings(family_vision *v)
{
    bind *b = v->own.bind;
    plan_tower *tower = &v->own.plan->tower;
    const size_t image = config_size_or(&v->config, "image_size", 336), side = image / tower->patches.size;
    if (side == 0)
        config_fail(&v->config, ASSAY_EFORMAT, "image_size: found %zu, expected at least patch_size, %zu",
                    image, tower->patches.size);
    if (!family_ok(&v->own)) return;
    tower->in_norm = bind_norm(b, tower->hidden, v->epsilon, "post_conv_layernorm");
    tower->table = (plan_table){.kind = PLAN_TABLE_BICUBIC, .side = side};
    tower->table.weight = bind_matrix(b, side * side, tower->hidden, "embeddings.position_embedding.weight");
}

void family_glm4v(family *f)
{
    family_vision v;
    read_text(f);
    family_vision_begin_qwen(&v, f, "glm4v_vision");
    config *c = &v.config;
    v.norms = PLAN_RMS_NORM;
    v.epsilon = config_not_negative_or(c, "rms_norm_eps", 1e-5);
    family_vision_layers(&v, config_size(c, "hidden_size"), "depth", "num_heads");
    v.activation = family_activation(&v.own, "hidden_act", "silu");
    family_vision_patches(&v, 14, true);
    family_vision_rope(&v, ROPE_SECTIONS_ROW_COLUMN, ROPE_PAIRS_HALF, 10000);
    if (family_ok(&v.own)) bind_embeddings(&v);
    family_glm_bind_tower(&v,
                          &(family_glm_tower){.qkv_bias = config_flag_or(c, "attention_bias", false),
                                              .intermediate = f->plan->hidden,
                                              .merger_intermediate = config_size(c, "intermediate_size")});
    family_vision_image_token(&v, 151343);
    family_vision_end(&v);
}
