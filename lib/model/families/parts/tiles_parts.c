/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/tiles_parts.h"

#include <stdio.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_patches.h"
#include "model/plan/bind_vector.h"

/* As transformers writes them, as they are published, and as mlx-vlm writes them. */
static const char *const TOWER[] = {"model.vision_model.", "vision_model.", "vision_tower."},
                         *const PROJECTOR[] = {"model.", ""};

static const size_t COLLECTED[] = {3, 7, 15, 23, 30};
static const size_t RATIOS[][2] = {{1, 1}, {1, 2}, {1, 3}, {1, 4}, {2, 1}, {2, 2}, {3, 1}, {4, 1}};
enum { N_COLLECTED = sizeof COLLECTED / sizeof *COLLECTED, N_RATIOS = sizeof RATIOS / sizeof *RATIOS };

/* Layers begin with rows of a multiple of this. */
enum { ROWS = 8 };

/* -1: it is not an index below `most`. */
static int64_t index_of(json_object *value, size_t most)
{
    if (!json_object_is_type(value, json_type_int)) return -1;
    const int64_t i = json_object_get_int64(value);
    return i >= 0 && (uint64_t)i < most ? i : -1;
}

size_t family_layer_list(config *c, const char *name, size_t most, const size_t *fallback, size_t n_fallback,
                         size_t *out)
{
    json_object *list = config_member(c, name);
    if (c->status != ASSAY_OK) return 0;
    if (!list) config_note(c->notes, "%s%s: absent, the published class's default is taken", c->prefix, name);
    if (list && (!json_object_is_type(list, json_type_array) ||
                 json_object_array_length(list) > PLAN_COLLECTED_MAX)) {
        config_fail_member(c, ASSAY_EFORMAT, name, "expected a list of at most %d layer indices",
                           PLAN_COLLECTED_MAX);
        return 0;
    }
    const size_t n = list ? json_object_array_length(list) : n_fallback;
    for (size_t k = 0; k < n; k++) {
        const int64_t i = list                 ? index_of(json_object_array_get_idx(list, k), most)
                          : fallback[k] < most ? (int64_t)fallback[k]
                                               : -1;
        if (i < 0) {
            if (list)
                config_fail_element(c, ASSAY_EFORMAT, name, k, "expected the index of one of %zu layers",
                                    most);
            else
                config_fail(c, ASSAY_EFORMAT, "%s: absent, and the default names layer %zu of %zu", name,
                            fallback[k], most);
            return 0;
        }
        for (size_t before = 0; before < k; before++)
            if (out[before] == (size_t)i) {
                config_fail(c, ASSAY_EUNSUPPORTED, "%s[%zu]: found layer %lld again, expected each once",
                            name, k, (long long)i);
                return 0;
            }
        out[k] = (size_t)i;
    }
    return n;
}

static bool read_ratio(json_object *value, size_t *out)
{
    if (!json_object_is_type(value, json_type_array) || json_object_array_length(value) != 2) return false;
    for (size_t k = 0; k < 2; k++) {
        const int64_t n = index_of(json_object_array_get_idx(value, k), INT32_MAX);
        if (n < 1) return false;
        out[k] = (size_t)n;
    }
    return true;
}

static void read_ratios(config *c, plan_tiles *tiles)
{
    static const char NAME[] = "supported_aspect_ratios";
    json_object *list = config_member(c, NAME);
    if (c->status != ASSAY_OK) return;
    if (!list && tiles->n != 4) {
        config_fail(c, ASSAY_EFORMAT, "%s: absent, expected a list: max_num_tiles is %zu, not 4", NAME,
                    tiles->n);
        return;
    }
    if (list && (!json_object_is_type(list, json_type_array) || json_object_array_length(list) == 0 ||
                 json_object_array_length(list) > PLAN_RATIOS_MAX)) {
        config_fail_member(c, ASSAY_EFORMAT, NAME, "expected a list of 1 to %d pairs", PLAN_RATIOS_MAX);
        return;
    }
    if (!list) config_note(c->notes, "%s%s: absent, the published class's default is taken", c->prefix, NAME);
    tiles->n_ratios = list ? json_object_array_length(list) : N_RATIOS;
    for (size_t i = 0; i < tiles->n_ratios; i++) {
        size_t *ratio = tiles->ratio[i];
        if (!list) {
            ratio[0] = RATIOS[i][0];
            ratio[1] = RATIOS[i][1];
        } else if (!read_ratio(json_object_array_get_idx(list, i), ratio) || ratio[0] > tiles->n ||
                   ratio[1] > tiles->n || ratio[0] * ratio[1] > tiles->n) {
            config_fail_element(c, ASSAY_EFORMAT, NAME, i, "expected rows and columns of 1 to %zu tiles",
                                tiles->n);
            return;
        }
    }
}

