/* Seed-OSS (transformers, models/seed_oss/modeling_seed_oss.py): Llama with biases of q, k and v.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"

static void read_family(family *f)
{
    family_decoder d = family_decoder_read(
        f, &(family_class){.epsilon = 1e-6, .needs_kv_heads = true, .needs_head_dim = true});
    d.qkv_bias = config_flag_or(f->config, "attention_bias", true);
    d.o_bias = config_flag_or(f->config, "attention_out_bias", false);
    d.mlp_bias = config_flag_or(f->config, "mlp_bias", false);
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 10000, .old_scaling = true});
    family_decoder_layers(f, &d);
}

/* Of training. */
static const config_harmless_member UNREAD_MEMBERS[] = {{"pretraining_tp", NULL}, {"residual_dropout", NULL}};
static const config_harmless_group UNREAD = {"has no effect on outputs", CONFIG_HARMLESS(UNREAD_MEMBERS)};

const family_reader family_seed_oss = {
    .types = {{.model_type = "seed_oss", .read = read_family}},
    .harmless = {&UNREAD},
};
