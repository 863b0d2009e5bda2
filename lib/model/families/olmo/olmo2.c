/* OLMo 2 (transformers, models/olmo2/modeling_olmo2.py): Llama with norms after attention and MLP, not before
 * them, and norms of all heads of q and of k together.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"

static void read_family(family *f)
{
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-5});
    d.mixer_in = d.mlp_in = NULL;
    d.mixer_out = "post_attention_layernorm";
    d.mlp_out = "post_feedforward_layernorm";
    d.qk_norms = FAMILY_QK_WHOLE;
    d.qkv_bias = d.o_bias = config_flag_or(f->config, "attention_bias", false);
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 10000, .old_scaling = true});
    family_decoder_layers(f, &d);
}

static const gguf_architecture GGUF = {.name = "olmo2"};

const family_reader family_olmo2 = {
    .types = {{.model_type = "olmo2", .read = read_family, .gguf = &GGUF}},
};
