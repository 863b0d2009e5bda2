/* Mixtral (transformers, models/mixtral/modeling_mixtral.py): Mistral with experts in every layer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/families/parts/mixtral_experts.h"

static void read_family(family *f)
{
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-5, .needs_kv_heads = true});
    plan_experts experts = {0};
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 1000000, .old_scaling = true});
    family_same_windows(f, family_window(f, 0));
    if (family_ok(f)) experts = family_mixtral_experts(f, d.activation);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        family_decoder_attention(f, &d, i);
        (void)family_mixtral_experts_bind(f, &experts, i);
    }
}

/* Of training. */
static const config_harmless_member UNREAD_MEMBERS[] = {{"router_jitter_noise", NULL}};
static const config_harmless_group UNREAD = {"has no effect on outputs", CONFIG_HARMLESS(UNREAD_MEMBERS)};

const family_reader family_mixtral = {
    .types = {{.model_type = "mixtral", .read = read_family}},
    .harmless = {&UNREAD},
};
