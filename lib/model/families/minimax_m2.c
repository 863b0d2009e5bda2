/* MiniMax-M2 (transformers, models/minimax_m2/modeling_minimax_m2.py): Llama with norms of all heads of q and
 * of k together, a rope over a part of a head, and experts with sigmoids of their scores and a bias that only
 * chooses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/families/parts/mixtral_experts.h"
#include "model/plan/bind_vector.h"

/* The part of a head that rotates, if no rope says it. */
static double default_partial(family *f, size_t head_dim)
{
    if (!config_has(f->config, "rotary_dim") || !head_dim) return 0;
    return (double)config_size(f->config, "rotary_dim") / (double)head_dim;
}

static void bind_choice(family *f, plan_experts *x, size_t i)
{
    const char *block =
        bind_exists(f->bind, "layers.%zu.block_sparse_moe.gate.weight", i) ? "block_sparse_moe" : "mlp";
    x->choice_bias = bind_vector(f->bind, x->n_experts, "layers.%zu.%s.e_score_correction_bias", i, block);
}

static void read_family(family *f)
{
    family_decoder d = family_decoder_read(
        f, &(family_class){.epsilon = 1e-6, .needs_kv_heads = true, .needs_head_dim = true});
    plan_experts experts = {0};
    d.qk_norms = FAMILY_QK_WHOLE;
    d.rope = family_rope(f, &(config_rope_request){.head_dim = d.head_dim,
                                                   .default_theta = 5000000,
                                                   .old_scaling = true,
                                                   .partial = true,
                                                   .default_partial = default_partial(f, d.head_dim)});
    if (family_ok(f)) experts = family_mixtral_experts(f, d.activation);
    experts.scoring = PLAN_SCORING_SIGMOID;
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        family_decoder_attention(f, &d, i);
        bind_choice(f, family_mixtral_experts_bind(f, &experts, i), i);
    }
}

/* In published files, but not read by the class: constant in it, of training, or of layers that it does not
 * load. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"attn_type_list", NULL},          {"mtp_transformer_layers", NULL},
    {"num_mtp_modules", NULL},         {"qk_norm_type", "\"per_layer\""},
    {"router_jitter_noise", NULL},     {"scoring_func", "\"sigmoid\""},
    {"shared_intermediate_size", "0"}, {"use_mtp", NULL},
    {"use_qk_norm", "true"},           {"use_routing_bias", "true"},
};
static const config_harmless_group UNREAD = {"is constant in the published class, or not read by it",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

const family_reader family_minimax_m2 = {
    .types = {{.model_type = "minimax_m2", .read = read_family}},
    .harmless = {&UNREAD},
};
