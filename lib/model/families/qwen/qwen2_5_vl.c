/* Qwen2.5-VL (transformers, models/qwen2_5_vl/modeling_qwen2_5_vl.py): the language model of Qwen2-VL, and a
 * tower most of whose layers attend in windows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/family.h"
#include "model/families/parts/harmless.h"
#include "model/families/parts/qwen_decoder.h"
#include "model/families/parts/vision.h"

static const char FULL[] = "fullatt_block_indexes";

/* Sets in_windows of the layers that the list does not name. */
static void read_full_layers(family_vision *v)
{
    plan_tower *tower = &v->own.plan->vision;
    json_object *list = config_member(&v->config, FULL);
    if (!json_object_is_type(list, json_type_array)) {
        config_fail_member(&v->config, ASSAY_EFORMAT, FULL, "expected a list of layer indices");
        return;
    }
    for (size_t i = 0; i < tower->n_layers; i++) tower->layers[i].in_windows = true;
    for (size_t k = 0; k < json_object_array_length(list); k++) {
        json_object *layer = json_object_array_get_idx(list, k);
        const int64_t i = json_object_is_type(layer, json_type_int) ? json_object_get_int64(layer) : -1;
        if (i < 0) config_fail_element(&v->config, ASSAY_EFORMAT, FULL, k, "expected the index of a layer");
        else if ((size_t)i < tower->n_layers) tower->layers[i].in_windows = false;
    }
}

/* The side of a window is given in pixels. */
static void read_windows(family_vision *v)
{
    plan_tower *tower = &v->own.plan->vision;
    const size_t pixels = config_size_or(&v->config, "window_size", 112);
    if (!family_ok(&v->own)) return;
    read_full_layers(v);
    bool any = false;
    for (size_t i = 0; i < tower->n_layers; i++) any = any || tower->layers[i].in_windows;
    const size_t side = pixels / tower->merge / tower->patches.size;
    if (side == 0)
        config_fail(&v->config, ASSAY_EFORMAT,
                    "window_size: found %zu, expected at least %zu, a block of patches", pixels,
                    tower->merge * tower->patches.size);
    tower->window = any ? side : 0;
}

static void read_family(family *f)
{
    family_vision v;
    family_qwen2_vl_text(f);
    family_vision_begin_qwen(&v, f, "qwen2_5_vl_vision");
    plan_tower *tower = &f->plan->vision;
    v.norms = PLAN_RMS_NORM;
    v.epsilon = 1e-6;
    family_vision_layers(&v, config_size(&v.config, "hidden_size"), "depth", "num_heads");
    v.intermediate = config_size(&v.config, "intermediate_size");
    v.activation = family_activation(&v.own, "hidden_act", "silu");
    family_vision_patches(&v, 14, false);
    family_vision_rope(&v, ROPE_SECTIONS_ROW_COLUMN, ROPE_PAIRS_HALF, 10000);
    read_windows(&v);
    for (size_t i = 0; family_ok(&v.own) && i < tower->n_layers; i++) {
        family_vision_layer(&v, i);
        family_vision_mlp(&v, i, "gate_proj", "up_proj", "down_proj");
    }
    tower->merger = family_vision_merger(&v, "merger", "ln_q", false, "mlp.0", "mlp.2", "out_hidden_size");
    tower->tokens_per_second = (double)config_size_or(&v.config, "tokens_per_second", 4);
    family_vision_tokens(&v, 151655, 151656);
    family_vision_end(&v);
}

const family_reader family_qwen2_5_vl = {
    .types = {{.model_type = "qwen2_5_vl",
               .read = read_family,
               .text_type = "qwen2_5_vl_text",
               .may_be_flat = true}},
    .harmless = {&family_harmless_qwen2, &family_harmless_marks},
};
