/* Moondream 3 (mlx-vlm, models/moondream3/language.py, vision.py and moondream3.py; transformers has no
 * class): one LayerNorm feeds attention and MLP in parallel; queries and values are scaled by token and
 * position; experts from some layer on. An image is seen whole and in crops, and its tokens follow the first
 * token of a sample, with which they form a block.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/family.h"
#include "model/formats/quantization.h"
#include "model/plan/bind_experts.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

/* The placeholder id that the published processor writes for an image; features replace its embedding. The
 * first token of every sample has the same id, and text may have it: the id does not tell where an image is.
 */
enum { IMAGE_TOKEN = 0 };

typedef struct moondream {
    family *f;
    config *text, *vision;
    size_t n_heads, head_dim, rope, intermediate, n_dense; /* n_dense: layers before the first with experts */
    bool has_bias;                                         /* of attention */
    double epsilon;
    plan_experts experts; /* their shape */
} moondream;

/* Sizes of the tower that only its binding needs. */
typedef struct tower_sizes {
    size_t n_heads, intermediate, projection;
    bool has_bias;
    double epsilon;
} tower_sizes;

static void add_rope(moondream *k, size_t dim, double theta)
{
    plan *p = k->f->plan;
    if (!family_ok(k->f)) return;
    if (dim % 2 != 0 || dim > k->head_dim) {
        config_fail_member(k->text, ASSAY_EFORMAT, "rope_dim",
                           "expected an even number of at most head_dim, %zu", k->head_dim);
        return;
    }
    rope *grown = grow_by_one(p->ropes, p->n_ropes, sizeof *grown);
    if (!grown) {
        config_fail(k->text, ASSAY_ENOMEM, "out of memory");
        return;
    }
    p->ropes = grown;
    k->rope = p->n_ropes++;
    p->ropes[k->rope] = (rope){.type = ROPE_DEFAULT,
                               .head_dim = k->head_dim,
                               .dim = dim,
                               .exponent_dim = dim,
                               .theta = theta,
                               .attention_factor = 1};
}

static void read_experts(moondream *k)
{
    config *c = k->text;
    k->experts = (plan_experts){.present = true,
                                .n_experts = config_size_or(c, "num_experts", 64),
                                .n_active = config_size_or(c, "num_experts_per_tok", 8),
                                .intermediate = config_size_or(c, "moe_intermediate_size", 1024),
                                .activation = ASSAY_GELU,
                                .gating.up_offset = 1,
                                .router_factor = 1,
                                .scoring = PLAN_SCORING_SOFTMAX,
                                .renormalize = true, /* the softmax over the chosen scores */
                                .share_factor = 1};
    k->n_dense = config_count_or(c, "moe_start_layer", 4);
    if (family_ok(k->f) && k->experts.n_active > k->experts.n_experts)
        config_fail(c, ASSAY_EFORMAT, "num_experts_per_tok: found %zu, expected at most the %zu experts",
                    k->experts.n_active, k->experts.n_experts);
}

static void read_sizes(moondream *k)
{
    config *c = k->text;
    plan *p = k->f->plan;
    p->vocab = p->n_token_ids = config_size_or(c, "vocab_size", 51200);
    p->hidden = config_size_or(c, "hidden_size", 2048);
    const size_t n_layers = config_size_or(c, "num_hidden_layers", 24);
    k->n_heads = config_size_or(c, "num_attention_heads", 32);
    const size_t n_kv_heads = config_size_or(c, "num_key_value_heads", 32);
    k->head_dim = config_size_or(c, "head_dim", 64);
    k->intermediate = config_size_or(c, "intermediate_size", 8192);
    k->has_bias = config_flag_or(c, "attention_bias", true);
    k->epsilon = config_not_negative_or(c, "rms_norm_eps", 1e-5);
    config_refuse(c, "tie_word_embeddings");
    config_refuse(k->f->config, "tie_word_embeddings");
    p->max_positions = config_size_or(c, "max_position_embeddings", 4096);
    p->embedding_scale = p->logit_factor = 1;
    add_rope(k, config_size_or(c, "rope_dim", 32), config_positive_or(c, "rope_theta", 1500000));
    read_experts(k);
    if (!family_ok(k->f)) return;
    if (n_kv_heads != k->n_heads)
        config_fail(c, ASSAY_EUNSUPPORTED,
                    "num_key_value_heads: found %zu, expected num_attention_heads, %zu, of which each scales "
                    "one head of values",
                    n_kv_heads, k->n_heads);
    p->layers = family_allocate_layers(k->f, c, "num_hidden_layers", n_layers, sizeof *p->layers);
    if (p->layers) p->n_layers = n_layers;
}

