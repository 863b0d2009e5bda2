/* Gemma 4, whose tower is in gemma4_vision (transformers, models/gemma4/modeling_gemma4.py). RMSNorm
 * multiplies by w (not 1 + w), attention is not scaled, full and sliding layers differ in head size,
 * key/value heads and RoPE.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/family.h"
#include "model/families/parts/gemma4_gguf.h"
#include "model/families/parts/gemma4_vision.h"
#include "model/families/parts/gemma_parts.h"
#include "model/families/parts/harmless.h"
#include "model/plan/bind_experts.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

/* Parameters that may differ between layers. */
typedef struct layer_shape {
    bool sliding;
    size_t head_dim, n_kv_heads;
    size_t producer; /* layer whose keys and values it uses */
} layer_shape;

typedef struct gemma4 {
    family *f;
    layer_shape *layers; /* [n_layers] */
    family_decoder d;    /* of all layers */
    size_t window, width;
    size_t rope[2]; /* full, sliding */
    bool k_eq_v, double_wide, has_blocks;
    size_t first_shared;
    int32_t image_token;  /* -1: none */
    plan_experts experts; /* shape of the experts of each layer; not present: dense only */
} gemma4;

static void read_types(gemma4 *g)
{
    size_t n = g->f->plan->n_layers, n_shared;
    config *c = g->f->config;
    bool *sliding = calloc(n, sizeof *sliding);
    size_t *producer = calloc(n, sizeof *producer);
    if (!sliding || !producer) config_fail(c, ASSAY_ENOMEM, "out of memory");
    if (family_ok(g->f) && !family_layer_types(g->f, sliding)) {
        config_refuse(c, "sliding_window_pattern");
        config_note(c->notes, "%slayer_types: absent, every sixth layer is taken as full", c->prefix);
        for (size_t i = 0; i < n; i++) sliding[i] = (i + 1) % 6 != 0;
    }
    if (family_ok(g->f) && sliding[n - 1]) {
        config_note(c->notes, "%slayer_types: the last layer is always full_attention, as published",
                    c->prefix);
        sliding[n - 1] = false;
    }
    n_shared = config_count_or(c, "num_kv_shared_layers", 0);
    if (family_ok(g->f)) family_gemma_producers(g->f, sliding, n_shared, producer);
    g->first_shared = n - n_shared;
    for (size_t i = 0; family_ok(g->f) && i < n; i++)
        g->layers[i] = (layer_shape){.sliding = sliding[i], .producer = producer[i]};
    free(sliding);
    free(producer);
}

/* per_layer_config: {"5": {"head_dim": 12, "num_key_value_heads": 1}, …} */
static void read_override(gemma4 *g, const char *key, json_object *members)
{
    config *c = g->f->config, d;
    char index[24], prefix[80];
    unsigned long i = strtoul(key, NULL, 10);
    (void)snprintf(index, sizeof index, "%lu", i);
    if (strcmp(index, key) != 0 || i >= g->f->plan->n_layers) { /* "01" would be layer 1 a second time */
        config_fail(c, ASSAY_EFORMAT, "per_layer_config.%.20s: expected the index of one of %zu layers", key,
                    g->f->plan->n_layers);
        return;
    }
    (void)snprintf(prefix, sizeof prefix, "%sper_layer_config.%s.", c->prefix, index);
    config_begin_inside(&d, c, prefix, members);
    if (config_has(&d, "head_dim")) g->layers[i].head_dim = config_size(&d, "head_dim");
    if (config_has(&d, "num_key_value_heads"))
        g->layers[i].n_kv_heads = config_size(&d, "num_key_value_heads");
    config_end_strict(&d, "but only head_dim and num_key_value_heads vary by layer");
}

