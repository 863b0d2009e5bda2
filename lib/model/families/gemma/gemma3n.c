/* Gemma 3n (transformers, models/gemma3n/modeling_gemma3n.py): AltUp, LAuReL, per-layer
 * embeddings, activation sparsity, KV sharing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/family.h"
#include "model/families/parts/gemma3n_vision.h"
#include "model/families/parts/gemma_parts.h"
#include "model/families/parts/harmless.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

typedef struct gemma3n {
    family *f;
    family_decoder d; /* of all layers */
    size_t window, width, rank, streams;
    size_t rope[2];      /* full, sliding */
    size_t audio_offset; /* the first id of audio clips; in a multimodal model */
    bool scales_output;
    bool *sliding;        /* [n_layers] */
    size_t *producer;     /* [n_layers] */
    size_t *intermediate; /* [n_layers] */
    double *sparsity;     /* [n_layers] */
} gemma3n;

/* Φ⁻¹(p), 0 < p < 1, the quantile of the normal distribution. Newton's method on erfc, from an
 * approximation accurate to a few digits (Abramowitz & Stegun 26.2.23). */
static double normal_quantile(double p)
{
    double tail = p < 0.5 ? p : 1 - p, t = sqrt(-2 * log(tail));
    double x = t - (2.515517 + 0.802853 * t + 0.010328 * t * t) /
                       (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
    for (int i = 0; i < 8; i++) {
        double excess = 0.5 * erfc(x / sqrt(2)) - tail;
        x += excess * sqrt(2 * acos(-1)) * exp(x * x / 2);
    }
    return p < 0.5 ? -x : x;
}

static void allocate_layers(gemma3n *g)
{
    size_t n = g->f->plan->n_layers;
    g->sliding = calloc(n, sizeof *g->sliding);
    g->producer = calloc(n, sizeof *g->producer);
    g->intermediate = calloc(n, sizeof *g->intermediate);
    g->sparsity = calloc(n, sizeof *g->sparsity);
    if (!g->sliding || !g->producer || !g->intermediate || !g->sparsity)
        config_fail(g->f->config, ASSAY_ENOMEM, "out of memory");
}

static void read_lists(gemma3n *g)
{
    config *c = g->f->config;
    size_t n = g->f->plan->n_layers;
    if (!family_layer_types(g->f, g->sliding)) {
        config_note(c->notes, "%slayer_types: absent, every fifth layer is taken as full", c->prefix);
        for (size_t i = 0; i < n; i++) g->sliding[i] = (i + 1) % 5 != 0;
    }
    if (!config_sizes(c, "intermediate_size", true, g->intermediate, n))
        config_fail(c, ASSAY_EFORMAT, "intermediate_size: missing, expected one or %zu positive integers", n);
    if (!config_reals(c, "activation_sparsity_pattern", false, g->sparsity, n)) {
        config_note(c->notes, "%sactivation_sparsity_pattern: absent, the published default taken",
                    c->prefix);
        for (size_t i = 0; i < n; i++) g->sparsity[i] = n > 10 && i < 10 ? 0.95 : 0;
    }
    for (size_t i = 0; i < n; i++)
        if (!(g->sparsity[i] >= 0 && g->sparsity[i] < 1))
            config_fail_element(c, ASSAY_EFORMAT, "activation_sparsity_pattern", i,
                                "expected 0 or more, less than 1");
}

static void read_ropes(gemma3n *g)
{
    family_decoder full = g->d, sliding = g->d;
    family_two_ropes(g->f, 1000000, 10000, "rope_local_base_freq", &full, &sliding);
    g->rope[0] = full.rope;
    g->rope[1] = sliding.rope;
}

/* The first id of an embedding table besides that of text. */
static size_t read_offset(family *f, const char *member, const char *prefix, size_t fallback)
{
    config d;
    json_object *table = config_member(f->outer, member);
    if (!table) return fallback;
    config_begin_inside(&d, f->outer, prefix, table);
    const size_t offset = config_count_or(&d, "vocab_offset", fallback);
    config_drop(&d);
    return offset;
}

/* In the multimodal model the highest ids belong to the embedding tables of images and audio. */
static void read_text_ids(gemma3n *g)
{
    family *f = g->f;
    if (!f->outer) return;
    const size_t vision = read_offset(f, "vision_config", "vision_config.", 262144);
    g->audio_offset = read_offset(f, "audio_config", "audio_config.", 262144 + 128);
    const size_t offset = vision < g->audio_offset ? vision : g->audio_offset;
    if (offset > 0 && offset < f->plan->n_token_ids) f->plan->n_token_ids = offset;
}

static void read_streams(gemma3n *g)
{
    config *c = g->f->config;
    plan_streams *s = &g->f->plan->streams;
    s->n = config_size_or(c, "altup_num_inputs", 4);
    s->active = config_count_or(c, "altup_active_idx", 0);
    g->scales_output = config_flag_or(c, "altup_correct_scale", true);
    if (family_ok(g->f) && s->active >= s->n)
        config_fail(c, ASSAY_EFORMAT, "altup_active_idx: found %zu, expected less than the %zu inputs",
                    s->active, s->n);
    size_t n_tensors = weights_count(g->f->bind->weights);
    if (s->n > n_tensors)
        config_fail(c, ASSAY_EFORMAT, "altup_num_inputs: found %zu, but the checkpoint has only %zu tensors",
                    s->n, n_tensors);
    if (!family_ok(g->f)) return;
    s->projection = calloc(s->n, sizeof *s->projection);
    s->unprojection = calloc(s->n, sizeof *s->unprojection);
    if (!s->projection || !s->unprojection) config_fail(c, ASSAY_ENOMEM, "out of memory");
    size_t d = g->f->plan->hidden;
    for (size_t i = 0; family_ok(g->f) && i + 1 < s->n; i++) {
        s->projection[i] = bind_matrix(g->f->bind, d, d, "altup_projections.%zu.weight", i);
        s->unprojection[i] = bind_matrix(g->f->bind, d, d, "altup_unembed_projections.%zu.weight", i);
    }
}

static void read_all(gemma3n *g)
{
    family *f = g->f;
    config *c = f->config;
    g->d = family_gemma_decoder(f);
    if (family_ok(f)) allocate_layers(g);
    g->d.n_kv_heads = config_size(c, "num_key_value_heads");
    g->d.head_dim = config_size(c, "head_dim");
    g->window = config_size(c, "sliding_window");
    g->width = config_size(c, "hidden_size_per_layer_input");
    g->rank = config_size(c, "laurel_rank");
    f->plan->soft_cap = family_cap(f, "final_logit_softcapping", 30);
    config_refuse(c, "per_layer_config");
    config_refuse(c, "use_bidirectional_attention");
    size_t n_shared = config_count_or(c, "num_kv_shared_layers", 15);
    if (!family_ok(f)) return;
    family_check_heads(f, g->d.n_heads, g->d.n_kv_heads);
    read_lists(g);
    if (family_ok(f)) family_gemma_producers(f, g->sliding, n_shared, g->producer);
    read_ropes(g);
    read_streams(g);
    read_text_ids(g);
}

static plan_norm layer_norm(gemma3n *g, size_t i, const char *name)
{
    return family_gemma_norm(g->f, i, g->d.epsilon, name);
}

static plan_altup bind_altup(gemma3n *g, size_t i)
{
    bind *b = g->f->bind;
    size_t hidden = g->f->plan->hidden, s = g->f->plan->streams.n;
    plan_altup a = {
        .present = true,
        .router_norm = layer_norm(g, i, "altup.router_norm"),
        .router_factor = 1 / (double)hidden,
        .router = bind_matrix(b, s, hidden, "layers.%zu.altup.modality_router.weight", i),
        .prediction = bind_matrix(b, s * s, s, "layers.%zu.altup.prediction_coefs.weight", i),
        .correction = bind_matrix(b, s, s, "layers.%zu.altup.correction_coefs.weight", i),
    };
    plan_weight scale = bind_vector(b, hidden, "layers.%zu.altup.correct_output_scale", i);
    if (g->scales_output) a.output_scale = scale;
    return a;
}

static void bind_layer(gemma3n *g, size_t i)
{
    family *f = g->f;
    size_t hidden = f->plan->hidden;
    plan_layer *layer = &f->plan->layers[i];
    family_decoder d = g->d;
    d.rope = g->rope[g->sliding[i]];
    d.producer = g->producer[i];
    d.intermediate = g->intermediate[i];
    layer->mixer.attention.window = g->sliding[i] ? g->window : 0;
    family_decoder_attention(f, &d, i);
    family_decoder_mlp(f, &d, i);
    layer->mlp.sparse = g->sparsity[i] > 0;
    if (layer->mlp.sparse) layer->mlp.sparse_deviations = normal_quantile(g->sparsity[i]);
    layer->layer_input = family_gemma_input(f, i, g->width, g->d.epsilon, g->d.activation);
    layer->laurel = (plan_laurel){
        .present = true,
        .left = bind_linear(f->bind, g->rank, hidden, false, "layers.%zu.laurel.linear_left", i),
        .right = bind_linear(f->bind, hidden, g->rank, false, "layers.%zu.laurel.linear_right", i),
        .norm = layer_norm(g, i, "laurel.post_laurel_norm"),
    };
    layer->altup = bind_altup(g, i);
}

static void read_family(family *f)
{
    gemma3n g = {.f = f};
    read_all(&g);
    if (family_ok(f)) {
        f->plan->embedding_scale = sqrt((double)f->plan->hidden);
        family_gemma_inputs(f, g.width, config_size_or(f->config, "vocab_size_per_layer_input", 262144),
                            g.d.epsilon);
    }
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) bind_layer(&g, i);
    family_gemma3n_tower(f, g.audio_offset);
    free(g.sliding);
    free(g.producer);
    free(g.intermediate);
    free(g.sparsity);
}

/* In published files, but not read by the class: attention is not scaled, and the other two belong to
 * training. */
static const config_harmless_member UNREAD_MEMBERS[] = {
    {"altup_coef_clip", NULL}, {"altup_lr_multiplier", NULL}, {"query_pre_attn_scalar", NULL}};
static const config_harmless_group UNREAD = {"is not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

/* The class passes its own do_pooling; the others are of a classifier, which the tower does not have. */
static const config_harmless_member POOLING_MEMBERS[] = {
    {"do_pooling", NULL}, {"label_names", NULL}, {"num_classes", NULL}};
static const config_harmless_group POOLING = {"does not change the features",
                                              CONFIG_HARMLESS(POOLING_MEMBERS), .of = "gemma3n_vision"};

const family_reader family_gemma3n = {
    .types = {{.model_type = "gemma3n_text", .read = read_family},
              {.model_type = "gemma3n", .read = read_family, .text_type = "gemma3n_text"}},
    .harmless = {&UNREAD, &POOLING, &family_harmless_media},
};
