/* Qwen3-MoE (transformers, models/qwen3_moe/modeling_qwen3_moe.py): Qwen3 with experts in some layers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/families/parts/harmless.h"
#include "model/families/parts/qwen_decoder.h"
#include "model/families/parts/qwen_experts.h"
#include "model/gguf/config.h"

static void read_family(family *f)
{
    config *c = f->config;
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-6, .needs_kv_heads = true});
    d.qk_norms = FAMILY_QK_PER_HEAD;
    d.qkv_bias = d.o_bias = config_flag_or(c, "attention_bias", false);
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 10000, .old_scaling = true});
    family_same_windows(f, family_qwen_window(f, config_flag_or(c, "use_sliding_window", false)));
    if (config_has(c, "max_window_layers")) /* published, and without effect in this family */
        (void)config_count_or(c, "max_window_layers", 0);
    family_qwen3_moe_layers(f, &d, false);
}

/* The shares of the chosen experts are renormalised by the architecture, not by a key. */
static void read_gguf(gguf_config *c)
{
    gguf_config_take_count(c, "expert_count", "num_experts");
    gguf_config_take_count(c, "expert_used_count", "num_experts_per_tok");
    gguf_config_take_count(c, "expert_feed_forward_length", "moe_intermediate_size");
    gguf_config_set(c, c->root, "norm_topk_prob", json_object_new_boolean(1));
}

static const gguf_architecture GGUF = {.name = "qwen3moe", .more = read_gguf};

const family_reader family_qwen3_moe = {
    .types = {{.model_type = "qwen3_moe", .read = read_family, .gguf = &GGUF}},
    .harmless = {&family_harmless_qwen3, &family_harmless_marks},
};
