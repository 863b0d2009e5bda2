/* HunYuanVL (transformers, models/hunyuan_vl/modeling_hunyuan_vl.py): a dense decoder whose rope has four
 * axes, of which the two elements of a pair may take different ones, and a base scaled by alpha; norms of
 * queries and keys come after it. A tower without a rope, whose merger adds a vector after each row of an
 * image, and one before and one after all of them. It takes images only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"
#include "model/families/parts/hunyuan_decoder.h"
#include "model/families/parts/vision.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_patches.h"
#include "model/plan/bind_vector.h"

/* The names of a tower's parts, as transformers has them in memory, and as they are published. */
typedef struct part_names {
    const char *mixer_in, *mlp_in, *up, *down, *merger, *convolution, *widen;
} part_names;

static const part_names OWN = {"layer_norm1",  "layer_norm2", "fc1",     "fc2",
                               "patch_merger", "proj_conv",   "proj_out"},
                        PUBLISHED = {"input_layernorm", "post_attention_layernorm",
                                     "dense_h_to_4h",   "dense_4h_to_h",
                                     "perceive",        "proj.0",
                                     "proj.2"};

/* As transformers writes them, as they are published, and as mlx-vlm writes them. */
static const char *const TOWER[] = {"model.vision_tower.", "vit.", "vision_tower."};
enum { N_TOWER = sizeof TOWER / sizeof *TOWER };

static void read_text(family *f)
{
    family_check_tied(f);
    const family_decoder d = family_hunyuan_decoder_read(
        f, &(family_class){.epsilon = 1e-5, .needs_head_dim = true, .tied = true},
        &(config_rope_request){.old_section = "xdrope_section", .sections = ROPE_SECTIONS_DOUBLED});
    family_decoder_layers(f, &d);
}

/* A square table after a row that the published class does not read. */
static void bind_table(family_vision *v)
{
    config *c = &v->config;
    plan_tower *tower = &v->own.plan->vision;
    const char *mode = config_has(c, "interpolate_mode") ? config_text(c, "interpolate_mode") : "bilinear";
    const bool bicubic = mode && strcmp(mode, "bicubic") == 0;
    const size_t image = config_size_or(c, "max_image_size", 2048);
    if (!family_ok(&v->own)) return;
    if (!bicubic && strcmp(mode, "bilinear") != 0)
        config_fail_member(c, ASSAY_EUNSUPPORTED, "interpolate_mode", "expected \"bilinear\" or \"bicubic\"");
    const size_t side = image / tower->patches.size;
    if (side == 0)
        config_fail_member(c, ASSAY_EFORMAT, "max_image_size", "expected at least patch_size, %zu",
                           tower->patches.size);
    if (!family_ok(&v->own)) return;
    const plan_weight all =
        bind_matrix(v->own.bind, 1 + side * side, tower->hidden, "embeddings.position_embedding.weight");
    tower->table = (plan_table){.kind = bicubic ? PLAN_TABLE_BICUBIC : PLAN_TABLE_BILINEAR, .side = side};
    if (family_ok(&v->own)) tower->table.weight = bind_rows(&all, 1, side * side);
}

static void read_shape(family_vision *v)
{
    config *c = &v->config;
    plan_tower *tower = &v->own.plan->vision;
    plan_patches *patches = &tower->patches;
    family_vision_layers(v, config_size_or(c, "hidden_size", 1152), "num_hidden_layers",
                         "num_attention_heads");
    v->intermediate = config_size_or(c, "intermediate_size", 4304);
    v->activation = family_activation(&v->own, "hidden_act", "gelu");
    v->epsilon = config_not_negative_or(c, "rms_norm_eps", 1e-5);
    patches->order = PLAN_PATCHES_RASTER;
    patches->size = config_size_or(c, "patch_size", 16);
    patches->channels = config_size_or(c, "num_channels", 3);
    patches->frames = 1;
    tower->merge = config_size_or(c, "spatial_merge_size", 2);
    config_expect_size(c, "temporal_patch_size", 1, "that of still images");
    config_expect_size(c, "num_key_value_heads", v->n_heads, "that of num_attention_heads");
    config_expect_size(c, "out_hidden_size", v->own.plan->hidden, "that of the language model's hidden_size");
    config_expect_size(c, "text_hidden_size", v->own.plan->hidden,
                       "that of the language model's hidden_size");
    if (family_ok(&v->own) && tower->merge < 2)
        config_fail_member(c, ASSAY_EUNSUPPORTED, "spatial_merge_size",
                           "expected at least 2: the published class refuses images of one row or column");
}

