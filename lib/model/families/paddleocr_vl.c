/* PaddleOCR-VL (transformers, models/paddleocr_vl/modeling_paddleocr_vl.py): Llama with chunked M-RoPE, and
 * SigLIP's tower with a rope, whose patches are row by row; a projector merges them. It takes images only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/families/parts/harmless.h"
#include "model/families/parts/siglip_parts.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

enum { N_SPELLINGS = 3 };

/* As transformers writes them, as they are published, and as mlx-vlm writes them. */
static const char *const TOWER[N_SPELLINGS] = {"model.visual.vision_model.", "visual.vision_model.",
                                               "visual."},
                         *const PROJECTOR[N_SPELLINGS] = {"model.projector.", "mlp_AR.", "visual.projector."};

static void read_text(family *f)
{
    family_check_tied(f);
    family_decoder d = family_decoder_read(
        f, &(family_class){.epsilon = 1e-5, .needs_kv_heads = true, .needs_head_dim = true, .tied = true});
    const config_rope_request request = {.head_dim = d.head_dim,
                                         .default_theta = 500000,
                                         .old_scaling = true,
                                         .sections = ROPE_SECTIONS_CHUNKED,
                                         .default_section = {16, 24, 24}};
    d.qkv_bias = d.o_bias = d.mlp_bias = config_flag_or(f->config, "use_bias", false);
    d.rope = family_rope(f, &request);
    family_decoder_layers(f, &d);
}

/* The published files hold two parts of SigLIP that the published class does not load. */
static void ignore_unused(family_vision *v)
{
    static const char WHY[] = "the published class does not load it";
    bind_ignore(v->own.bind, v->own.config->notes, "head.", WHY);
    bind_ignore(v->own.bind, v->own.config->notes, "embeddings.packing_position_embedding.", WHY);
}

static void bind_tower(family_vision *v)
{
    plan_tower *tower = &v->own.plan->vision;
    const char *layers =
        bind_exists(v->own.bind, "encoder.layers.0.layer_norm1.weight") ? "encoder.layers" : "layers";
    for (size_t i = 0; family_ok(&v->own) && i < tower->n_layers; i++) family_siglip_layer(v, layers, i);
    tower->out_norm = bind_layer_norm(v->own.bind, tower->hidden, v->epsilon, "post_layernorm");
    ignore_unused(v);
}

/* The class states the epsilon of its norm. */
static void bind_projector(family_vision *v)
{
    bind *b = v->own.bind;
    bind_place tower_place;
    plan_tower *tower = &v->own.plan->vision;
    const size_t d = tower->hidden, block = d * tower->merge * tower->merge;
    bind_enter(b, PROJECTOR, N_SPELLINGS, "linear_1.weight", &tower_place);
    tower->merger = (plan_merger){
        5,
        {{PLAN_MERGER_NORM, .norm = bind_layer_norm(b, d, 1e-5, "pre_norm")},
         {.kind = PLAN_MERGER_CONCATENATE},
         {PLAN_MERGER_LINEAR, .linear = bind_linear(b, block, block, true, "linear_1")},
         {PLAN_MERGER_ACTIVATION, .activation = ASSAY_GELU},
         {PLAN_MERGER_LINEAR, .linear = bind_linear(b, v->own.plan->hidden, block, true, "linear_2")}}};
    bind_leave(b, &tower_place);
}

static void read_family(family *f)
{
    family_vision v;
    read_text(f);
    family_vision_begin(&v, f, "paddleocr_vl_vision", TOWER, N_SPELLINGS,
                        "embeddings.patch_embedding.weight");
    family_siglip_shape(&v);
    f->plan->vision.merge = config_size_or(&v.config, "spatial_merge_size", 2);
    family_siglip_embeddings(&v, PLAN_TABLE_BILINEAR);
    family_vision_rope(&v, ROPE_SECTIONS_ROW_COLUMN, ROPE_PAIRS_HALF, 10000);
    if (family_ok(&v.own)) bind_tower(&v);
    if (family_ok(&v.own)) bind_projector(&v);
    family_vision_image_token(&v, 100295);
    family_vision_end(&v);
}

/* In published files, but not read by the class: constant in it, or of a video, which it does not take. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"compression_ratio", "1"},    {"ignored_index", NULL},         {"rope_is_neox_style", "true"},
    {"temporal_patch_size", NULL}, {"tokens_per_second", NULL},     {"use_3d_rope", "true"},
    {"video_token_id", NULL},      {"weight_share_add_bias", NULL},
};
static const config_harmless_group UNREAD = {"is not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

const family_reader family_paddleocr_vl = {
    .types = {{.model_type = "paddleocr_vl",
               .read = read_family,
               .text_type = "paddleocr_vl_text",
               .may_be_flat = true}},
    .harmless = {&UNREAD, &family_harmless_marks},
};
