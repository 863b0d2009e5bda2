/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/qwen_tower.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/vision.h"
#include "model/plan/bind_matrix.h"

/* The names of a merger's parts, and of the list of those for DeepStack. */
typedef struct names {
    const char *list, *norm, *first, *second;
} names;

static const names OWN = {"deepstack_merger_list", "norm", "linear_fc1", "linear_fc2"},
                   OMNI = {"merger_list", "ln_q", "mlp.0", "mlp.2"};

static const char FEATURES[] = "out_hidden_size", INDICES[] = "deepstack_visual_indexes";

/* A square table of learned positions. */
static void bind_table(family_vision *v)
{
    plan_tower *tower = &v->own.plan->vision;
    const size_t n = config_size_or(&v->config, "num_position_embeddings", 2304);
    const size_t side = (size_t)llround(sqrt((double)n));
    if (family_ok(&v->own) && side * side != n)
        config_fail(&v->config, ASSAY_EUNSUPPORTED, "num_position_embeddings: found %zu, expected a square",
                    n);
    tower->table = (plan_table){.kind = PLAN_TABLE_BILINEAR, .aligns_corners = true, .side = side};
    tower->table.weight = bind_matrix(v->own.bind, n, tower->hidden, "pos_embed.weight");
}

/* The index of the merger for the features of a layer; n: it has none. */
static size_t merger_of(json_object *list, size_t n, size_t layer)
{
    size_t k = 0;
    while (k < n && (size_t)json_object_get_int64(json_object_array_get_idx(list, k)) != layer) k++;
    return k;
}

static bool check_indices(family_vision *v, json_object *list)
{
    const size_t n_layers = v->own.plan->vision.n_layers;
    if (!json_object_is_type(list, json_type_array)) {
        config_fail_member(&v->config, ASSAY_EFORMAT, INDICES, "expected a list of layer indices");
        return false;
    }
    for (size_t k = 0; k < json_object_array_length(list); k++) {
        json_object *layer = json_object_array_get_idx(list, k);
        if (!json_object_is_type(layer, json_type_int) || json_object_get_int64(layer) < 0 ||
            json_object_get_int64(layer) >= (int64_t)n_layers) {
            config_fail_element(&v->config, ASSAY_EFORMAT, INDICES, k,
                                "expected the index of one of %zu layers", n_layers);
            return false;
        }
        if (merger_of(list, k, (size_t)json_object_get_int64(layer)) != k) {
            config_fail_element(&v->config, ASSAY_EUNSUPPORTED, INDICES, k, "expected each layer once");
            return false;
        }
    }
    return true;
}

/* Features go to the decoder layers in the order of the tower's layers; the mergers are in the order of the
 * list. */
static void bind_deepstack(family_vision *v, const names *parts)
{
    plan_tower *tower = &v->own.plan->vision;
    json_object *list = config_member(&v->config, INDICES);
    if (!list)
        config_fail(&v->config, ASSAY_EFORMAT, "%s: missing, expected a list of layer indices", INDICES);
    if (!family_ok(&v->own) || !check_indices(v, list)) return;
    const size_t n = json_object_array_length(list);
    if (n > v->own.plan->n_layers)
        config_fail(&v->config, ASSAY_EUNSUPPORTED,
                    "%s: found %zu layers, but the language model has only %zu", INDICES, n,
                    v->own.plan->n_layers);
    if (n == 0 || !family_ok(&v->own)) return;
    tower->deepstack = calloc(n, sizeof *tower->deepstack);
    if (!tower->deepstack) {
        config_fail(&v->config, ASSAY_ENOMEM, "out of memory");
        return;
    }
    for (size_t layer = 0; layer < tower->n_layers; layer++) {
        char base[48];
        const size_t k = merger_of(list, n, layer);
        if (k == n) continue;
        (void)snprintf(base, sizeof base, "%s.%zu", parts->list, k);
        tower->deepstack[tower->n_deepstack++] =
            (plan_deepstack){.tower_layer = layer,
                             .merger = family_vision_merger(v, base, parts->norm, true, parts->first,
                                                            parts->second, FEATURES)};
    }
}

void family_qwen3_tower(family *f, const char *type, bool has_deepstack, size_t default_image,
                        size_t default_video)
{
    family_vision v;
    family_vision_begin_qwen(&v, f, type);
    plan_tower *tower = &f->plan->vision;
    v.norms = PLAN_LAYER_NORM;
    v.epsilon = 1e-6;
    family_vision_layers(&v, config_size(&v.config, "hidden_size"), "depth", "num_heads");
    v.intermediate = config_size(&v.config, "intermediate_size");
    v.activation = family_activation(&v.own, "hidden_act", "gelu_pytorch_tanh");
    family_vision_patches(&v, 16, true);
    family_vision_rope(&v, ROPE_SECTIONS_ROW_COLUMN, ROPE_PAIRS_HALF, 10000);
    if (family_ok(&v.own)) bind_table(&v);
    for (size_t i = 0; family_ok(&v.own) && i < tower->n_layers; i++) {
        family_vision_layer(&v, i);
        family_vision_mlp(&v, i, NULL, "linear_fc1", "linear_fc2");
    }
    const names *n = bind_exists(v.own.bind, "merger.ln_q.weight") ? &OMNI : &OWN;
    tower->merger = family_vision_merger(&v, "merger", n->norm, false, n->first, n->second, FEATURES);
    if (has_deepstack) bind_deepstack(&v, n);
    else config_refuse(&v.config, INDICES);
    family_vision_tokens(&v, default_image, default_video);
    tower->frames_apart = true;
    family_vision_end(&v);
}