/* The class reads num_attention_heads, but its files have attention_heads, which then counts. */
static size_t read_heads(family_vision *v)
{
    static const char READ[] = "num_attention_heads", WRITTEN[] = "attention_heads";
    config *c = &v->config;
    if (!config_has(c, WRITTEN)) return config_size_or(c, READ, 16);
    const size_t n = config_size(c, WRITTEN);
    config_expect_size(c, READ, n, "that of attention_heads");
    return n;
}

/* Allocates the layers of both parts. */
static void read_depth(family_vision *v)
{
    config *c = &v->config;
    plan_tower *tower = &v->own.plan->vision;
    const size_t n_first = config_size_or(c, "num_hidden_layers", 32),
                 n_second = config_size_or(c, "num_global_layers", 8);
    tower->tiles.second = n_first;
    family_vision_allocate(v, n_first + n_second, "num_hidden_layers");
    if (!family_ok(&v->own)) return;
    tower->tiles.n_collected = family_layer_list(c, "intermediate_layers_indices", n_first + 1, COLLECTED,
                                                 N_COLLECTED, tower->tiles.collected);
}

void family_tiles_begin(family_vision *v, family *f)
{
    family_vision_begin(v, f, "mllama_vision_model", TOWER, sizeof TOWER / sizeof *TOWER,
                        "patch_embedding.weight");
    config *c = &v->config;
    plan_tower *tower = &f->plan->vision;
    plan_tiles *tiles = &tower->tiles;
    tower->kind = PLAN_TOWER_TILES;
    tower->hidden = config_size_or(c, "hidden_size", 1280);
    v->n_heads = read_heads(v);
    v->intermediate = config_size_or(c, "intermediate_size", 5120);
    v->activation = family_activation(&v->own, "hidden_act", "gelu");
    v->norms = PLAN_LAYER_NORM;
    v->epsilon = config_not_negative_or(c, "norm_eps", 1e-5);
    tower->patches.order = PLAN_PATCHES_RASTER;
    tower->patches.frames = 1;
    tower->patches.channels = config_size_or(c, "num_channels", 3);
    tower->patches.size = config_size_or(c, "patch_size", 14);
    const size_t image = config_size_or(c, "image_size", 448),
                 state = config_size_or(c, "vision_output_dim", 7680);
    tiles->n = config_size_or(c, "max_num_tiles", 4);
    read_ratios(c, tiles);
    if (family_ok(&v->own) && (image % tower->patches.size != 0 || tower->hidden % v->n_heads != 0))
        config_fail(
            c, ASSAY_EUNSUPPORTED,
            "image_size: found %zu, expected a multiple of patch_size (%zu), and hidden_size (%zu) one of "
            "the heads (%zu)",
            image, tower->patches.size, tower->hidden, v->n_heads);
    if (!family_ok(&v->own)) return;
    v->head_dim = tower->hidden / v->n_heads;
    tiles->side = image / tower->patches.size;
    tiles->padded = (plan_tiles_rows(tiles) + ROWS - 1) / ROWS * ROWS;
    read_depth(v);
    if (family_ok(&v->own) && state != plan_tower_state(tower))
        config_fail(
            c, ASSAY_EUNSUPPORTED,
            "vision_output_dim: found %zu, expected %zu: hidden_size (%zu) for the last layer and each of "
            "intermediate_layers_indices",
            state, plan_tower_state(tower), tower->hidden);
}

/* A table with a row for each ratio, which has `n` rows of the tower's width. */
static plan_weight bind_table(family_vision *v, size_t n, const char *name)
{
    const plan_tower *tower = &v->own.plan->vision;
    const size_t d = tower->hidden, n_ids = tower->tiles.n_ratios + 1;
    const plan_weight w = bind_matrix(v->own.bind, n_ids, n * d, "%s.weight", name);
    return bind_reshaped(v->own.bind, &w, n_ids * n, d);
}

