/* gpt-oss (transformers, models/gpt_oss/modeling_gpt_oss.py): attention sinks, a window in every second
 * layer, and experts with biases, whose factors are limited.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/gguf/config.h"
#include "model/plan/bind_experts.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

/* Shares are a softmax over the chosen scores: one over all, divided by the sum of the chosen. */
static plan_experts read_experts(family *f)
{
    config *c = f->config;
    plan_experts x = {.present = true,
                      .activation = ASSAY_SILU,
                      .router_factor = 1,
                      .share_factor = 1,
                      .renormalize = true,
                      .gating = {.up_offset = 1}};
    x.n_experts = config_size(c, config_has(c, "num_local_experts") ? "num_local_experts" : "num_experts");
    x.n_active = config_size_or(c, "num_experts_per_tok", 4);
    x.intermediate = config_size(c, "intermediate_size");
    x.gating.limit = config_positive_or(c, "swiglu_limit", 7);
    x.gating.slope = config_positive_or(c, "swiglu_alpha", 1.702);
    return x;
}

static void bind_layer_experts(family *f, const plan_experts *shape, size_t i)
{
    char base[64];
    plan_experts *x = &f->plan->layers[i].experts;
    *x = *shape;
    x->router = bind_matrix(f->bind, x->n_experts, f->plan->hidden, "layers.%zu.mlp.router.weight", i);
    x->router_bias = bind_vector(f->bind, x->n_experts, "layers.%zu.mlp.router.bias", i);
    (void)snprintf(base, sizeof base, "layers.%zu.mlp.experts", i);
    bind_biased_experts(f->bind, x, f->plan->hidden, base);
}

static void read_family(family *f)
{
    family_decoder d = family_decoder_read(
        f, &(family_class){.epsilon = 1e-5, .needs_kv_heads = true, .needs_head_dim = true});
    d.qkv_bias = d.o_bias = config_flag_or(f->config, "attention_bias", true);
    d.rope = family_rope(f, &(config_rope_request){.head_dim = d.head_dim,
                                                   .default_theta = 150000,
                                                   .old_scaling = true,
                                                   .default_members =
                                                       "{\"rope_type\": \"yarn\", \"factor\": 32.0, "
                                                       "\"beta_fast\": 32.0, \"beta_slow\": 1.0, "
                                                       "\"truncate\": false, "
                                                       "\"original_max_position_embeddings\": 4096}"});
    family_listed_windows(f, family_window(f, 128), 2);
    const plan_experts experts = read_experts(f);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        family_decoder_attention(f, &d, i);
        f->plan->layers[i].mixer.attention.sinks =
            bind_vector(f->bind, d.n_heads, "layers.%zu.self_attn.sinks", i);
        bind_layer_experts(f, &experts, i);
    }
}

/* In published files, but not read by the class: copies under older names. */
static const config_harmless_member UNREAD_MEMBERS[] = {{"experts_per_token", NULL},
                                                        {"initial_context_length", NULL}};
static const config_harmless_group UNREAD = {"is not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

/* The correction range of YaRN has no truncation, which the file does not say. */
static void read_gguf(gguf_config *c)
{
    json_object *scaling;
    gguf_config_take_count(c, "attention.sliding_window", "sliding_window");
    gguf_config_take_count(c, "expert_feed_forward_length", "intermediate_size");
    gguf_config_take_count(c, "expert_count", "num_local_experts");
    gguf_config_take_count(c, "expert_used_count", "num_experts_per_tok");
    if (json_object_object_get_ex(c->root, "rope_scaling", &scaling) && scaling)
        gguf_config_set(c, scaling, "truncate", json_object_new_boolean(false));
}

static const gguf_architecture GGUF = {.name = "gpt-oss",
                                       .renames = {{"attn_sinks", "self_attn.sinks!"},
                                                   {"ffn_gate_inp", "mlp.router"},
                                                   {"ffn_gate_exps", "mlp.experts.gate_proj"},
                                                   {"ffn_up_exps", "mlp.experts.up_proj"},
                                                   {"ffn_down_exps", "mlp.experts.down_proj"}},
                                       .more = read_gguf};

const family_reader family_gpt_oss = {
    .types = {{.model_type = "gpt_oss", .read = read_family, .gguf = &GGUF}},
    .harmless = {&UNREAD},
};
