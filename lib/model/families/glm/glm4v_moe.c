/* GLM-4.5V (transformers, models/glm4v_moe/modeling_glm4v_moe.py): Llama with chunked M-RoPE over a part of a
 * head and, after the first layers, experts in groups with sigmoids of their scores; the tower of GLM-4.1V.
 * Images only, as GLM-4.1V.
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/deepseek_experts.h"
#include "model/families/parts/family.h"
#include "model/families/parts/glm_parts.h"
#include "model/families/parts/harmless.h"

static void read_text(family *f)
{
    family_check_tied(f);
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-5, .needs_kv_heads = true});
    plan_experts experts = {0};
    d.qkv_bias = config_flag_or(f->config, "attention_bias", true);
    const size_t n_dense = config_count_or(f->config, "first_k_dense_replace", 1);
    if (family_ok(f)) d.rope = family_glm_rope(f, d.head_dim, 0.5, ROPE_PAIRS_HALF);
    if (family_ok(f)) experts = family_deepseek_experts(f, d.activation);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        family_decoder_attention(f, &d, i);
        if (i < n_dense) family_decoder_mlp(f, &d, i);
        else family_deepseek_experts_bind(f, &experts, i);
    }
    if (family_ok(f)) family_glm_ignore_predictors(f);
}

static void read_family(family *f)
{
    read_text(f);
    family_glm4v_tower(f, "glm4v_moe_vision", 151363);
}

/* In published files, but not read by the class: constant in it, or of the layer that it does not load. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"num_nextn_predict_layers", NULL},
    {"scoring_func", "\"sigmoid\""},
    {"topk_method", "\"noaux_tc\""},
    {"use_qk_norm", "false"},
};
static const config_harmless_group UNREAD = {"is constant in the published class, or not read by it",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

const family_reader family_glm4v_moe = {
    .types = {{.model_type = "glm4v_moe",
               .read = read_family,
               .text_type = "glm4v_moe_text",
               .older_text_type = "Glm4vMoe_text"}},
    .harmless = {&UNREAD, &family_harmless_glm_marks},
};
