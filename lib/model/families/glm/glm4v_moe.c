/* GLM-4.5V (transformers, models/glm4v_moe/modeling_glm4v_moe.py): Llama with chunked M-RoPE over a part of a
 * head and, after the first layers, experts in groups with sigmoids of their scores; the tower of GLM-4.1V.
 * Images only, as GLM-4.1V.
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/family.h"
#include "model/families/parts/glm_parts.h"
#include "model/families/parts/harmless.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

/* The published class reads the groups even if there is only one, which then changes nothing. */
static void read_groups(config *c, plan_experts *x)
{
    const size_t n = config_size_or(c, "n_group", 1), active = config_size_or(c, "topk_group", 1);
    if (c->status != ASSAY_OK) return;
    if (x->n_experts % n != 0 || x->n_experts / n < 2)
        config_fail_member(c, ASSAY_EFORMAT, "n_group", "expected groups of two or more of the %zu experts",
                           x->n_experts);
    else if (active > n)
        config_fail_member(c, ASSAY_EFORMAT, "topk_group", "expected at most n_group, %zu", n);
    else if (x->n_active > active * (x->n_experts / n))
        config_fail_member(c, ASSAY_EUNSUPPORTED, "num_experts_per_tok",
                           "expected at most the experts of topk_group groups, %zu",
                           active * (x->n_experts / n));
    else if (n > 1) {
        x->n_groups = n;
        x->n_active_groups = active;
    }
}

static plan_experts read_experts(family *f, assay_activation activation)
{
    config *c = f->config;
    plan_experts x = {
        .present = true, .activation = activation, .router_factor = 1, .scoring = PLAN_SCORING_SIGMOID};
    x.n_experts = config_size(c, "n_routed_experts");
    x.n_active = config_size(c, "num_experts_per_tok");
    x.intermediate = config_size(c, "moe_intermediate_size");
    x.shared.intermediate = x.intermediate * config_size_or(c, "n_shared_experts", 1);
    x.renormalize = config_flag_or(c, "norm_topk_prob", true);
    x.sum_offset = x.renormalize ? 1e-20 : 0;
    x.share_factor = config_positive_or(c, "routed_scaling_factor", 1);
    if (c->status == ASSAY_OK) read_groups(c, &x);
    return x;
}

static void bind_layer_experts(family *f, const plan_experts *shape, size_t i)
{
    plan_experts *x = family_layer_experts(f, shape, i);
    x->choice_bias = bind_vector(f->bind, x->n_experts, "layers.%zu.mlp.gate.e_score_correction_bias", i);
    x->shared =
        family_mlp_below(f, i, "mlp.shared_experts", shape->shared.intermediate, x->activation, false);
}

/* The published files have one layer more, which predicts a second token. */
static void ignore_other_layers(family *f)
{
    static const struct {
        size_t layer;
        const char *prefix;
    } OTHERS[] = {{46, "layers.46."}, {92, "layers.92."}};
    for (size_t k = 0; k < sizeof OTHERS / sizeof *OTHERS; k++)
        if (f->plan->n_layers <= OTHERS[k].layer)
            bind_ignore(f->bind, f->config->notes, OTHERS[k].prefix, "the published class does not load it");
}

static void read_text(family *f)
{
    family_check_tied(f);
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-5, .needs_kv_heads = true});
    plan_experts experts = {0};
    d.qkv_bias = config_flag_or(f->config, "attention_bias", true);
    const size_t n_dense = config_count_or(f->config, "first_k_dense_replace", 1);
    if (family_ok(f)) d.rope = family_glm_rope(f, d.head_dim, 0.5, ROPE_PAIRS_HALF);
    if (family_ok(f)) experts = read_experts(f, d.activation);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        family_decoder_attention(f, &d, i);
        if (i < n_dense) family_decoder_mlp(f, &d, i);
        else bind_layer_experts(f, &experts, i);
    }
    if (family_ok(f)) ignore_other_layers(f);
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
