/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/vision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/checkpoint/config_rope.h"
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_patches.h"
#include "model/plan/bind_vector.h"

static void check_type(family_vision *v, const char *type)
{
    static const char END[] = "_vision";
    if (!config_has(&v->config, "model_type")) return;
    const char *found = config_text(&v->config, "model_type");
    const size_t n = strlen(type) - (sizeof END - 1);
    if (family_ok(&v->own) && strcmp(found, type) != 0 &&
        !(strlen(found) == n && strncmp(found, type, n) == 0))
        config_fail(&v->config, ASSAY_EUNSUPPORTED, "model_type: found \"%s\", expected \"%s\"", found, type);
}

void family_vision_begin(family_vision *v, family *f, const char *type, const char *const *prefixes, size_t n,
                         const char *probe)
{
    config *around = f->outer ? f->outer : f->config;
    *v = (family_vision){.own = *f, .around = around, .text = f->outer ? f->config : NULL};
    v->own.config = &v->config;
    v->own.outer = NULL;
    (void)config_begin_member(&v->config, around, "vision_config.");
    v->config.model_type = type;
    check_type(v, type);
    family_tower_begin(&v->config);
    bind_enter(f->bind, prefixes, n, probe, &v->outside);
    plan_tower *tower = &f->plan->vision;
    *tower = (plan_tower){.present = true,
                          .patches = {.pixel_factor = 1},
                          .pooling = {.side = 1, .factor = 1},
                          .merge = 1,
                          .image_token = -1,
                          .video_token = -1};
}

bool family_vision_is_stored(const family *f, const char *const *prefixes, size_t n, const char *probe)
{
    char name[BIND_NAME_MAX];
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(name, sizeof name, "%s%s", prefixes[i], probe);
        if (weights_find(f->bind->weights, name)) return true;
    }
    return false;
}

static const char *const QWEN_PREFIXES[] = {"model.visual.", "visual.", "vision_tower.", "thinker.visual.",
                                            "thinker.vision_tower."};
static const char QWEN_PROBE[] = "patch_embed.proj.weight";
enum { N_QWEN_PREFIXES = sizeof QWEN_PREFIXES / sizeof *QWEN_PREFIXES };

void family_vision_begin_qwen(family_vision *v, family *f, const char *type)
{
    family_vision_begin(v, f, type, QWEN_PREFIXES, N_QWEN_PREFIXES, QWEN_PROBE);
}

bool family_vision_is_stored_qwen(const family *f)
{
    return family_vision_is_stored(f, QWEN_PREFIXES, N_QWEN_PREFIXES, QWEN_PROBE);
}

void family_vision_end(family_vision *v)
{
    config_end(&v->config);
    bind_leave(v->own.bind, &v->outside);
}

void family_vision_allocate(family_vision *v, size_t n, const char *name)
{
    plan_tower *tower = &v->own.plan->vision;
    tower->layers = family_allocate_layers(&v->own, &v->config, name, n, sizeof *tower->layers);
    if (tower->layers) tower->n_layers = n;
}

void family_vision_layers(family_vision *v, size_t hidden, const char *depth, const char *n_heads)
{
    plan_tower *tower = &v->own.plan->vision;
    const size_t n = config_size(&v->config, depth);
    v->n_heads = config_size(&v->config, n_heads);
    tower->hidden = hidden;
    if (!family_ok(&v->own)) return;
    if (v->head_dim == 0 && hidden % v->n_heads != 0)
        config_fail(&v->config, ASSAY_EFORMAT, "%s: found %zu, expected a divisor of the width %zu", n_heads,
                    v->n_heads, hidden);
    else family_vision_allocate(v, n, depth);
    if (v->head_dim == 0) v->head_dim = hidden / v->n_heads;
}

void family_vision_patches(family_vision *v, size_t default_size, bool has_bias)
{
    config *c = &v->config;
    plan_tower *tower = &v->own.plan->vision;
    plan_patches *patches = &tower->patches;
    patches->order = PLAN_PATCHES_BLOCKS;
    patches->size = config_size_or(c, "patch_size", default_size);
    patches->frames = config_size_or(c, "temporal_patch_size", 2);
    patches->channels = config_has(c, "in_channels") ? config_size(c, "in_channels") : 3;
    tower->merge = config_size_or(c, "spatial_merge_size", 2);
    config_expect_size(c, "in_chans", patches->channels, "the published class's in_channels");
    config_expect_size(c, "spatial_patch_size", patches->size, "the published class's patch_size");
    if (family_ok(&v->own)) bind_patches(v->own.bind, tower->hidden, patches, has_bias, "patch_embed.proj");
}

void family_vision_table(family_vision *v, plan_table_kind kind, size_t image)
{
    plan_tower *tower = &v->own.plan->vision;
    if (!family_ok(&v->own)) return;
    const size_t size = tower->patches.size, side = image / size;
    if (side == 0) {
        config_fail(&v->config, ASSAY_EFORMAT, "image_size: found %zu, expected at least patch_size, %zu",
                    image, size);
        return;
    }
    tower->table = (plan_table){.kind = kind, .side = side};
    tower->table.weight =
        bind_matrix(v->own.bind, side * side, tower->hidden, "embeddings.position_embedding.weight");
}

void family_vision_rope(family_vision *v, rope_sections sections, rope_pairing pairing, double default_theta)
{
    plan_tower *tower = &v->own.plan->vision;
    if (!family_ok(&v->own)) return;
    const config_rope_request request = {
        .head_dim = v->head_dim, .default_theta = default_theta, .sections = sections};
    config_rope(&v->config, &request, &tower->rope);
    tower->rope.pairing = pairing;
    tower->has_rope = true;
}