static void bind_layer(family_vision *v, size_t i)
{
    bind *b = v->own.bind;
    plan_tower *tower = &v->own.plan->vision;
    const bool is_second = i >= tower->tiles.second;
    const size_t d = tower->hidden, inner = v->intermediate;
    plan_tower_layer *layer = &tower->layers[i];
    char at[64];
    (void)snprintf(at, sizeof at, "%s.layers.%zu", is_second ? "global_transformer" : "transformer",
                   is_second ? i - tower->tiles.second : i);
    layer->attention = family_vision_attention(v, i);
    layer->attention.q = bind_linear(b, d, d, false, "%s.self_attn.q_proj", at);
    layer->attention.k = bind_linear(b, d, d, false, "%s.self_attn.k_proj", at);
    layer->attention.v = bind_linear(b, d, d, false, "%s.self_attn.v_proj", at);
    layer->attention.o = bind_linear(b, d, d, false, "%s.self_attn.o_proj", at);
    layer->mixer_in = bind_layer_norm(b, d, v->epsilon, "%s.input_layernorm", at);
    layer->mlp_in = bind_layer_norm(b, d, v->epsilon, "%s.post_attention_layernorm", at);
    layer->mlp = (plan_mlp){.present = true,
                            .intermediate = inner,
                            .activation = v->activation,
                            .up = bind_linear(b, inner, d, true, "%s.mlp.fc1", at),
                            .down = bind_linear(b, d, inner, true, "%s.mlp.fc2", at)};
    if (!is_second) return;
    layer->mixer_gate = bind_vector(b, 1, "%s.gate_attn", at);
    layer->mlp_gate = bind_vector(b, 1, "%s.gate_ffn", at);
}

void family_tiles_bind(family_vision *v)
{
    bind *b = v->own.bind;
    plan_tower *tower = &v->own.plan->vision;
    plan_tiles *tiles = &tower->tiles;
    if (!family_ok(&v->own)) return;
    const size_t d = tower->hidden, n = plan_tiles_rows(tiles);
    bind_patches(b, d, &tower->patches, false, "patch_embedding");
    tiles->class_row = bind_vector(b, d, "class_embedding");
    tiles->before = bind_table(v, tiles->n, "pre_tile_positional_embedding.embedding");
    tiles->before_gate = bind_vector(b, 1, "pre_tile_positional_embedding.gate");
    tiles->positions = bind_matrix(b, n, d, "gated_positional_embedding.embedding");
    tiles->positions_gate = bind_vector(b, 1, "gated_positional_embedding.gate");
    tiles->tile_positions = bind_table(v, tiles->n * n, "gated_positional_embedding.tile_embedding");
    tiles->after = bind_table(v, tiles->n, "post_tile_positional_embedding.embedding");
    tiles->after_gate = bind_vector(b, 1, "post_tile_positional_embedding.gate");
    tower->in_norm = bind_layer_norm(b, d, 1e-5, "layernorm_pre"); /* torch's default */
    tiles->middle = bind_layer_norm(b, d, 1e-5, "layernorm_post");
    for (size_t i = 0; family_ok(&v->own) && i < tower->n_layers; i++) bind_layer(v, i);
    bind_place tower_place;
    bind_enter(b, PROJECTOR, sizeof PROJECTOR / sizeof *PROJECTOR, "multi_modal_projector.weight",
               &tower_place);
    tower->merger = (plan_merger){
        1,
        {{PLAN_MERGER_LINEAR, .linear = bind_linear(b, v->own.plan->hidden, plan_tower_state(tower), true,
                                                    "multi_modal_projector")}}};
    bind_leave(b, &tower_place);
}

void family_tiles_token(family_vision *v, size_t fallback)
{
    static const char READ[] = "image_token_index", OTHER[] = "image_token_id";
    config *c = v->around;
    const size_t n = v->own.plan->n_token_ids;
    const char *name = config_has(c, READ) || !config_has(c, OTHER) ? READ : OTHER;
    const size_t id = config_count_or(c, name, fallback);
    if (name == READ && config_has(c, OTHER) && config_count_or(c, OTHER, id) != id)
        config_fail_member(c, ASSAY_EUNSUPPORTED, OTHER, "but image_token_index is %zu", id);
    if (family_ok(&v->own) && c->status == ASSAY_OK && id >= n)
        config_fail(c, ASSAY_EFORMAT, "%s: found %zu, expected an id below %zu, the rows of the embedding",
                    name, id, n);
    v->own.plan->vision.image_token = (int32_t)id;
}
