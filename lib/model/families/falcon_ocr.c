/* Falcon-OCR (mlx-vlm, models/falcon_ocr/language.py and falcon_ocr.py; transformers has no class): patches
 * are projected into the decoder, without a tower. RMSNorms without weights before attention and MLP, and of
 * each head; attention sinks; keys and values that are repeated before the ropes, of which one turns the
 * first half of a head by the position, the other the second half by the place of a patch; an MLP with relu²
 * as its gate.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/family.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

/* Names of tensors, as they are published and as mlx-vlm writes them. */
typedef struct names {
    const char *embedding, *head, *attention, *mlp;
    bool rows_alternate; /* the rows of gate and up, w13, take turns; otherwise those of gate come first */
} names;

typedef struct falcon {
    family *f;
    names names;
    size_t n_heads, n_kv_heads, head_dim, intermediate, rope;
    double epsilon;
} falcon;

static names spelling(const bind *b)
{
    if (bind_exists(b, "tok_embeddings.weight"))
        return (names){"tok_embeddings.weight", "output.weight", "attention", "feed_forward", true};
    return (names){"embed_tokens.weight", "lm_head.weight", "self_attn", "mlp", false};
}

/* The class takes the name of another one where the published is absent. */
static size_t read_size(config *c, const char *published, const char *other)
{
    return config_has(c, published) || !config_has(c, other) ? config_size(c, published)
                                                             : config_size(c, other);
}

static plan_norm weightless(const falcon *k, size_t width)
{
    return (plan_norm){.present = true, .epsilon = k->epsilon, .width = width};
}

static void read_sizes(falcon *k)
{
    config *c = k->f->config;
    plan *p = k->f->plan;
    p->vocab = p->n_token_ids = config_size(c, "vocab_size");
    p->hidden = read_size(c, "dim", "hidden_size");
    const size_t n_layers = read_size(c, "n_layers", "num_hidden_layers");
    k->n_heads = read_size(c, "n_heads", "num_attention_heads");
    k->n_kv_heads = read_size(c, "n_kv_heads", "num_key_value_heads");
    k->head_dim = config_size(c, "head_dim");
    k->intermediate = read_size(c, "ffn_dim", "intermediate_size");
    k->epsilon =
        config_has(c, "norm_eps") ? config_not_negative_or(c, "norm_eps", 1e-5) : family_epsilon(k->f, 1e-5);
    p->max_positions = read_size(c, "max_seq_len", "max_position_embeddings");
    p->embedding_scale = p->logit_factor = 1;
    config_refuse(c, "tie_word_embeddings");
    family_check_heads(k->f, k->n_heads, k->n_kv_heads);
    if (!family_ok(k->f)) return;
    if (k->head_dim % 4 != 0)
        config_fail(c, ASSAY_EFORMAT,
                    "head_dim: found %zu, expected a multiple of 4, of which each rope turns "
                    "one half",
                    k->head_dim);
    p->layers = family_allocate_layers(k->f, c, "n_layers", n_layers, sizeof *p->layers);
    if (p->layers) p->n_layers = n_layers;
}

/* The half of a head that turns by the position, and the frequencies of the other. */
static void read_ropes(falcon *k)
{
    plan *p = k->f->plan;
    const size_t dim = k->head_dim / 2;
    const double theta = config_positive_or(k->f->config, "rope_theta", 10000);
    rope *grown = family_ok(k->f) ? grow_by_one(p->ropes, p->n_ropes, sizeof *grown) : NULL;
    if (family_ok(k->f) && !grown) config_fail(k->f->config, ASSAY_ENOMEM, "out of memory");
    if (!grown) return;
    p->ropes = grown;
    k->rope = p->n_ropes++;
    p->ropes[k->rope] = (rope){.type = ROPE_DEFAULT,
                               .pairing = ROPE_PAIRS_ADJACENT,
                               .head_dim = k->head_dim,
                               .dim = dim,
                               .exponent_dim = dim,
                               .theta = theta,
                               .attention_factor = 1};
    p->plane_rope =
        (plan_plane_rope){.present = true,
                          .first = dim,
                          .dim = dim,
                          .frequency = bind_elements(k->f->bind, 3, (const size_t[]){k->n_heads, dim / 2, 2},
                                                     "freqs_cis_golden")};
}

static plan_attention bind_attention(const falcon *k, size_t i)
{
    bind *b = k->f->bind;
    const size_t q = k->n_heads * k->head_dim, kv = k->n_kv_heads * k->head_dim;
    plan_attention a = {.n_heads = k->n_heads,
                        .n_kv_heads = k->n_heads,
                        .head_dim = k->head_dim,
                        .scale = 1 / sqrt((double)k->head_dim),
                        .mask = PLAN_MASK_BLOCKS,
                        .rope = k->rope,
                        .cache_layer = i,
                        .q_norm = weightless(k, k->head_dim),
                        .k_norm = weightless(k, k->head_dim),
                        .kv_repeats = k->n_heads / k->n_kv_heads};
    bind_fused_linears(b, 3, (const size_t[]){q, kv, kv}, k->f->plan->hidden, false,
                       (plan_linear *const[]){&a.q, &a.k, &a.v}, "layers.%zu.%s.wqkv", i, k->names.attention);
    a.o = bind_linear(b, k->f->plan->hidden, q, false, "layers.%zu.%s.wo", i, k->names.attention);
    a.sinks = bind_vector(b, k->n_heads, "layers.%zu.%s.sinks", i, k->names.attention);
    return a;
}