plan_norm family_vision_norm(family_vision *v, size_t width, const char *name)
{
    return v->norms == PLAN_LAYER_NORM ? bind_layer_norm(v->own.bind, width, v->epsilon, "%s", name)
                                       : bind_norm(v->own.bind, width, v->epsilon, "%s", name);
}

/* A norm of layer i. */
static plan_norm layer_norm(family_vision *v, size_t i, const char *name)
{
    char path[64];
    (void)snprintf(path, sizeof path, "blocks.%zu.%s", i, name);
    return family_vision_norm(v, v->own.plan->vision.hidden, path);
}

plan_attention family_vision_attention(const family_vision *v, size_t i)
{
    return (plan_attention){.n_heads = v->n_heads,
                            .n_kv_heads = v->n_heads,
                            .head_dim = v->head_dim,
                            .scale = 1 / sqrt((double)v->head_dim),
                            .mask = PLAN_MASK_NONE,
                            .rope = v->own.plan->vision.has_rope ? 0 : PLAN_NONE,
                            .cache_layer = i};
}

void family_vision_layer(family_vision *v, size_t i)
{
    bind *b = v->own.bind;
    plan_tower *tower = &v->own.plan->vision;
    plan_tower_layer *layer = &tower->layers[i];
    plan_attention *a = &layer->attention;
    const size_t d = tower->hidden, rows[] = {d, d, d};
    *a = family_vision_attention(v, i);
    layer->mixer_in = layer_norm(v, i, "norm1");
    bind_fused_linears(b, 3, rows, d, true, (plan_linear *const[]){&a->q, &a->k, &a->v},
                       "blocks.%zu.attn.qkv", i);
    a->o = bind_linear(b, d, d, true, "blocks.%zu.attn.proj", i);
    layer->mlp_in = layer_norm(v, i, "norm2");
}

void family_vision_mlp(family_vision *v, size_t i, const char *gate, const char *up, const char *down)
{
    bind *b = v->own.bind;
    const size_t d = v->own.plan->vision.hidden, n = v->intermediate;
    plan_mlp *mlp = &v->own.plan->vision.layers[i].mlp;
    *mlp = (plan_mlp){.present = true, .intermediate = n, .activation = v->activation};
    if (gate) mlp->gate = bind_linear(b, n, d, true, "blocks.%zu.mlp.%s", i, gate);
    mlp->up = bind_linear(b, n, d, true, "blocks.%zu.mlp.%s", i, up);
    mlp->down = bind_linear(b, d, n, true, "blocks.%zu.mlp.%s", i, down);
}

plan_merger family_vision_merger(family_vision *v, const char *base, const char *norm, bool norm_is_last,
                                 const char *first, const char *second, const char *width)
{
    char path[96];
    const plan_tower *tower = &v->own.plan->vision;
    const size_t d = tower->hidden, block = d * tower->merge * tower->merge, out = v->own.plan->hidden;
    plan_merger m = {0};
    const size_t stated = config_size(&v->config, width);
    if (family_ok(&v->own) && stated != out)
        config_fail(&v->config, ASSAY_EFORMAT,
                    "%s: found %zu, expected the language model's hidden_size, %zu", width, stated, out);
    if (!family_ok(&v->own)) return m;
    (void)snprintf(path, sizeof path, "%s.%s", base, norm);
    const plan_merger_step n = {PLAN_MERGER_NORM,
                                .norm = family_vision_norm(v, norm_is_last ? block : d, path)},
                           joined = {.kind = PLAN_MERGER_CONCATENATE};
    m.steps[m.n_steps++] = norm_is_last ? joined : n;
    m.steps[m.n_steps++] = norm_is_last ? n : joined;
    m.steps[m.n_steps++] = (plan_merger_step){
        PLAN_MERGER_LINEAR, .linear = bind_linear(v->own.bind, block, block, true, "%s.%s", base, first)};
    m.steps[m.n_steps++] = (plan_merger_step){PLAN_MERGER_ACTIVATION, .activation = ASSAY_GELU};
    m.steps[m.n_steps++] = (plan_merger_step){
        PLAN_MERGER_LINEAR, .linear = bind_linear(v->own.bind, out, block, true, "%s.%s", base, second)};
    return m;
}

static int32_t read_token(family_vision *v, const char *name, size_t fallback)
{
    const size_t id = config_count_or(v->around, name, fallback), n = v->own.plan->n_token_ids;
    if (family_ok(&v->own) && v->around->status == ASSAY_OK && id >= n)
        config_fail(v->around, ASSAY_EFORMAT, "%s: found %zu, expected an id below vocab_size (%zu)", name,
                    id, n);
    if (v->text && config_has(v->text, name) && config_count_or(v->text, name, id) != id)
        config_fail_member(v->text, ASSAY_EUNSUPPORTED, name, "but the document around it has %zu", id);
    return (int32_t)id;
}

void family_vision_image_token_named(family_vision *v, const char *name, size_t default_image)
{
    v->own.plan->vision.image_token = read_token(v, name, default_image);
    v->own.plan->positions = PLAN_POSITIONS_GRID;
}

void family_vision_image_token(family_vision *v, size_t default_image)
{
    family_vision_image_token_named(v, "image_token_id", default_image);
}

void family_vision_tokens(family_vision *v, size_t default_image, size_t default_video)
{
    plan_tower *tower = &v->own.plan->vision;
    family_vision_image_token(v, default_image);
    tower->video_token = read_token(v, "video_token_id", default_video);
    if (family_ok(&v->own) && tower->image_token == tower->video_token)
        config_fail(v->around, ASSAY_EUNSUPPORTED,
                    "video_token_id: found %d, expected another than image_token_id", tower->video_token);
}
