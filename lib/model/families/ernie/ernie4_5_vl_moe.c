/* ERNIE 4.5 VL (transformers, models/ernie4_5_vl_moe/modeling_ernie4_5_vl_moe.py): Llama with adjacent pairs
 * and M-RoPE in the order height, width, time; experts for the tokens of images beside those of text; a tower
 * of Qwen2-VL's layers, and a merger made for two frames. Published files are flat and have other names; this
 * reader takes images only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/ernie_decoder.h"
#include "model/families/parts/ernie_experts.h"
#include "model/families/parts/family.h"
#include "model/families/parts/vision.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

enum { N_SPELLINGS = 3, N_TOWERS = 4, SIDE_MAX = 4096 };

/* As transformers has them in memory and as it saves them, as they are published, and as mlx-vlm writes them.
 */
static const char *const TOWER[N_TOWERS] = {"model.vision_tower.", "model.vision_model.", "vision_model.",
                                            "vision_tower."},
                         *const MERGER[] = {"model.resampler_model.", "resampler_model."};

/* The rope of heads whose pairs are adjacent; rows and columns take turns, and so have equal sections. */
static size_t read_rope(family *f, size_t head_dim)
{
    const config_rope_request request = {.head_dim = head_dim,
                                         .default_theta = 500000,
                                         .old_scaling = true,
                                         .sections = ROPE_SECTIONS_ALTERNATING,
                                         .default_section = {22, 22, 20}};
    const size_t index = family_rope(f, &request);
    if (!family_ok(f)) return index;
    rope *r = &f->plan->ropes[index];
    r->pairing = ROPE_PAIRS_ADJACENT;
    if (r->type != ROPE_DEFAULT)
        config_fail(f->config, ASSAY_EUNSUPPORTED, "rope: found type \"%s\", expected \"default\"",
                    rope_type_name(r->type));
    else if (r->section[0] != r->section[1])
        config_fail(f->config, ASSAY_EFORMAT,
                    "mrope_section: found %zu for rows and %zu for columns, expected equal numbers",
                    r->section[0], r->section[1]);
    return index;
}

static void read_text(family *f)
{
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-5, .tied = true});
    d.qkv_bias = d.o_bias = d.mlp_bias = config_flag_or(f->config, "use_bias", false);
    d.rope = read_rope(f, d.head_dim);
    family_ernie_experts experts = {0};
    if (family_ok(f)) experts = family_ernie_experts_read(f, d.activation, d.mlp_bias);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        family_decoder_attention(f, &d, i);
        if (experts.is_sparse[i]) family_ernie_experts_bind(f, &experts, i);
        else family_decoder_mlp(f, &d, i);
    }
    free(experts.is_sparse);
}

/* Why a member that repeats another one, or a constant of the class, has one value alone. */
static const char REPEATED[] = "as another member says";

/* A flat document states the width of the MLPs as a multiple of that of the tower. */
static size_t read_intermediate(family_vision *v, size_t hidden)
{
    config *c = &v->config;
    if (v->text) return config_size_or(c, "intermediate_size", 5120);
    const double ratio = config_positive_or(c, "mlp_ratio", 4);
    return (size_t)fmin(floor((double)hidden * ratio), INT32_MAX);
}

static void read_shape(family_vision *v)
{
    config *c = &v->config;
    const bool is_flat = !v->text;
    const size_t hidden = config_size_or(c, is_flat ? "embed_dim" : "hidden_size", 1280);
    if (is_flat) config_expect_size(c, "hidden_size", hidden, REPEATED);
    family_vision_layers(v, hidden, "depth", "num_heads");
    v->intermediate = read_intermediate(v, hidden);
    v->activation = family_activation(&v->own, "hidden_act", "quick_gelu");
    v->norms = PLAN_LAYER_NORM;
    v->epsilon = config_not_negative_or(c, is_flat ? "layer_norm_eps" : "rms_norm_eps", 1e-6);
    if (config_size_or(c, "temporal_merge_size", 2) != 2)
        config_fail_member(c, ASSAY_EUNSUPPORTED, "temporal_merge_size", "expected 2, as published");
}

static void bind_patches_linear(family_vision *v)
{
    config *c = &v->config;
    plan_tower *tower = &v->own.plan->vision;
    plan_patches *patches = &tower->patches;
    patches->order = PLAN_PATCHES_BLOCKS;
    patches->size = config_size_or(c, "patch_size", 14);
    patches->frames = 1;
    patches->channels = config_size_or(c, "in_channels", 3);
    tower->merge = config_size_or(c, "spatial_merge_size", 2);
    if (patches->size > SIDE_MAX || patches->channels > SIDE_MAX) /* whose product might not fit */
        config_fail(c, ASSAY_EFORMAT, "patch_size: found %zu with %zu channels, expected at most %d of both",
                    patches->size, patches->channels, SIDE_MAX);
    config_expect_size(c, "in_chans", patches->channels, REPEATED);
    config_expect_size(c, "spatial_patch_size", patches->size, REPEATED);
    if (family_ok(&v->own))
        patches->embed =
            bind_linear(v->own.bind, tower->hidden, plan_patches_width(patches), false, "patch_embed.proj");
}

static void add_step(plan_merger *m, plan_merger_step step)
{
    m->steps[m->n_steps++] = step;
}

