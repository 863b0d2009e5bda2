/* Gemma 4's tower (transformers, models/gemma4/modeling_gemma4.py: Gemma4VisionModel,
 * Gemma4MultimodalEmbedder): patches row by row, positions of each axis, four norms a layer, products with
 * limits, pooling.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/gemma4_vision.h"

#include <math.h>
#include <stdio.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/vision.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_tensor.h"
#include "model/plan/bind_vector.h"

#define LAYER "vision_tower.encoder.layers.%zu."

static const char PROBE[] = "vision_tower.patch_embedder.input_proj.weight";
static const char *const PREFIXES[] = {"model.", ""};

enum { N_PREFIXES = sizeof PREFIXES / sizeof *PREFIXES };

typedef struct gemma4_vision {
    family_vision v;
    plan_tower *tower;
    size_t n_kv_heads;
    bool clamps;
} gemma4_vision;

/* A product of layer i (Gemma4ClippableLinear). */
static plan_linear bind_product(gemma4_vision *g, size_t i, size_t rows, size_t cols, const char *name)
{
    bind *b = g->v.own.bind;
    plan_linear linear = bind_linear(b, rows, cols, false, LAYER "%s.linear", i, name);
    if (!g->clamps) return linear;
    plan_clamp *c = &linear.clamp;
    c->present = true;
    c->input_min = bind_scalar(b, LAYER "%s.input_min", i, name);
    c->input_max = bind_scalar(b, LAYER "%s.input_max", i, name);
    c->output_min = bind_scalar(b, LAYER "%s.output_min", i, name);
    c->output_max = bind_scalar(b, LAYER "%s.output_max", i, name);
    if (b->status == ASSAY_OK && (c->input_min > c->input_max || c->output_min > c->output_max))
        bind_fail(b, ASSAY_EFORMAT,
                  "tensor '%s': found limits %g to %g of its input and %g to %g of its output, "
                  "expected each minimum to be at most its maximum",
                  linear.weight.name, c->input_min, c->input_max, c->output_min, c->output_max);
    return linear;
}

static plan_norm layer_norm(gemma4_vision *g, size_t i, size_t width, const char *name)
{
    return bind_norm(g->v.own.bind, width, g->v.epsilon, LAYER "%s", i, name);
}

static void bind_layer(gemma4_vision *g, size_t i)
{
    const size_t d = g->tower->hidden, inner = g->v.intermediate, head_dim = g->v.head_dim;
    const size_t q = g->v.n_heads * head_dim, kv = g->n_kv_heads * head_dim;
    g->tower->layers[i] = (plan_tower_layer){
        .mixer_in = layer_norm(g, i, d, "input_layernorm"),
        .mixer_out = layer_norm(g, i, d, "post_attention_layernorm"),
        .mlp_in = layer_norm(g, i, d, "pre_feedforward_layernorm"),
        .mlp_out = layer_norm(g, i, d, "post_feedforward_layernorm"),
        .attention = {.n_heads = g->v.n_heads,
                      .n_kv_heads = g->n_kv_heads,
                      .head_dim = head_dim,
                      .scale = 1,
                      .mask = PLAN_MASK_NONE,
                      .cache_layer = i,
                      .q = bind_product(g, i, q, d, "self_attn.q_proj"),
                      .k = bind_product(g, i, kv, d, "self_attn.k_proj"),
                      .v = bind_product(g, i, kv, d, "self_attn.v_proj"),
                      .o = bind_product(g, i, d, q, "self_attn.o_proj"),
                      .q_norm = layer_norm(g, i, head_dim, "self_attn.q_norm"),
                      .k_norm = layer_norm(g, i, head_dim, "self_attn.k_norm"),
                      .v_norm = {.present = true, .epsilon = g->v.epsilon, .width = head_dim}},
        .mlp = {.present = true,
                .intermediate = inner,
                .activation = g->v.activation,
                .gate = bind_product(g, i, inner, d, "mlp.gate_proj"),
                .up = bind_product(g, i, inner, d, "mlp.up_proj"),
                .down = bind_product(g, i, d, inner, "mlp.down_proj")}};
}

