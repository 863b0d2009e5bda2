/* Cohere and Cohere 2 (transformers, models/cohere/modeling_cohere.py and cohere2/modeling_cohere2.py): one
 * LayerNorm without a bias feeds attention and MLP in parallel, ropes turn neighbouring pairs, and logits
 * have a factor. The layers of Cohere 2 that have no window have no rope.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/gguf/config.h"

static family_decoder read_decoder(family *f, double default_theta)
{
    config *c = f->config;
    family_decoder d = family_decoder_read(
        f, &(family_class){.epsilon = 1e-5, .epsilon_member = "layer_norm_eps", .tied = true});
    f->plan->logit_factor = config_positive_or(c, "logit_scale", 0.0625);
    d.qkv_bias = d.o_bias = config_flag_or(c, "attention_bias", false);
    d.is_parallel = true;
    d.mlp_in = NULL;
    d.rope = family_rope(f, &(config_rope_request){
                                .head_dim = d.head_dim, .default_theta = default_theta, .old_scaling = true});
    if (family_ok(f)) f->plan->ropes[d.rope].pairing = ROPE_PAIRS_ADJACENT;
    return d;
}

static void read_cohere2(family *f)
{
    family_decoder sliding = read_decoder(f, 10000), full = sliding;
    full.rope = PLAN_NONE;
    family_listed_windows(f, family_window(f, 4096), family_pattern(f, 4));
    family_decoder_layers_by_window(f, &sliding, &full);
}

static void read_cohere(family *f)
{
    family_decoder d = read_decoder(f, 500000);
    if (config_flag_or(f->config, "use_qk_norm", false)) d.qk_norms = FAMILY_QK_WEIGHTS_PER_HEAD;
    family_decoder_layers(f, &d);
}

/* In published files, but not read by the class, which has no option for them. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"_sliding_window_pattern", NULL},
    {"layer_switch", NULL},
    {"order_of_interleaved_layers", "\"local_attn_first\""},
    {"position_embedding_type", "\"rope_gptj\""},
    {"rotary_pct", "1"},
    {"use_embedding_sharing", "true"},
    {"use_gated_activation", "true"},
    {"use_parallel_block", "true"},
    {"use_parallel_embedding", NULL},
};
static const config_harmless_group UNREAD = {"is not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

/* The pattern of layers is the published default. */
static void read_gguf(gguf_config *c)
{
    gguf_config_take_real(c, "logit_scale", "logit_scale");
    gguf_config_take_count(c, "attention.sliding_window", "sliding_window");
    if (gguf_find(c->file, "blk.0.attn_q_norm.weight"))
        gguf_config_set(c, c->root, "use_qk_norm", json_object_new_boolean(true));
}

static const gguf_architecture COMMAND_R = {
    .name = "command-r", .layer_norm = "layer_norm_eps", .more = read_gguf};
static const gguf_architecture COHERE2 = {
    .name = "cohere2", .layer_norm = "layer_norm_eps", .more = read_gguf};

const family_reader family_cohere = {
    .types = {{.model_type = "cohere", .read = read_cohere, .gguf = &COMMAND_R},
              {.model_type = "cohere2", .read = read_cohere2, .gguf = &COHERE2}},
    .harmless = {&UNREAD},
};
