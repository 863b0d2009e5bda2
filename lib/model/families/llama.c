/* Llama (transformers, models/llama/modeling_llama.py).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/plan/bind_vector.h"

static void read_family(family *f)
{
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-6});
    d.qkv_bias = d.o_bias = config_flag_or(f->config, "attention_bias", false);
    d.mlp_bias = config_flag_or(f->config, "mlp_bias", false);
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 10000, .old_scaling = true});
    family_decoder_layers(f, &d);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "layers.%zu.self_attn.rotary_emb.inv_freq", i);
        bind_ignore(f->bind, f->config->notes, name, "a table of old checkpoints, derived from the config");
    }
}

static const gguf_architecture GGUF = {.name = "llama", .has_permuted_rows = true};

const family_reader family_llama = {
    .types = {{.model_type = "llama", .read = read_family, .gguf = &GGUF}},
};