static plan_mlp bind_mlp(const falcon *k, size_t i)
{
    bind *b = k->f->bind;
    const size_t n = k->intermediate, hidden = k->f->plan->hidden;
    plan_mlp m = {.present = true, .intermediate = n, .activation = ASSAY_RELU, .squares = true};
    const plan_weight both = bind_matrix(b, 2 * n, hidden, "layers.%zu.%s.w13.weight", i, k->names.mlp);
    if (k->names.rows_alternate) {
        m.gate.weight = bind_alternate_rows(&both, 0, 2);
        m.up.weight = bind_alternate_rows(&both, 1, 2);
    } else {
        m.gate.weight = bind_rows(&both, 0, n);
        m.up.weight = bind_rows(&both, n, n);
    }
    m.down = bind_linear(b, hidden, n, false, "layers.%zu.%s.w2", i, k->names.mlp);
    return m;
}

static void bind_layers(falcon *k)
{
    plan *p = k->f->plan;
    for (size_t i = 0; family_ok(k->f) && i < p->n_layers; i++)
        p->layers[i] = (plan_layer){.mixer = {PLAN_MIXER_ATTENTION, .attention = bind_attention(k, i)},
                                    .mixer_in = weightless(k, p->hidden),
                                    .mlp = bind_mlp(k, i),
                                    .mlp_in = weightless(k, p->hidden),
                                    .residual_factor = 1};
}

static void bind_ends(falcon *k)
{
    bind *b = k->f->bind;
    plan *p = k->f->plan;
    bind_place inside;
    p->embedding = bind_matrix(b, p->vocab, p->hidden, "%s", k->names.embedding);
    p->norm = bind_norm(b, p->hidden, k->epsilon, "norm");
    bind_ignore(b, k->f->config->notes, "cos_1d", "the rope's angles follow from the config");
    bind_ignore(b, k->f->config->notes, "sin_1d", "the rope's angles follow from the config");
    bind_enter(b, (const char *const[]){"", "language_model."}, 2, k->names.head, &inside);
    p->head = bind_matrix(b, p->vocab, p->hidden, "%s", k->names.head);
    bind_leave(b, &inside);
}

static int32_t read_token(falcon *k, const char *name, size_t fallback)
{
    const size_t id = config_count_or(k->f->config, name, fallback);
    if (family_ok(k->f) && id >= k->f->plan->vocab)
        config_fail(k->f->config, ASSAY_EFORMAT, "%s: found %zu, expected an id below vocab_size (%zu)", name,
                    id, k->f->plan->vocab);
    return (int32_t)id;
}

/* An image is a block: its class token, its registers, and one token for each patch. The token after it,
 * which has a name, too, shares its position. */
static void read_tokens(falcon *k)
{
    static const struct {
        const char *name;
        size_t published;
    } INSIDE[] = {{"img_id", 227},
                  {"image_cls_token_id", 244},
                  {"image_reg_1_token_id", 245},
                  {"image_reg_2_token_id", 246},
                  {"image_reg_3_token_id", 247},
                  {"image_reg_4_token_id", 248}};
    plan *p = k->f->plan;
    for (size_t i = 0; i < sizeof INSIDE / sizeof *INSIDE; i++)
        p->blocks.id[p->blocks.n++] = read_token(k, INSIDE[i].name, INSIDE[i].published);
    p->vision.image_token = p->blocks.id[0];
    p->positions = PLAN_POSITIONS_BLOCK;
    const int32_t end = read_token(k, "img_end_id", 230);
    for (size_t i = 0; family_ok(k->f) && i < p->blocks.n; i++)
        if (p->blocks.id[i] == end)
            config_fail(k->f->config, ASSAY_EUNSUPPORTED, "img_end_id: found %d, expected another id than %s",
                        end, INSIDE[i].name);
}

static void bind_projector(falcon *k)
{
    config *c = k->f->config;
    plan *p = k->f->plan;
    p->vision = (plan_tower){
        .present = true,
        .hidden = p->hidden,
        .patches = {.size = config_size_or(c, "spatial_patch_size", 16),
                    .channels = config_size_or(c, "channel_size", 3),
                    .frames = config_size_or(c, "temporal_patch_size", 1),
                    .order = PLAN_PATCHES_RASTER,
                    .pixel_factor = 1},
        .pooling = {.side = 1, .factor = 1},
        .merge = 1,
        .image_token = -1,
        .video_token = -1,
    };
    plan_patches *patches = &p->vision.patches;
    if (family_ok(k->f) && patches->frames != 1)
        config_fail_member(c, ASSAY_EUNSUPPORTED, "temporal_patch_size",
                           "expected 1: the published class has no more pixels of an image");
    if (family_ok(k->f))
        patches->embed =
            bind_linear(k->f->bind, p->hidden, plan_patches_width(patches), false, "img_projector");
}

static void read_family(family *f)
{
    falcon k = {.f = f, .names = spelling(f->bind)};
    read_sizes(&k);
    read_ropes(&k);
    if (family_ok(f)) bind_ends(&k);
    bind_layers(&k);
    if (family_ok(f)) bind_projector(&k);
    read_tokens(&k);
}

/* In the published file, but not read by the class: stop ids are in eos_token_id. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"eos_id", NULL},
};
static const config_harmless_group UNREAD = {"is not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

const family_reader family_falcon_ocr = {
    .types = {{.model_type = "falcon_ocr", .read = read_family}},
    .harmless = {&UNREAD},
};
