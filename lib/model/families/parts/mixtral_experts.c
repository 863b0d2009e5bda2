/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/mixtral_experts.h"

#include <stdio.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/plan/bind_experts.h"
#include "model/plan/bind_matrix.h"

plan_experts family_mixtral_experts(family *f, assay_activation activation)
{
    config *c = f->config;
    plan_experts x = {.present = true,
                      .activation = activation,
                      .router_factor = 1,
                      .share_factor = 1,
                      .renormalize = true};
    x.n_experts = config_size(c, config_has(c, "num_local_experts") ? "num_local_experts" : "num_experts");
    x.n_active = config_size(c, "num_experts_per_tok");
    x.intermediate = config_size(c, "intermediate_size");
    return x;
}

plan_experts *family_mixtral_experts_bind(family *f, const plan_experts *shape, size_t i)
{
    static const char *const NAMES[] = {"w1", "w3", "w2"};
    char base[64];
    if (!bind_exists(f->bind, "layers.%zu.block_sparse_moe.gate.weight", i))
        return family_layer_experts(f, shape, i);
    plan_experts *x = &f->plan->layers[i].experts;
    *x = *shape;
    x->router =
        bind_matrix(f->bind, x->n_experts, f->plan->hidden, "layers.%zu.block_sparse_moe.gate.weight", i);
    (void)snprintf(base, sizeof base, "layers.%zu.block_sparse_moe.experts", i);
    bind_named_experts(f->bind, x, f->plan->hidden, base, NAMES);
    return x;
}
