/* Phi (transformers, models/phi/modeling_phi.py): one LayerNorm feeds attention and an MLP without a gate in
 * parallel; all products have biases, that of the head, too; ropes turn a part of each head.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/gguf/config.h"
#include "model/plan/bind_matrix.h"

static void read_family(family *f)
{
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-5,
                                                              .epsilon_member = "layer_norm_eps",
                                                              .norm_bias = true,
                                                              .last_norm = "final_layernorm",
                                                              .default_activation = "gelu_new"});
    d.qkv_bias = d.o_bias = d.mlp_bias = true;
    d.is_parallel = true;
    d.mlp_in = NULL;
    d.o = "dense";
    d.plain[0] = "fc1";
    d.plain[1] = "fc2";
    if (config_flag_or(f->config, "qk_layernorm", false)) d.qk_norms = FAMILY_QK_PER_HEAD;
    d.qk_norm_bias = true;
    d.q_norm = "q_layernorm";
    d.k_norm = "k_layernorm";
    d.rope = family_rope(f, &(config_rope_request){.head_dim = d.head_dim,
                                                   .default_theta = 10000,
                                                   .old_scaling = true,
                                                   .partial = true,
                                                   .default_partial = 0.5});
    if (family_ok(f)) bind_head_bias(f->bind, f->plan);
    family_decoder_layers(f, &d);
}

/* The converter leaves rope_theta out, and takes four times the hidden size for the width of the MLP. */
static const gguf_architecture GGUF = {.name = "phi2",
                                       .renames = {{"attn_output", "self_attn.dense"},
                                                   {"ffn_up", "mlp.fc1"},
                                                   {"ffn_down", "mlp.fc2"},
                                                   {"output_norm", "model.final_layernorm"}},
                                       .has_own_biases = true,
                                       .layer_norm = "layer_norm_eps"};

const family_reader family_phi = {
    .types = {{.model_type = "phi", .read = read_family, .gguf = &GGUF}},
};