static void bind_layer(family_vision *v, const part_names *names, size_t i)
{
    bind *b = v->own.bind;
    const plan_tower *tower = &v->own.plan->vision;
    const size_t d = tower->hidden, n = v->intermediate;
    plan_tower_layer *layer = &tower->layers[i];
    plan_attention *a = &layer->attention;
    *a = family_vision_attention(v, i);
    layer->mixer_in = bind_layer_norm(b, d, v->epsilon, "layers.%zu.%s", i, names->mixer_in);
    a->q = bind_linear(b, d, d, true, "layers.%zu.self_attn.q_proj", i);
    a->k = bind_linear(b, d, d, true, "layers.%zu.self_attn.k_proj", i);
    a->v = bind_linear(b, d, d, true, "layers.%zu.self_attn.v_proj", i);
    a->o = bind_linear(b, d, d, true, "layers.%zu.self_attn.o_proj", i);
    layer->mlp_in = bind_layer_norm(b, d, v->epsilon, "layers.%zu.%s", i, names->mlp_in);
    layer->mlp = (plan_mlp){.present = true,
                            .intermediate = n,
                            .activation = v->activation,
                            .up = bind_linear(b, n, d, true, "layers.%zu.mlp.%s", i, names->up),
                            .down = bind_linear(b, d, n, true, "layers.%zu.mlp.%s", i, names->down)};
}

static void bind_merger(family_vision *v, const part_names *names)
{
    bind *b = v->own.bind;
    plan_tower *tower = &v->own.plan->vision;
    const size_t d = tower->hidden, out = v->own.plan->hidden;
    const char *base = names->merger;
    plan_patches block = {.size = tower->merge, .channels = d, .frames = 1},
                 one = {.size = 1, .channels = 2 * d, .frames = 1};
    char ignored[64];
    bind_patches(b, 2 * d, &block, true, "%s.%s", base, names->convolution);
    bind_patches(b, 4 * d, &one, true, "%s.%s", base, names->widen);
    tower->merger =
        (plan_merger){9,
                      {{PLAN_MERGER_NORM, .norm = bind_norm(b, d, v->epsilon, "%s.before_rms", base)},
                       {PLAN_MERGER_CONCATENATE, .channels_first = !block.weights_channels_last},
                       {PLAN_MERGER_LINEAR, .linear = block.embed},
                       {PLAN_MERGER_ACTIVATION, .activation = v->activation},
                       {PLAN_MERGER_LINEAR, .linear = one.embed},
                       {PLAN_MERGER_ROW_ENDS, .row_end = bind_vector(b, 4 * d, "%s.image_newline", base)},
                       {PLAN_MERGER_LINEAR, .linear = bind_linear(b, out, 4 * d, true, "%s.mlp", base)},
                       {PLAN_MERGER_ENDS, .begin = bind_vector(b, out, "%s.image_begin", base),
                        .end = bind_vector(b, out, "%s.image_end", base)},
                       {PLAN_MERGER_NORM, .norm = bind_norm(b, out, v->epsilon, "%s.after_rms", base)}}};
    (void)snprintf(ignored, sizeof ignored, "%s.image_sep", base);
    bind_ignore(b, v->own.config->notes, ignored, "the published class does not use it");
}

static void read_family(family *f)
{
    family_vision v;
    read_text(f);
    family_vision_begin(&v, f, "hunyuan_vl_vision", TOWER, N_TOWER, "embeddings.patch_embedding.weight");
    plan_tower *tower = &f->plan->vision;
    read_shape(&v);
    if (family_ok(&v.own))
        bind_patches(v.own.bind, tower->hidden, &tower->patches, true, "embeddings.patch_embedding");
    bind_table(&v);
    if (family_ok(&v.own)) {
        const part_names *names =
            bind_exists(v.own.bind, "layers.0.%s.weight", OWN.mixer_in) ? &OWN : &PUBLISHED;
        for (size_t i = 0; family_ok(&v.own) && i < tower->n_layers; i++) bind_layer(&v, names, i);
        if (family_ok(&v.own)) bind_merger(&v, names);
    }
    family_vision_image_token(&v, 120120);
    f->plan->positions = PLAN_POSITIONS_IMAGES;
    family_vision_end(&v);
}

/* In published files, but not read by the class: constant in it, of its processor, or limits of that. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"add_patchemb_bias", "true"},
    {"cat_extra_token", "1"},
    {"eod_token_id", NULL},
    {"hidden_dropout", NULL},
    {"im_end_id", NULL},
    {"im_newline_id", NULL},
    {"im_start_id", NULL},
    {"image_end_token_id", NULL},
    {"image_newline_token_id", NULL},
    {"image_start_token_id", NULL},
    {"img_max_token_num", NULL},
    {"max_vit_seq_len", NULL},
    {"min_image_size", NULL},
    {"norm_type", "\"rms\""},
    {"num_experts", "1"},
    {"pad_id", NULL},
    {"routed_scaling_factor", NULL},
    {"sep_token_id", NULL},
    {"text_end_id", NULL},
    {"text_start_id", NULL},
    {"use_cla", "false"},
    {"use_qk_norm", "true"},
};
static const config_harmless_group UNREAD = {"is not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

const family_reader family_hunyuan_vl = {
    .types = {{.model_type = "hunyuan_vl",
               .read = read_family,
               .text_type = "hunyuan_vl_text",
               .may_be_flat = true}},
    .harmless = {&UNREAD},
};