/* A block of the merger, linear, exact GELU, linear and LayerNorm, from rows of `in` elements to rows of
 * `out`; in published files its members are numbered. */
static void add_block(family_vision *v, const char *name, size_t in, size_t out)
{
    bind *b = v->own.bind;
    plan_merger *m = &v->own.plan->vision.merger;
    static const char *const SPELLED[][3] = {
        {"fc1", "fc2", "ln"}, {"0", "2", "3"}, {"layers.0", "layers.2", "layers.3"}};
    size_t k = 0;
    while (k + 1 < N_SPELLINGS && !bind_exists(b, "%s.%s.weight", name, SPELLED[k][0])) k++;
    const char *const *part = SPELLED[k];
    add_step(m, (plan_merger_step){PLAN_MERGER_LINEAR,
                                   .linear = bind_linear(b, out, in, true, "%s.%s", name, part[0])});
    add_step(m, (plan_merger_step){PLAN_MERGER_ACTIVATION, .activation = ASSAY_GELU});
    add_step(m, (plan_merger_step){PLAN_MERGER_LINEAR,
                                   .linear = bind_linear(b, out, out, true, "%s.%s", name, part[1])});
    add_step(m, (plan_merger_step){PLAN_MERGER_NORM,
                                   .norm = bind_layer_norm(b, out, v->epsilon, "%s.%s", name, part[2])});
}

/* A still image is its own second frame. text_epsilon: of the norm over the language model's width. */
static void bind_merger(family_vision *v, double text_epsilon)
{
    bind *b = v->own.bind;
    bind_place tower_place;
    plan_tower *tower = &v->own.plan->vision;
    plan_merger *m = &tower->merger;
    const size_t block = tower->hidden * tower->merge * tower->merge, out = v->own.plan->hidden;
    bind_enter(b, MERGER, sizeof MERGER / sizeof *MERGER, "after_norm.weight", &tower_place);
    add_step(m, (plan_merger_step){.kind = PLAN_MERGER_CONCATENATE});
    add_block(v, "spatial_linear", block, block);
    add_step(m, (plan_merger_step){.kind = PLAN_MERGER_REPEAT});
    add_block(v, "temporal_linear", 2 * block, block);
    add_step(m, (plan_merger_step){PLAN_MERGER_LINEAR, .linear = bind_linear(b, out, block, true, "mlp")});
    add_step(m, (plan_merger_step){PLAN_MERGER_NORM, .norm = bind_norm(b, out, text_epsilon, "after_norm")});
    bind_leave(b, &tower_place);
}

/* Members of a flat document that repeat those of its vision_config, or are constant in the class. */
static void check_flat(family_vision *v)
{
    const plan_tower *tower = &v->own.plan->vision;
    config_expect_size(v->around, "image_token_id", (size_t)tower->image_token, REPEATED);
    config_expect_size(v->around, "pixel_hidden_size", tower->hidden, REPEATED);
    config_expect_size(v->around, "spatial_conv_size", tower->merge, REPEATED);
    config_expect_size(v->around, "temporal_conv_size", 2, REPEATED);
    if (!config_flag_or(v->around, "use_temporal_conv", true))
        config_fail_member(v->around, ASSAY_EUNSUPPORTED, "use_temporal_conv", "expected true, as published");
}

static void read_family(family *f)
{
    family_vision v;
    read_text(f);
    family_vision_begin(&v, f, f->outer ? "ernie4_5_vl_moe_vision" : "DFNRope_vision_transformer", TOWER,
                        N_TOWERS, "patch_embed.proj.weight");
    read_shape(&v);
    bind_patches_linear(&v);
    family_vision_rope(&v, ROPE_SECTIONS_ROW_COLUMN, ROPE_PAIRS_HALF, 10000);
    plan_tower *tower = &f->plan->vision;
    for (size_t i = 0; family_ok(&v.own) && i < tower->n_layers; i++) {
        family_vision_layer(&v, i);
        family_vision_mlp(&v, i, NULL, "fc1", "fc2");
    }
    if (family_ok(&v.own)) {
        tower->out_norm = family_vision_norm(&v, tower->hidden, "ln");
        bind_merger(&v, f->plan->norm.epsilon);
    }
    family_vision_image_token_named(&v, f->outer ? "image_token_id" : "im_patch_id", 100295);
    if (family_ok(&v.own)) family_ernie_expert_tokens(f, v.around);
    if (family_ok(&v.own) && !f->outer) check_flat(&v);
    family_vision_end(&v);
}

/* Members of a tower that the class does not read: of other programs. */
static const config_harmless_member UNREAD_TOWER_MEMBERS[] = {
    {"attn_sep", NULL},
    {"vit_first_fwd_bsz", NULL},
};
static const config_harmless_group UNREAD_TOWER = {"is not read by the published class",
                                                   CONFIG_HARMLESS(UNREAD_TOWER_MEMBERS), .of = "DFNRope"};

const family_reader family_ernie4_5_vl_moe = {
    .types = {{.model_type = "ernie4_5_vl_moe", .read = read_family, .text_type = "ernie4_5_vl_moe_text"},
              {.model_type = "ernie4_5_moe_vl", .read = read_family}},
    .harmless = {&family_harmless_ernie, &UNREAD_TOWER},
};