static plan_attention bind_attention(const moondream *k, size_t i)
{
    bind *b = k->f->bind;
    const size_t n = k->n_heads * k->head_dim, rows[] = {n, n, n};
    plan_attention a = {.n_heads = k->n_heads,
                        .n_kv_heads = k->n_heads,
                        .head_dim = k->head_dim,
                        .scale = 1 / sqrt((double)k->head_dim),
                        .mask = PLAN_MASK_BLOCKS,
                        .rope = k->rope,
                        .cache_layer = i,
                        .head_scale.present = true};
    bind_fused_linears(b, 3, rows, k->f->plan->hidden, k->has_bias, (plan_linear *const[]){&a.q, &a.k, &a.v},
                       "blocks.%zu.attn.qkv", i);
    a.o = bind_linear(b, k->f->plan->hidden, n, k->has_bias, "blocks.%zu.attn.proj", i);
    a.head_scale.q = bind_matrix(b, k->n_heads, 3 * n, "blocks.%zu.attn.tau.wq", i);
    a.head_scale.v = bind_matrix(b, k->n_heads, 3 * n, "blocks.%zu.attn.tau.wv", i);
    a.head_scale.alpha = bind_vector(b, k->n_heads, "blocks.%zu.attn.tau.alpha", i);
    return a;
}

static plan_experts bind_expert_parts(const moondream *k, size_t i)
{
    bind *b = k->f->bind;
    plan_experts x = k->experts;
    const plan_linear router =
        bind_linear(b, x.n_experts, k->f->plan->hidden, true, "blocks.%zu.mlp.router", i);
    x.router = router.weight;
    x.router_bias = router.bias;
    bind_stacked_experts(b, &x, k->f->plan->hidden, "blocks.%zu.mlp", i);
    return x;
}

static plan_mlp bind_mlp(bind *b, size_t width, size_t intermediate, const char *layers, size_t i)
{
    return (plan_mlp){.present = true,
                      .intermediate = intermediate,
                      .activation = ASSAY_GELU_TANH,
                      .up = bind_linear(b, intermediate, width, true, "%s.%zu.mlp.fc1", layers, i),
                      .down = bind_linear(b, width, intermediate, true, "%s.%zu.mlp.fc2", layers, i)};
}

static void bind_layers(moondream *k)
{
    bind *b = k->f->bind;
    plan *p = k->f->plan;
    for (size_t i = 0; family_ok(k->f) && i < p->n_layers; i++) {
        plan_layer *layer = &p->layers[i];
        *layer = (plan_layer){.mixer = {PLAN_MIXER_ATTENTION, .attention = bind_attention(k, i)},
                              .mixer_in = bind_layer_norm(b, p->hidden, k->epsilon, "blocks.%zu.ln", i),
                              .is_parallel = true,
                              .residual_factor = 1};
        if (i < k->n_dense) layer->mlp = bind_mlp(b, p->hidden, k->intermediate, "blocks", i);
        else layer->experts = bind_expert_parts(k, i);
    }
}

