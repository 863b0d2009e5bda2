/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/deepseek_experts.h"

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
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

plan_experts family_deepseek_experts(family *f, assay_activation activation)
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

void family_deepseek_experts_bind(family *f, const plan_experts *shape, size_t i)
{
    plan_experts *x = family_layer_experts(f, shape, i);
    x->choice_bias = bind_vector(f->bind, x->n_experts, "layers.%zu.mlp.gate.e_score_correction_bias", i);
    x->shared =
        family_mlp_below(f, i, "mlp.shared_experts", shape->shared.intermediate, x->activation, false);
}