/* Head sizes and key/value heads, from per_layer_config or from the older global_ members. */
static void read_heads(gemma4 *g)
{
    config *c = g->f->config;
    size_t head_dim = config_size(c, "head_dim"), n_kv = config_size(c, "num_key_value_heads");
    json_object *overrides = config_member(c, "per_layer_config");
    bool has_dim = config_has(c, "global_head_dim"), has_kv = config_has(c, "num_global_key_value_heads");
    size_t global_dim = has_dim || !overrides ? config_size_or(c, "global_head_dim", 512) : head_dim;
    size_t global_kv = has_kv ? config_size(c, "num_global_key_value_heads") : n_kv;
    /* The published class reads neither if there is a per_layer_config, and the second only with k = v. */
    if (overrides) global_dim = head_dim;
    if (overrides || !g->k_eq_v) global_kv = n_kv;
    if (overrides && !json_object_is_type(overrides, json_type_object))
        config_fail_member(c, ASSAY_EFORMAT, "per_layer_config", "expected an object");
    for (size_t i = 0; family_ok(g->f) && i < g->f->plan->n_layers; i++) {
        g->layers[i].head_dim = g->layers[i].sliding ? head_dim : global_dim;
        g->layers[i].n_kv_heads = g->layers[i].sliding ? n_kv : global_kv;
    }
    if (!overrides || !family_ok(g->f)) return;
    struct json_object_iterator at = json_object_iter_begin(overrides), end = json_object_iter_end(overrides);
    for (; family_ok(g->f) && !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
        read_override(g, json_object_iter_peek_name(&at), json_object_iter_peek_value(&at));
}

/* One rope per layer type, so all layers of a type must agree on the head size. */
static void read_ropes(gemma4 *g)
{
    config *c = g->f->config;
    bool stated = config_has(c, "rope_parameters");
    for (int sliding = 0; sliding < 2; sliding++) {
        size_t head_dim = 0;
        for (size_t i = 0; family_ok(g->f) && i < g->f->plan->n_layers; i++) {
            const layer_shape *s = &g->layers[i];
            if (s->sliding != (bool)sliding) continue;
            if (head_dim && head_dim != s->head_dim)
                config_fail(c, ASSAY_EUNSUPPORTED,
                            "per_layer_config.%zu.head_dim: found %zu, but another layer of "
                            "its type has %zu",
                            i, s->head_dim, head_dim);
            if (g->d.n_heads % s->n_kv_heads != 0)
                config_fail(c, ASSAY_EFORMAT,
                            "num_key_value_heads: found %zu in layer %zu, expected a divisor of the "
                            "%zu heads",
                            s->n_kv_heads, i, g->d.n_heads);
            head_dim = s->head_dim;
        }
        if (!head_dim || !family_ok(g->f)) continue;
        config_rope_request request = {.layer_type = sliding ? "sliding_attention" : "full_attention",
                                       .head_dim = head_dim,
                                       .default_theta = stated    ? 0
                                                        : sliding ? 10000
                                                                  : 1000000};
        if (!stated && !sliding) {
            request.default_type = "proportional";
            request.default_partial = 0.25;
        }
        g->rope[sliding] = family_rope(g->f, &request);
    }
    config_rope_end(c);
}

static void read_experts(gemma4 *g)
{
    config *c = g->f->config;
    plan_experts x = {.present = config_flag_or(c, "enable_moe_block", false)};
    (void)config_has(c, "num_experts"); /* written even without experts, as are the next two */
    (void)config_has(c, "top_k_experts");
    (void)config_has(c, "moe_intermediate_size");
    if (!x.present || !family_ok(g->f)) return;
    x.n_experts = config_size(c, "num_experts");
    x.n_active = config_size(c, "top_k_experts");
    x.intermediate = config_size(c, "moe_intermediate_size");
    x.activation = g->d.activation;
    x.routes_residual = true;
    x.router_norm = (plan_norm){.present = true, .epsilon = g->d.epsilon, .width = g->f->plan->hidden};
    x.router_factor = 1 / sqrt((double)g->f->plan->hidden);
    x.share_factor = 1;
    x.renormalize = true;
    if (c->status == ASSAY_OK && x.n_active > x.n_experts)
        config_fail(c, ASSAY_EFORMAT, "top_k_experts: found %zu, expected at most the %zu experts",
                    x.n_active, x.n_experts);
    g->experts = x;
}

/* use_bidirectional_attention: with "vision" the tokens of images and videos are blocks in sliding layers
 * (create_masks_for_vision_model, get_block_sequence_ids_for_mask); "all" is a different model. */
static void read_direction(gemma4 *g)
{
    static const char NAME[] = "use_bidirectional_attention";
    if (!config_has(g->f->config, NAME)) return;
    if (strcmp(config_text(g->f->config, NAME), "vision") == 0) g->has_blocks = true;
    else config_fail_member(g->f->config, ASSAY_EUNSUPPORTED, NAME, "expected null or \"vision\"");
}

/* Placeholder ids of images, audio and video are embedded as padding if no embedding replaces them. A text
 * checkpoint has none, nor blocks: Gemma4ForCausalLM knows no kinds of tokens. */
static void read_placeholders(gemma4 *g)
{
    static const struct {
        const char *member;
        size_t published; /* the default */
        bool is_vision;
    } IDS[] = {{"image_token_id", 258880, true},
               {"audio_token_id", 258881, false},
               {"video_token_id", 258884, true}};
    family *f = g->f;
    plan_placeholders *p = &f->plan->placeholders;
    plan_blocks *blocks = &f->plan->blocks;
    if (!f->outer) return;
    for (size_t i = 0; i < sizeof IDS / sizeof *IDS; i++) {
        if (config_is_null(f->outer, IDS[i].member)) continue;
        p->id[p->n] = (int32_t)config_count_or(f->outer, IDS[i].member, IDS[i].published);
        if (i == 0) g->image_token = p->id[p->n];
        if (g->has_blocks && IDS[i].is_vision) blocks->id[blocks->n++] = p->id[p->n];
        p->n++;
    }
    p->embeds_as = (int32_t)config_count_or(f->config, "pad_token_id", 0);
    if (family_ok(f) && (size_t)p->embeds_as >= f->plan->vocab)
        config_fail(f->config, ASSAY_EFORMAT, "pad_token_id: found %d, expected an id below vocab_size (%zu)",
                    p->embeds_as, f->plan->vocab);
}

static void read_all(gemma4 *g)
{
    family *f = g->f;
    config *c = f->config;
    g->d = family_gemma_decoder(f);
    if (!family_ok(f)) return;
    g->layers = calloc(f->plan->n_layers, sizeof *g->layers);
    if (!g->layers) config_fail(c, ASSAY_ENOMEM, "out of memory");
    g->d.intermediate = config_size(c, "intermediate_size");
    g->k_eq_v = config_flag_or(c, "attention_k_eq_v", false);
    g->double_wide = config_flag_or(c, "use_double_wide_mlp", false);
    g->window = config_size(c, "sliding_window");
    g->width = config_count_or(c, "hidden_size_per_layer_input", 256);
    f->plan->soft_cap = family_cap(f, "final_logit_softcapping", 0);
    read_direction(g);
    if (family_ok(f)) read_types(g);
    if (family_ok(f)) read_heads(g);
    if (family_ok(f)) read_ropes(g);
    read_experts(g);
    read_placeholders(g);
}

static plan_norm layer_norm(gemma4 *g, size_t i, const char *name)
{
    return family_gemma_norm(g->f, i, g->d.epsilon, name);
}

static void bind_layer_experts(gemma4 *g, size_t i)
{
    char base[64], stacked[64];
    bind *b = g->f->bind;
    plan_layer *layer = &g->f->plan->layers[i];
    plan_experts *x = &layer->experts;
    *x = g->experts;
    layer->mlp_dense_out = layer_norm(g, i, "post_feedforward_layernorm_1");
    layer->experts_in = layer_norm(g, i, "pre_feedforward_layernorm_2");
    layer->experts_out = layer_norm(g, i, "post_feedforward_layernorm_2");
    x->router = bind_matrix(b, x->n_experts, g->f->plan->hidden, "layers.%zu.router.proj.weight", i);
    x->router_scale = bind_vector(b, g->f->plan->hidden, "layers.%zu.router.scale", i);
    x->expert_scale = bind_vector(b, x->n_experts, "layers.%zu.router.per_expert_scale", i);
    (void)snprintf(base, sizeof base, "layers.%zu.experts", i);
    (void)snprintf(stacked, sizeof stacked, "layers.%zu.experts.switch_glu", i);
    bind_experts(b, x, g->f->plan->hidden, 0, base, stacked);
}

static void bind_layer(gemma4 *g, size_t i)
{
    family *f = g->f;
    plan_layer *layer = &f->plan->layers[i];
    const layer_shape *s = &g->layers[i];
    family_decoder d = g->d;
    d.n_kv_heads = s->n_kv_heads;
    d.head_dim = s->head_dim;
    d.rope = g->rope[s->sliding];
    d.producer = s->producer;
    d.value_is_key = g->k_eq_v && !s->sliding;
    if (g->double_wide && i >= g->first_shared) d.intermediate *= 2;
    layer->mixer.attention.window = s->sliding ? g->window : 0;
    family_decoder_attention(f, &d, i);
    if (s->sliding && f->plan->blocks.n) layer->mixer.attention.mask = PLAN_MASK_BLOCKS;
    family_decoder_mlp(f, &d, i);
    layer->scalar = bind_vector(f->bind, 1, "layers.%zu.layer_scalar", i);
    if (g->experts.present) bind_layer_experts(g, i);
    if (g->width) layer->layer_input = family_gemma_input(f, i, g->width, g->d.epsilon, g->d.activation);
}

static void bind_inputs(gemma4 *g)
{
    plan *p = g->f->plan;
    size_t rows = config_size_or(g->f->config, "vocab_size_per_layer_input", 262144);
    family_gemma_inputs(g->f, g->width, rows, g->d.epsilon);
    if (rows < p->n_token_ids) p->n_token_ids = rows; /* upstream has no row for larger ids */
}

static void read_family(family *f)
{
    gemma4 g = {.f = f, .image_token = -1};
    read_all(&g);
    if (family_ok(f)) {
        f->plan->embedding_scale = sqrt((double)f->plan->hidden);
        if (g.width) bind_inputs(&g);
        (void)config_has(f->config, "vocab_size_per_layer_input"); /* written even without per-layer inputs */
    }
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) bind_layer(&g, i);
    family_gemma4_tower(f, g.image_token);
    free(g.layers);
}

/* In published files, but not read by the class: of other programs, and a size of heads that no layer has. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"default_output_length", NULL},
    {"global_head_dim", NULL},
};
static const config_harmless_group UNREAD = {"is not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS), .of = "gemma4_vision"};

const family_reader family_gemma4 = {
    .types = {{.model_type = "gemma4_text", .read = read_family, .gguf = &family_gemma4_gguf},
              {.model_type = "gemma4", .read = read_family, .text_type = "gemma4_text"}},
    .harmless = {&UNREAD, &family_harmless_media},
};