static void bind_ends(moondream *k)
{
    static const char *const PREFIXES[] = {"text.", "model.text."};
    bind *b = k->f->bind;
    plan *p = k->f->plan;
    bind_place inside;
    p->embedding = bind_matrix(b, p->vocab, p->hidden, bind_exists(b, "wte") ? "wte" : "wte.weight");
    p->norm = bind_layer_norm(b, p->hidden, k->epsilon, "post_ln");
    bind_enter(b, PREFIXES, 2, "lm_head.weight", &inside);
    const plan_linear head = bind_linear(b, p->vocab, p->hidden, true, "lm_head");
    p->head = head.weight;
    p->head_bias = head.bias;
    bind_leave(b, &inside);
    bind_ignore(b, k->text->notes, "region.", "it finds objects, and is not read for text");
    bind_ignore(b, k->text->notes, "model.region.", "it finds objects, and is not read for text");
}

/* Reads vision_config into the plan's tower. All crops have the same size, so that one table of positions
 * serves. */
static tower_sizes read_tower(moondream *k)
{
    config *c = k->vision;
    plan_tower *t = &k->f->plan->vision;
    *t = (plan_tower){.present = true,
                      .hidden = config_size_or(c, "hidden_size", 1152),
                      .patches = {.size = config_size_or(c, "patch_size", 14),
                                  .channels = config_size_or(c, "in_channels", 3),
                                  .frames = 1,
                                  .order = PLAN_PATCHES_RASTER,
                                  .pixel_factor = 1},
                      .pooling = {.side = 1, .factor = 1},
                      .kind = PLAN_TOWER_CROPS,
                      .crops = {.margin = config_count_or(c, "overlap_margin", 4)},
                      .merge = 1,
                      .image_token = IMAGE_TOKEN,
                      .n_leading = 1,
                      .video_token = -1,
                      .audio_token = -1};
    const size_t crop = config_size_or(c, "crop_size", 378);
    const size_t side = family_ok(k->f) ? crop / t->patches.size : 0;
    if (family_ok(k->f) && (side == 0 || crop % t->patches.size != 0 || 2 * t->crops.margin >= side))
        config_fail(c, ASSAY_EUNSUPPORTED,
                    "crop_size: found %zu, expected a multiple of patch_size (%zu) of more than 2 "
                    "overlap_margin (%zu) patches",
                    crop, t->patches.size, t->crops.margin);
    t->table = (plan_table){.kind = PLAN_TABLE_BILINEAR, .side = side};
    config_expect_size(c, "proj_out_dim", k->f->plan->hidden, "the language model's hidden_size");
    config_expect_size(k->text, "prefix_attn", side * side + 1, "the first token and those of an image");
    return (tower_sizes){.n_heads = config_size_or(c, "num_attention_heads", 16),
                         .intermediate = config_size_or(c, "intermediate_size", 4304),
                         .projection = config_size_or(c, "proj_inner_dim", 8192),
                         .has_bias = config_flag_or(c, "attention_bias", true),
                         .epsilon = config_not_negative_or(c, "layer_norm_eps", 1e-6)};
}

static void bind_tower_layer(moondream *k, const tower_sizes *e, size_t i)
{
    bind *b = k->f->bind;
    const plan_tower *t = &k->f->plan->vision;
    plan_tower_layer *layer = &t->layers[i];
    plan_attention *a = &layer->attention;
    const size_t d = t->hidden, rows[] = {d, d, d};
    *a = (plan_attention){.n_heads = e->n_heads,
                          .n_kv_heads = e->n_heads,
                          .head_dim = d / e->n_heads,
                          .scale = 1 / sqrt((double)(d / e->n_heads)),
                          .mask = PLAN_MASK_NONE,
                          .rope = PLAN_NONE,
                          .cache_layer = i};
    bind_fused_linears(b, 3, rows, d, e->has_bias, (plan_linear *const[]){&a->q, &a->k, &a->v},
                       "blocks.%zu.attn.qkv", i);
    a->o = bind_linear(b, d, d, e->has_bias, "blocks.%zu.attn.proj", i);
    layer->mixer_in = bind_layer_norm(b, d, e->epsilon, "blocks.%zu.ln1", i);
    layer->mlp_in = bind_layer_norm(b, d, e->epsilon, "blocks.%zu.ln2", i);
    layer->mlp = bind_mlp(b, d, e->intermediate, "blocks", i);
}

