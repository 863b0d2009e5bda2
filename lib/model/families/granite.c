/* Granite (transformers, models/granite/modeling_granite.py): Llama with multipliers of embedding, scores,
 * residuals and logits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/gguf/config.h"

static void read_family(family *f)
{
    config *c = f->config;
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-6});
    f->plan->embedding_scale = config_positive_or(c, "embedding_multiplier", 1);
    f->plan->logit_factor = 1 / config_positive_or(c, "logits_scaling", 1);
    d.scale = config_positive_or(c, "attention_multiplier", 1);
    d.residual_factor = config_positive_or(c, "residual_multiplier", 1);
    d.qkv_bias = d.o_bias = config_flag_or(c, "attention_bias", false);
    d.mlp_bias = config_flag_or(c, "mlp_bias", false);
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 10000, .old_scaling = true});
    family_decoder_layers(f, &d);
}

static void read_gguf(gguf_config *c)
{
    gguf_config_take_real(c, "attention.scale", "attention_multiplier");
    gguf_config_take_real(c, "embedding_scale", "embedding_multiplier");
    gguf_config_take_real(c, "residual_scale", "residual_multiplier");
    gguf_config_take_real(c, "logit_scale", "logits_scaling");
}

static const gguf_architecture GGUF = {.name = "granite", .has_permuted_rows = true, .more = read_gguf};

const family_reader family_granite = {
    .types = {{.model_type = "granite", .read = read_family, .gguf = &GGUF}},
};
