/* Qwen2-VL (transformers, models/qwen2_vl/modeling_qwen2_vl.py): Qwen2 with chunked M-RoPE, and a tower.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/family.h"
#include "model/families/parts/harmless.h"
#include "model/families/parts/qwen_decoder.h"
#include "model/families/parts/vision.h"

static void read_family(family *f)
{
    family_vision v;
    family_qwen2_vl_text(f);
    family_vision_begin_qwen(&v, f, "qwen2_vl_vision");
    v.norms = PLAN_LAYER_NORM;
    v.epsilon = 1e-6;
    const size_t hidden = config_size(&v.config, "embed_dim");
    family_vision_layers(&v, hidden, "depth", "num_heads");
    v.intermediate = hidden * config_size_or(&v.config, "mlp_ratio", 4);
    v.activation = family_activation(&v.own, "hidden_act", "quick_gelu");
    family_vision_patches(&v, 14, false);
    family_vision_rope(&v, ROPE_SECTIONS_ROW_COLUMN, ROPE_PAIRS_HALF, 10000);
    for (size_t i = 0; family_ok(&v.own) && i < f->plan->vision.n_layers; i++) {
        family_vision_layer(&v, i);
        family_vision_mlp(&v, i, NULL, "fc1", "fc2");
    }
    f->plan->vision.merger =
        family_vision_merger(&v, "merger", "ln_q", false, "mlp.0", "mlp.2", "hidden_size");
    family_vision_tokens(&v, 151655, 151656);
    family_vision_end(&v);
}

const family_reader family_qwen2_vl = {
    .types =
        {{.model_type = "qwen2_vl", .read = read_family, .text_type = "qwen2_vl_text", .may_be_flat = true}},
    .harmless = {&family_harmless_qwen2, &family_harmless_marks},
};
