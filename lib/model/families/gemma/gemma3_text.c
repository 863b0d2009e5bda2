/* Gemma 3, text (transformers, models/gemma3/modeling_gemma3.py): Gemma 2 with norms of each head of q and of
 * k, without a cap of scores, and with a rope for each kind of layer.
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
    family_decoder full = family_decoder_read(f, &(family_class){.epsilon = 1e-6,
                                                                 .needs_kv_heads = true,
                                                                 .needs_head_dim = true,
                                                                 .tied = true,
                                                                 .activation_member = "hidden_activation",
                                                                 .default_activation = "gelu_pytorch_tanh",
                                                                 .norm_offset = 1});
    f->plan->embedding_scale = sqrt((double)f->plan->hidden);
    f->plan->soft_cap = family_cap(f, "final_logit_softcapping", 0);
    (void)family_cap(f, "attn_logit_softcapping", 0); /* the class caps no score by it */
    full.scale = 1 / sqrt(config_positive_or(c, "query_pre_attn_scalar", 256));
    full.mixer_out = "post_attention_layernorm";
    full.mlp_in = "pre_feedforward_layernorm";
    full.mlp_out = "post_feedforward_layernorm";
    full.qk_norms = FAMILY_QK_PER_HEAD;
    full.qkv_bias = full.o_bias = config_flag_or(c, "attention_bias", false);
    family_decoder sliding = full;
    family_two_ropes(f, 1000000, 10000, "rope_local_base_freq", &full, &sliding);
    config_refuse(c, "use_bidirectional_attention");
    family_listed_windows(f, family_window(f, 4096), family_pattern(f, 6));
    family_decoder_layers_by_window(f, &sliding, &full);
}

/* The class writes it, and does not read it. */
static const config_harmless_member UNREAD_MEMBERS[] = {{"_sliding_window_pattern", NULL}};
static const config_harmless_group UNREAD = {"is not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

/* rope.freq_base and rope.scaling are of full attention. A file without a window slides in no layer; else the
 * pattern is the published default. */
static void read_gguf(gguf_config *c)
{
    family_gemma_gguf_scale(c, 62);
    if (!gguf_config_has(c, "attention.sliding_window"))
        gguf_config_set(c, c->root, "sliding_window_pattern", json_object_new_int(1));
    gguf_config_take_count(c, "attention.sliding_window", "sliding_window");
    gguf_config_take_real(c, "rope.freq_base_swa", "rope_local_base_freq");
    gguf_config_take_real(c, "final_logit_softcapping", "final_logit_softcapping");
}

static const gguf_architecture GGUF = {.name = "gemma3",
                                       .renames = {{"ffn_norm", "pre_feedforward_layernorm"}},
                                       .has_shifted_norms = true,
                                       .more = read_gguf};

const family_reader family_gemma3_text = {
    .types = {{.model_type = "gemma3_text", .read = read_family, .gguf = &GGUF}},
    .harmless = {&UNREAD, &family_harmless_media},
};
