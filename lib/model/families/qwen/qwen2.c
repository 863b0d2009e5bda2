/* Qwen2 (transformers, models/qwen2/modeling_qwen2.py): Llama with biases on q, k, v.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/families/parts/harmless.h"
#include "model/families/parts/qwen_decoder.h"

static void read_family(family *f)
{
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-6, .needs_kv_heads = true});
    d.qkv_bias = true;
    family_qwen_layers(f, &d);
}

static const gguf_architecture GGUF = {.name = "qwen2"};

const family_reader family_qwen2 = {
    .types = {{.model_type = "qwen2", .read = read_family, .gguf = &GGUF}},
    .harmless = {&family_harmless_qwen2, &family_harmless_marks},
};
