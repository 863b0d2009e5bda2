/* HunYuan, first version, dense (transformers, models/hunyuan_v1_dense/modeling_hunyuan_v1_dense.py).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/hunyuan_decoder.h"

static void read_family(family *f)
{
    const family_decoder d =
        family_hunyuan_decoder_read(f, &(family_class){.epsilon = 1e-5}, &(config_rope_request){0});
    family_decoder_layers(f, &d);
}

static const config_harmless_member UNREAD_MEMBERS[] = {{"num_experts", "1"}, {"use_mixed_mlp_moe", "false"}};
static const config_harmless_group UNREAD = {"is not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

/* rope.freq_base has the factor of alpha already. */
static const gguf_architecture GGUF = {
    .name = "hunyuan-dense",
    .renames = {{"attn_q_norm", "self_attn.query_layernorm"}, {"attn_k_norm", "self_attn.key_layernorm"}}};

const family_reader family_hunyuan_v1_dense = {
    .types = {{.model_type = "hunyuan_v1_dense", .read = read_family, .gguf = &GGUF}},
    .harmless = {&family_harmless_hunyuan_v1, &UNREAD},
};
