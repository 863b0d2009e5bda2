/* Qwen3-VL-MoE (transformers, models/qwen3_vl_moe/modeling_qwen3_vl_moe.py): Qwen3-VL with experts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/family.h"
#include "model/families/parts/harmless.h"
#include "model/families/parts/qwen_decoder.h"
#include "model/families/parts/qwen_experts.h"
#include "model/families/parts/qwen_tower.h"

static void read_family(family *f)
{
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-6, .needs_kv_heads = true});
    d.qk_norms = FAMILY_QK_PER_HEAD;
    d.qkv_bias = d.o_bias = config_flag_or(f->config, "attention_bias", false);
    const config_rope_request request = family_qwen3_mrope(d.head_dim);
    d.rope = family_rope(f, &request);
    if (family_ok(f)) family_qwen3_moe_layers(f, &d, true);
    family_qwen3_tower(f, "qwen3_vl_moe_vision", true, 151655, 151656);
}

const family_reader family_qwen3_vl_moe = {
    .types = {{.model_type = "qwen3_vl_moe", .read = read_family, .text_type = "qwen3_vl_moe_text"}},
    .harmless = {&family_harmless_qwen3, &family_harmless_marks},
};
