/* StableLM (transformers, models/stablelm/modeling_stablelm.py): LayerNorms, an MLP in parallel to attention
 * or after it, and ropes that turn a part of each head.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/gguf/config.h"

static void read_family(family *f)
{
    config *c = f->config;
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-5,
                                                              .epsilon_member = "layer_norm_eps",
                                                              .norm_bias = true,
                                                              .needs_kv_heads = true});
    if (family_ok(f) && d.n_heads * d.head_dim != f->plan->hidden)
        config_fail(c, ASSAY_EUNSUPPORTED,
                    "head_dim: found %zu, expected hidden_size / num_attention_heads, as the published class "
                    "reads both",
                    d.head_dim);
    d.qkv_bias = config_flag_or(c, "use_qkv_bias", false);
    d.is_parallel = config_flag_or(c, "use_parallel_residual", false);
    if (d.is_parallel) d.mlp_in = NULL;
    if (config_flag_or(c, "qk_layernorm", false))
        d.qk_norms = bind_exists(f->bind, "layers.0.self_attn.q_layernorm.weight")
                         ? FAMILY_QK_WEIGHTS_PER_HEAD
                         : FAMILY_QK_NORMS_PER_HEAD;
    d.q_norm = "q_layernorm";
    d.k_norm = "k_layernorm";
    d.rope = family_rope(f, &(config_rope_request){.head_dim = d.head_dim,
                                                   .default_theta = 10000,
                                                   .old_scaling = true,
                                                   .partial = true,
                                                   .default_partial = 0.25});
    family_decoder_layers(f, &d);
}

/* The converter leaves rope_theta out, and stacks the weights of the heads' norms. */
static void read_gguf(gguf_config *c)
{
    static const char PARALLEL[] = "use_parallel_residual";
    gguf_config_set(c, c->root, "use_qkv_bias",
                    json_object_new_boolean(gguf_find(c->file, "blk.0.attn_q.bias") != NULL));
    gguf_config_set(c, c->root, "qk_layernorm",
                    json_object_new_boolean(gguf_find(c->file, "blk.0.attn_q_norm.weight") != NULL));
    if (gguf_config_has(c, PARALLEL))
        gguf_config_set(c, c->root, PARALLEL, json_object_new_boolean(gguf_config_flag_at(c, PARALLEL, 0)));
}

static const gguf_architecture GGUF = {
    .name = "stablelm",
    .renames = {{"attn_q_norm", "self_attn.q_layernorm"}, {"attn_k_norm", "self_attn.k_layernorm"}},
    .has_own_biases = true,
    .layer_norm = "layer_norm_eps",
    .more = read_gguf};

const family_reader family_stablelm = {
    .types = {{.model_type = "stablelm", .read = read_family, .gguf = &GGUF}},
};