static void make_tower_layers(moondream *k, const tower_sizes *e)
{
    plan_tower *t = &k->f->plan->vision;
    const size_t n = config_size_or(k->vision, "num_hidden_layers", 27);
    if (!family_ok(k->f)) return;
    if (t->hidden % e->n_heads != 0)
        config_fail(k->vision, ASSAY_EFORMAT,
                    "num_attention_heads: found %zu, expected a divisor of hidden_size, %zu", e->n_heads,
                    t->hidden);
    t->layers = family_allocate_layers(k->f, k->vision, "num_hidden_layers", n, sizeof *t->layers);
    if (t->layers) t->n_layers = n;
    for (size_t i = 0; family_ok(k->f) && i < t->n_layers; i++) bind_tower_layer(k, e, i);
}

static void bind_tower(moondream *k, const tower_sizes *e)
{
    static const char *const TOWER[] = {"vision.encoder.", "vision.", "model.vision.encoder.",
                                        "model.vision."},
                             *const PROJECTION[] = {"vision.proj_mlp.", "model.vision.proj_mlp."};
    bind *b = k->f->bind;
    plan_tower *t = &k->f->plan->vision;
    const size_t n = t->table.side * t->table.side, out = k->f->plan->hidden;
    bind_place text;
    bind_enter(b, TOWER, sizeof TOWER / sizeof *TOWER, "patch_emb.weight", &text);
    t->patches.embed = bind_linear(b, t->hidden, plan_patches_width(&t->patches), true, "patch_emb");
    t->table.weight = bind_square_table(b, n, t->hidden, "pos_emb");
    make_tower_layers(k, e);
    t->out_norm = bind_layer_norm(b, t->hidden, e->epsilon, "post_ln");
    bind_leave(b, &text);
    bind_enter(b, PROJECTION, 2, "fc1.weight", &text);
    t->merger = (plan_merger){
        3,
        {{PLAN_MERGER_LINEAR, .linear = bind_linear(b, e->projection, 2 * t->hidden, true, "fc1")},
         {PLAN_MERGER_ACTIVATION, .activation = ASSAY_GELU_TANH},
         {PLAN_MERGER_LINEAR, .linear = bind_linear(b, out, e->projection, true, "fc2")}}};
    bind_leave(b, &text);
}

/* Begins the object `name` of `around`. If it is absent, it is an empty object, so that its members have the
 * defaults of the published class. */
static void begin_member(config *member, config *around, const char *name, const char *prefix,
                         json_object *defaults)
{
    if (config_has(around, name)) (void)config_begin_member(member, around, prefix);
    else config_begin_inside(member, around, prefix, defaults);
}

static void read_parts(moondream *k)
{
    plan *p = k->f->plan;
    quantization_read(k->f->config, &k->f->bind->rules);
    read_sizes(k);
    if (family_ok(k->f)) bind_ends(k);
    bind_layers(k);
    const tower_sizes e = read_tower(k);
    if (family_ok(k->f)) bind_tower(k, &e);
    p->blocks.of_image = true;
}

static void read_family(family *f)
{
    config text, vision;
    json_object *defaults = json_object_new_object();
    if (!defaults) {
        config_fail(f->config, ASSAY_ENOMEM, "out of memory");
        return;
    }
    begin_member(&text, f->config, "text_config", "text_config.", defaults);
    begin_member(&vision, f->config, "vision_config", "vision_config.", defaults);
    read_parts(&(moondream){.f = f, .text = &text, .vision = &vision});
    config_end(&vision);
    config_end(&text);
    json_object_put(defaults);
}

static const config_harmless_member UNREAD_MEMBERS[] = {
    {"config", "{}"},        /* options, of which mlx-vlm reads none */
    {"max_crops", NULL},     /* a limit of the processor */
    {"region_config", NULL}, /* the part that finds objects */
};
static const config_harmless_group UNREAD = {"is not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

const family_reader family_moondream3 = {
    .types = {{.model_type = "moondream3", .read = read_family}},
    .harmless = {&UNREAD},
};
