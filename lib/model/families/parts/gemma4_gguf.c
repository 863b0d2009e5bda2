/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/gemma4_gguf.h"

#include <stdio.h>

#include "model/gguf/config.h"

static const char PATTERN[] = "attention.sliding_window_pattern", KV[] = "attention.head_count_kv",
                  WIDTH[] = "feed_forward_length";

static json_object *count_of(size_t n)
{
    return json_object_new_int64((int64_t)n);
}

/* Whether a full layer has no values of its own: they are its keys. */
static bool has_keys_as_values(gguf_config *c, size_t n_layers)
{
    for (size_t i = 0; i < n_layers; i++) {
        char k[64], v[64];
        (void)snprintf(k, sizeof k, "blk.%zu.attn_k.weight", i);
        (void)snprintf(v, sizeof v, "blk.%zu.attn_v.weight", i);
        if (gguf_find(c->file, k) && !gguf_find(c->file, v)) return true;
    }
    return false;
}

/* layer_types, and the heads of layers without a window, which have a size and a number of their own. */
static void read_layers(gguf_config *c, size_t n_layers)
{
    json_object *types = json_object_new_array(), *own = json_object_new_object();
    size_t sliding = SIZE_MAX;
    for (size_t i = 0; c->status == ASSAY_OK && i < n_layers; i++) {
        const bool slides = gguf_config_flag_at(c, PATTERN, i);
        (void)json_object_array_add(types,
                                    json_object_new_string(slides ? "sliding_attention" : "full_attention"));
        if (slides && sliding == SIZE_MAX) sliding = i;
        if (slides || c->status != ASSAY_OK) continue;
        char index[24];
        json_object *heads = json_object_new_object();
        (void)snprintf(index, sizeof index, "%zu", i);
        gguf_config_set(c, heads, "head_dim", count_of(gguf_config_count(c, "attention.key_length")));
        gguf_config_set(c, heads, "num_key_value_heads", count_of(gguf_config_count_at(c, KV, i)));
        gguf_config_set(c, own, index, heads);
    }
    gguf_config_set(c, c->root, "layer_types", types);
    gguf_config_set(c, c->root, "per_layer_config", own);
    gguf_config_set(c, c->root, "num_key_value_heads",
                    count_of(gguf_config_count_at(c, KV, sliding == SIZE_MAX ? 0 : sliding)));
    gguf_config_set(c, c->root, "head_dim", count_of(gguf_config_count(c, "attention.key_length_swa")));
    gguf_config_set(c, c->root, "attention_k_eq_v",
                    json_object_new_boolean(c->status == ASSAY_OK && has_keys_as_values(c, n_layers)));
    (void)gguf_config_has(c, "attention.value_length");
    (void)gguf_config_has(c, "attention.value_length_swa");
}

/* Layers that read another layer's keys may have an MLP of twice the width. */
static void read_width(gguf_config *c, size_t n_layers)
{
    const size_t first = gguf_config_count_at(c, WIDTH, 0),
                 last = gguf_config_count_at(c, WIDTH, n_layers ? n_layers - 1 : 0);
    if (c->status == ASSAY_OK && last != first && last != 2 * first)
        gguf_config_fail(c, ASSAY_EUNSUPPORTED,
                         "key gemma4.%s: found %zu and %zu, expected the first or its double", WIDTH, first,
                         last);
    gguf_config_set(c, c->root, "intermediate_size", count_of(first));
    gguf_config_set(c, c->root, "use_double_wide_mlp", json_object_new_boolean(last != first));
}

/* Divisors of 1, then of 1e30: the rope of full layers leaves the frequencies after the first part out. */
static double turned_part(gguf_config *c)
{
    json_object *divisors = gguf_config_tensor(c, "rope_freqs.weight");
    if (!divisors) return 1;
    const size_t n = json_object_array_length(divisors);
    size_t turned = 0;
    while (turned < n && json_object_get_double(json_object_array_get_idx(divisors, turned)) == 1) turned++;
    for (size_t i = turned; i < n; i++) {
        const double found = json_object_get_double(json_object_array_get_idx(divisors, i));
        if (found != (double)1e30F)
            gguf_config_fail(c, ASSAY_EUNSUPPORTED,
                             "tensor 'rope_freqs.weight': found %g after %zu ones, expected 1e30", found,
                             turned);
    }
    json_object_put(divisors);
    return (double)turned / (double)(n ? n : 1);
}

