/* StableLM (transformers, models/stablelm/modeling_stablelm.py): LayerNorms, an MLP in parallel to attention
 * or after it, and ropes that turn a part of each head.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"

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
    if (config_flag_or(c, "qk_layernorm", false)) d.qk_norms = FAMILY_QK_NORMS_PER_HEAD;
    d.q_norm = "q_layernorm";
    d.k_norm = "k_layernorm";
    d.rope = family_rope(f, &(config_rope_request){.head_dim = d.head_dim,
                                                   .default_theta = 10000,
                                                   .old_scaling = true,
                                                   .partial = true,
                                                   .default_partial = 0.25});
    family_decoder_layers(f, &d);
}

const family_reader family_stablelm = {
    .types = {{.model_type = "stablelm", .read = read_family}},
};
