/* Qwen3-MoE (transformers, models/qwen3_moe/modeling_qwen3_moe.py): Qwen3 with experts in some layers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "model/families/families.h"

/* Whether mlp_only_layers names layer i. */
static bool is_dense(json_object *dense, size_t i)
{
    for (size_t k = 0; dense && k < json_object_array_length(dense); k++)
        if (json_object_get_int64(json_object_array_get_idx(dense, k)) == (int64_t)i) return true;
    return false;
}

static json_object *read_dense(family *f)
{
    static const char NAME[] = "mlp_only_layers";
    json_object *dense = config_member(f->config, NAME);
    if (!dense) return NULL;
    bool is_list = json_object_is_type(dense, json_type_array);
    for (size_t k = 0; is_list && k < json_object_array_length(dense); k++) {
        json_object *layer = json_object_array_get_idx(dense, k);
        is_list = json_object_is_type(layer, json_type_int) && json_object_get_int64(layer) >= 0;
    }
    if (is_list) return dense;
    config_fail(f->config, ASSAY_EFORMAT, "%s: found %s, expected a list of layer indices", NAME,
                json_object_to_json_string_ext(dense, JSON_C_TO_STRING_PLAIN));
    return NULL;
}

static plan_experts read_experts(family *f, const family_decoder *d)
{
    config *c = f->config;
    /* transformers 5 writes num_local_experts, published checkpoints num_experts. */
    const char *count = config_has(c, "num_local_experts") ? "num_local_experts" : "num_experts";
    plan_experts x = {.present = true, .activation = d->activation, .router_factor = 1};
    x.n_experts = config_size(c, count);
    x.n_active = config_size(c, "num_experts_per_tok");
    x.intermediate = config_size(c, "moe_intermediate_size");
    x.renormalize = config_flag_or(c, "norm_topk_prob", false);
    if (c->status == ASSAY_OK && x.n_active > x.n_experts)
        config_fail(c, ASSAY_EFORMAT, "num_experts_per_tok: found %zu, expected at most the %zu experts",
                    x.n_active, x.n_experts);
    return x;
}

static void bind_layer_experts(family *f, const plan_experts *shape, size_t i)
{
    char base[64], stacked[64];
    plan_experts *x = &f->plan->layers[i].experts;
    *x = *shape;
    (void)snprintf(base, sizeof base, "layers.%zu.mlp.experts", i);
    (void)snprintf(stacked, sizeof stacked, "layers.%zu.mlp.switch_mlp", i);
    x->router = bind_matrix(f->bind, x->n_experts, f->plan->hidden, "layers.%zu.mlp.gate.weight", i);
    bind_experts(f->bind, x, f->plan->hidden, base, stacked);
}

void family_qwen3_moe(family *f)
{
    config *c = f->config;
    family_decoder d = family_decoder_read(f, true, false);
    d.head_norms = true;
    d.qkv_bias = d.o_bias = config_flag_or(c, "attention_bias", false);
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 10000, .old_scaling = true});
    bool slides = config_flag_or(c, "use_sliding_window", false) && config_has(c, "sliding_window");
    size_t window = slides ? config_size(c, "sliding_window") : 0;
    (void)config_has(c, "sliding_window");
    (void)config_has(c, "max_window_layers"); /* published, and without effect in this family */
    size_t step = config_size_or(c, "decoder_sparse_step", 1);
    json_object *dense = read_dense(f);
    plan_experts experts = read_experts(f, &d);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        family_decoder_attention(f, &d, i, window);
        if ((i + 1) % step == 0 && !is_dense(dense, i)) bind_layer_experts(f, &experts, i);
        else family_decoder_mlp(f, &d, i);
    }
}