static void read_ropes(gguf_config *c)
{
    json_object *ropes = json_object_new_object(), *full = json_object_new_object(),
                *sliding = json_object_new_object();
    const size_t head = gguf_config_count(c, "attention.key_length_swa"),
                 turned = gguf_config_has(c, "rope.dimension_count_swa")
                              ? gguf_config_count(c, "rope.dimension_count_swa")
                              : head;
    (void)gguf_config_has(c, "rope.dimension_count");
    gguf_config_set(c, full, "rope_type", json_object_new_string("proportional"));
    gguf_config_set(c, full, "partial_rotary_factor", json_object_new_double(turned_part(c)));
    gguf_config_set(c, full, "rope_theta", json_object_new_double(gguf_config_real(c, "rope.freq_base")));
    gguf_config_set(c, sliding, "rope_type", json_object_new_string("default"));
    gguf_config_set(c, sliding, "rope_theta",
                    json_object_new_double(gguf_config_real(c, "rope.freq_base_swa")));
    if (head && turned != head)
        gguf_config_set(c, sliding, "partial_rotary_factor",
                        json_object_new_double((double)turned / (double)head));
    gguf_config_set(c, ropes, "full_attention", full);
    gguf_config_set(c, ropes, "sliding_attention", sliding);
    gguf_config_set(c, c->root, "rope_parameters", ropes);
}

static void read_gguf(gguf_config *c)
{
    const size_t n_layers = gguf_config_count(c, "block_count");
    const gguf_tensor *inputs = gguf_find(c->file, "per_layer_token_embd.weight");
    read_layers(c, n_layers);
    read_width(c, n_layers);
    read_ropes(c);
    gguf_config_take_count(c, "attention.sliding_window", "sliding_window");
    gguf_config_take_count(c, "attention.shared_kv_layers", "num_kv_shared_layers");
    gguf_config_take_count(c, "embedding_length_per_layer_input", "hidden_size_per_layer_input");
    gguf_config_take_real(c, "final_logit_softcapping", "final_logit_softcapping");
    if (inputs) gguf_config_set(c, c->root, "vocab_size_per_layer_input", count_of(inputs->ne[1]));
    if (!gguf_config_has(c, "expert_count")) return;
    gguf_config_set(c, c->root, "enable_moe_block", json_object_new_boolean(1));
    gguf_config_take_count(c, "expert_count", "num_experts");
    gguf_config_take_count(c, "expert_used_count", "top_k_experts");
    gguf_config_take_count(c, "expert_feed_forward_length", "moe_intermediate_size");
}

const gguf_architecture family_gemma4_gguf = {
    .name = "gemma4",
    .renames = {{"ffn_norm", "pre_feedforward_layernorm"},
                {"layer_output_scale", "layer_scalar!"},
                {"per_layer_token_embd", "model.embed_tokens_per_layer"},
                {"per_layer_model_proj", "model.per_layer_model_projection"},
                {"per_layer_proj_norm", "model.per_layer_projection_norm"},
                {"inp_gate", "per_layer_input_gate"},
                {"proj", "per_layer_projection"},
                {"post_norm", "post_per_layer_input_norm"},
                {"ffn_gate_inp", "router.proj"},
                {"ffn_gate_inp.scale", "router.scale"},
                {"ffn_down_exps.scale", "router.per_expert_scale"},
                {"ffn_gate_up_exps", "experts.gate_up_proj!"},
                {"ffn_down_exps", "experts.down_proj!"},
                {"pre_ffw_norm_2", "pre_feedforward_layernorm_2"},
                {"post_ffw_norm_1", "post_feedforward_layernorm_1"},
                {"post_ffw_norm_2", "post_feedforward_layernorm_2"}},
    .has_own_heads = true,
    .more = read_gguf,
};