static void bind_patch_embedder(gemma4_vision *g)
{
    bind *b = g->v.own.bind;
    plan_tower *t = g->tower;
    const size_t side = config_size_or(&g->v.config, "position_embedding_size", 10240);
    t->patches = (plan_patches){.size = config_size_or(&g->v.config, "patch_size", 16),
                                .channels = 3,
                                .frames = 1,
                                .order = PLAN_PATCHES_RASTER,
                                .pixel_factor = 2,
                                .pixel_offset = -1};
    if (!family_ok(&g->v.own)) return;
    t->patches.embed = bind_linear(b, t->hidden, 3 * t->patches.size * t->patches.size, false,
                                   "vision_tower.patch_embedder.input_proj");
    char name[BIND_NAME_MAX];
    const size_t shape[] = {2, side, t->hidden};
    (void)snprintf(name, sizeof name, "%svision_tower.patch_embedder.position_embedding_table", b->prefix);
    t->table = (plan_table){.kind = PLAN_TABLE_AXES, .side = side};
    t->table.weight =
        bind_tensor_weight(b, bind_tensor_take(b, name, BIND_FLOATS, 3, shape, ""), 2 * side, t->hidden);
}

static void bind_pooling(gemma4_vision *g)
{
    bind *b = g->v.own.bind;
    plan_tower *t = g->tower;
    t->pooling = (plan_pooling){.side = config_size_or(&g->v.config, "pooling_kernel_size", 3),
                                .factor = sqrt((double)t->hidden)};
    if (config_flag_or(&g->v.config, "standardize", false)) {
        t->pooling.bias = bind_vector(b, t->hidden, "vision_tower.std_bias");
        t->pooling.scale = bind_vector(b, t->hidden, "vision_tower.std_scale");
    }
    t->merger = (plan_merger){
        2,
        {{PLAN_MERGER_NORM, .norm = {.present = true, .epsilon = g->v.epsilon, .width = t->hidden}},
         {PLAN_MERGER_LINEAR, .linear = bind_linear(b, g->v.own.plan->hidden, t->hidden, false,
                                                    "embed_vision.embedding_projection")}}};
}

static void read_shape(gemma4_vision *g)
{
    family_vision *v = &g->v;
    config *c = &v->config;
    v->head_dim = config_size(c, "head_dim");
    family_vision_layers(v, config_size(c, "hidden_size"), "num_hidden_layers", "num_attention_heads");
    v->intermediate = config_size(c, "intermediate_size");
    v->activation = family_activation(&v->own, "hidden_activation", "gelu_pytorch_tanh");
    v->epsilon = family_epsilon(&v->own, 1e-6);
    g->n_kv_heads = config_size(c, "num_key_value_heads");
    g->clamps = config_flag_or(c, "use_clipped_linears", false);
    if (family_ok(&v->own)) family_check_heads(&v->own, v->n_heads, g->n_kv_heads);
}

void family_gemma4_tower(family *f, int32_t image_token)
{
    if (!f->outer || !config_has(f->outer, "vision_config") || !family_ok(f)) return;
    if (!family_vision_is_stored(f, PREFIXES, N_PREFIXES, PROBE)) {
        config_note(f->outer->notes, "vision_config: the checkpoint has no tower, images are not read");
        return;
    }
    gemma4_vision g;
    family_vision_begin(&g.v, f, "gemma4_vision", PREFIXES, N_PREFIXES, PROBE);
    g.tower = &f->plan->vision;
    read_shape(&g);
    family_vision_rope(&g.v, ROPE_SECTIONS_COLUMN_ROW, ROPE_PAIRS_QUARTER, 100);
    bind_patch_embedder(&g);
    for (size_t i = 0; family_ok(&g.v.own) && i < g.tower->n_layers; i++) bind_layer(&g, i);
    if (family_ok(&g.v.own)) bind_pooling(&g);
    g.tower->image_token = image_token;
    g.tower->takes_places = true;
    family_vision_end(&g.v);
}
