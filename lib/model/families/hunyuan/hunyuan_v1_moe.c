/* HunYuan, first version, with experts (transformers, models/hunyuan_v1_moe/modeling_hunyuan_v1_moe.py): in
 * every layer an MLP beside the chosen experts, whose number may be one for each layer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/hunyuan_decoder.h"

/* moe_topk, a number or a list, into n_active[n_layers]. */
static void read_active(family *f, size_t n_experts, size_t *n_active)
{
    config *c = f->config;
    const size_t n = f->plan->n_layers;
    for (size_t i = 0; i < n; i++) n_active[i] = 1;
    (void)config_sizes(c, "moe_topk", true, n_active, n);
    for (size_t i = 0; c->status == ASSAY_OK && i < n; i++)
        if (n_active[i] > n_experts)
            config_fail(c, ASSAY_EFORMAT, "moe_topk: found %zu, expected at most the %zu experts",
                        n_active[i], n_experts);
}

static void bind_layer_experts(family *f, const plan_experts *shape, size_t i)
{
    plan_experts *x = family_layer_experts_named(f, shape, i, "mlp.gate.wg");
    x->shared = family_mlp_below(f, i, "mlp.shared_mlp", x->intermediate, x->activation, false);
}

static void read_family(family *f)
{
    config *c = f->config;
    const family_decoder d =
        family_hunyuan_decoder_read(f, &(family_class){.epsilon = 1e-5}, &(config_rope_request){0});
    plan_experts x = {.present = true,
                      .activation = d.activation,
                      .intermediate = d.intermediate,
                      .router_factor = 1,
                      .share_factor = 1,
                      .renormalize = true};
    x.n_experts = config_size_or(c, "num_experts", 1);
    size_t *n_active = calloc(f->plan->n_layers + 1, sizeof *n_active);
    if (!n_active) config_fail(c, ASSAY_ENOMEM, "out of memory");
    if (family_ok(f)) read_active(f, x.n_experts, n_active);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        x.n_active = n_active[i];
        family_decoder_attention(f, &d, i);
        bind_layer_experts(f, &x, i);
    }
    free(n_active);
}

/* The class has one MLP beside the experts, as wide as they are, whatever these say. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"n_group", NULL}, {"num_shared_expert", NULL}, {"use_mixed_mlp_moe", "true"}};
static const config_harmless_group UNREAD = {"is not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

const family_reader family_hunyuan_v1_moe = {
    .types = {{.model_type = "hunyuan_v1_moe", .read = read_family}},
    .harmless = {&family_harmless_hunyuan_v1, &UNREAD},
};
