/* Gemma 2 (transformers, models/gemma2/modeling_gemma2.py): norms before and after attention and MLP, which
 * multiply by 1 + w, caps of scores and logits, and windows in every second layer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/families/parts/gemma_parts.h"
#include "model/families/parts/harmless.h"

static void read_family(family *f)
{
    config *c = f->config;
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-6,
                                                              .needs_kv_heads = true,
                                                              .needs_head_dim = true,
                                                              .tied = true,
                                                              .activation_member = "hidden_activation",
                                                              .default_activation = "gelu_pytorch_tanh",
                                                              .norm_offset = 1});
    f->plan->embedding_scale = sqrt((double)f->plan->hidden);
    f->plan->soft_cap = family_cap(f, "final_logit_softcapping", 30);
    d.scale = 1 / sqrt(config_positive_or(c, "query_pre_attn_scalar", 256));
    d.score_cap = family_cap(f, "attn_logit_softcapping", 50);
    d.mixer_out = "post_attention_layernorm";
    d.mlp_in = "pre_feedforward_layernorm";
    d.mlp_out = "post_feedforward_layernorm";
    d.qkv_bias = d.o_bias = config_flag_or(c, "attention_bias", false);
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 10000, .old_scaling = true});
    config_refuse(c, "use_bidirectional_attention");
    family_listed_windows(f, family_window(f, 4096), 2);
    family_decoder_layers(f, &d);
}

/* In published files, but not read by the class: hidden_activation and sliding_window are. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"hidden_act", NULL},
    {"sliding_window_size", NULL},
};
static const config_harmless_group UNREAD = {"is not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

/* The pattern of windows is the published default. */
static void read_gguf(gguf_config *c)
{
    family_gemma_gguf_scale(c, 46);
    gguf_config_take_count(c, "attention.sliding_window", "sliding_window");
    gguf_config_take_real(c, "attn_logit_softcapping", "attn_logit_softcapping");
    gguf_config_take_real(c, "final_logit_softcapping", "final_logit_softcapping");
}

static const gguf_architecture GGUF = {.name = "gemma2",
                                       .renames = {{"ffn_norm", "pre_feedforward_layernorm"}},
                                       .has_shifted_norms = true,
                                       .more = read_gguf};

const family_reader family_gemma2 = {
    .types = {{.model_type = "gemma2", .read = read_family, .gguf = &GGUF}},
    .harmless = {&UNREAD, &family_harmless_media},
};
