/* StarCoder 2 (transformers, models/starcoder2/modeling_starcoder2.py): LayerNorms, an MLP without a gate,
 * biases of all products, and one window.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/gguf/config.h"

static void read_family(family *f)
{
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-5,
                                                              .epsilon_member = "norm_epsilon",
                                                              .norm_bias = true,
                                                              .needs_kv_heads = true,
                                                              .tied = true,
                                                              .default_activation = "gelu_pytorch_tanh"});
    d.qkv_bias = d.o_bias = d.mlp_bias = config_flag_or(f->config, "use_bias", true);
    d.plain[0] = "c_fc";
    d.plain[1] = "c_proj";
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 10000, .old_scaling = true});
    family_same_windows(f, family_window(f, 0));
    family_decoder_layers(f, &d);
}

static const config_harmless_member UNREAD_MEMBERS[] = {
    {"attention_softmax_in_fp32", NULL},
    {"embedding_dropout", NULL},
    {"layer_norm_epsilon", NULL},
    {"mlp_type", "\"default\""},
    {"norm_type", "\"layer_norm\""},
    {"residual_dropout", NULL},
    {"scale_attention_softmax_in_fp32", NULL},
    {"scale_attn_weights", "true"},
};
static const config_harmless_group UNREAD = {"is of training, or not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

/* The converter leaves the window out. */
static void read_gguf(gguf_config *c)
{
    gguf_config_set(c, c->root, "use_bias",
                    json_object_new_boolean(gguf_find(c->file, "blk.0.attn_q.bias") != NULL));
}

static const gguf_architecture GGUF = {.name = "starcoder2",
                                       .renames = {{"ffn_up", "mlp.c_fc"}, {"ffn_down", "mlp.c_proj"}},
                                       .has_own_biases = true,
                                       .layer_norm = "norm_epsilon",
                                       .more = read_gguf};

const family_reader family_starcoder2 = {
    .types = {{.model_type = "starcoder2", .read = read_family, .gguf = &GGUF}},
    .harmless = {&UNREAD},
};
