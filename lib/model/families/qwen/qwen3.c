/* Qwen3 (transformers, models/qwen3/modeling_qwen3.py): Llama with norms of q and k per head before rope.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/families/parts/harmless.h"
#include "model/families/parts/qwen_decoder.h"

static void read_family(family *f)
{
    family_decoder d = family_decoder_read(
        f, &(family_class){.epsilon = 1e-6, .needs_kv_heads = true, .needs_head_dim = true});
    d.qk_norms = FAMILY_QK_PER_HEAD;
    d.qkv_bias = d.o_bias = config_flag_or(f->config, "attention_bias", false);
    family_qwen_layers(f, &d);
}

static const gguf_architecture GGUF = {.name = "qwen3"};

const family_reader family_qwen3 = {
    .types = {{.model_type = "qwen3", .read = read_family, .gguf = &GGUF}},
    .harmless = {&family_harmless_qwen3, &family_harmless_marks},
};
