/* GLM-4.5 and its successors (transformers, models/glm4_moe/modeling_glm4_moe.py): Llama with a rope over a
 * part of a head, norms of each head where the file says so, and, after the first layers, DeepSeek's experts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/deepseek_experts.h"
#include "model/families/parts/family.h"
#include "model/families/parts/glm_parts.h"

static void read_family(family *f)
{
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-5, .needs_kv_heads = true});
    plan_experts experts = {0};
    d.qkv_bias = config_flag_or(f->config, "attention_bias", false);
    if (config_flag_or(f->config, "use_qk_norm", false)) d.qk_norms = FAMILY_QK_PER_HEAD;
    const size_t n_dense = config_count_or(f->config, "first_k_dense_replace", 1);
    d.rope = family_rope(f, &(config_rope_request){.head_dim = d.head_dim,
                                                   .default_theta = 10000,
                                                   .old_scaling = true,
                                                   .partial = true,
                                                   .default_partial = 0.5});
    if (family_ok(f)) experts = family_deepseek_experts(f, d.activation);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        family_decoder_attention(f, &d, i);
        if (i < n_dense) family_decoder_mlp(f, &d, i);
        else family_deepseek_experts_bind(f, &experts, i);
    }
    if (family_ok(f)) family_glm_ignore_predictors(f);
}

/* In published files, but not read by the class: constant in it, or of the layer that it does not load. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"num_mtp_layers", NULL},
    {"num_nextn_predict_layers", NULL},
    {"scoring_func", "\"sigmoid\""},
    {"topk_method", "\"noaux_tc\""},
};
static const config_harmless_group UNREAD = {"is constant in the published class, or not read by it",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

const family_reader family_glm4_moe = {
    .types = {{.model_type = "glm4_moe", .read = read_family}},
    .harmless = {&UNREAD},
};
