/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/qwen_audio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_patches.h"
#include "model/plan/bind_vector.h"

/* Rows that the published class counts for a whole chunk, whatever its size. */
enum { ROWS_OF_CHUNK = 13 };

static const double EPSILON = 1e-5; /* of torch's LayerNorm */

typedef struct reader {
    family own; /* of audio_config; it has no outer one */
    config config;
    config *around;
    plan_tower *tower;
    size_t n_heads, intermediate;
    assay_activation activation;
} reader;

static void begin(reader *r, family *f, const char *type)
{
    config *around = f->outer ? f->outer : f->config;
    *r = (reader){.own = *f, .around = around, .tower = &f->plan->audio};
    r->own.config = &r->config;
    r->own.outer = NULL;
    (void)config_begin_member(&r->config, around, "audio_config.");
    r->config.model_type = type;
    family_tower_begin(&r->config);
    if (strcmp(config_text_or(&r->config, "model_type", type), type) != 0)
        config_fail_member(&r->config, ASSAY_EUNSUPPORTED, "model_type", "expected \"%s\"", type);
    *r->tower = (plan_tower){.present = true,
                             .kind = PLAN_TOWER_AUDIO,
                             .audio = {.n_bins = 0},
                             .patches = {.size = 1, .frames = 1, .pixel_factor = 1},
                             .pooling = {.side = 1, .factor = 1},
                             .merge = 1,
                             .image_token = -1,
                             .video_token = -1,
                             .audio_token = -1};
}

static void read_sizes(reader *r)
{
    config *c = &r->config;
    plan_tower *t = r->tower;
    t->hidden = config_size(c, "d_model");
    t->audio.n_bins = config_size(c, "num_mel_bins");
    r->n_heads = config_size(c, "encoder_attention_heads");
    r->intermediate = config_size(c, "encoder_ffn_dim");
    r->activation = family_activation(&r->own, "activation_function", "gelu");
    const size_t n = config_size(c, "encoder_layers");
    config_expect_size(c, "num_hidden_layers", n, "the published class's encoder_layers");
    config_expect_size(c, "hidden_size", t->hidden, "the published class's d_model");
    if (!family_ok(&r->own)) return;
    if (t->hidden % 2 != 0 || t->hidden < 4)
        config_fail(c, ASSAY_EUNSUPPORTED, "d_model: found %zu, expected an even number from 4 on",
                    t->hidden);
    else if (t->hidden % r->n_heads != 0)
        config_fail(c, ASSAY_EFORMAT,
                    "encoder_attention_heads: found %zu, expected a divisor of d_model, %zu", r->n_heads,
                    t->hidden);
    t->layers = family_allocate_layers(&r->own, c, "encoder_layers", n, sizeof *t->layers);
    if (t->layers) t->n_layers = n;
}

/* Chunks of 2 n_window frames, windows of n_window_infer frames, in whole chunks. */
static void read_chunks(reader *r)
{
    config *c = &r->config;
    plan_tower *t = r->tower;
    const size_t half = config_size_or(c, "n_window", 50), window = config_size_or(c, "n_window_infer", 800),
                 longest = config_size_or(c, "max_source_positions", 1500);
    if (!family_ok(&r->own)) return;
    t->audio.chunk = 2 * half;
    const size_t rows = plan_audio_rest(t->audio.chunk);
    if (rows != ROWS_OF_CHUNK)
        config_fail(
            c, ASSAY_EUNSUPPORTED,
            "n_window: found %zu, of which the convolutions leave %zu rows a chunk, expected %d, which "
            "the published class counts",
            half, rows, ROWS_OF_CHUNK);
    else if (window < t->audio.chunk)
        config_fail(c, ASSAY_EUNSUPPORTED, "n_window_infer: found %zu, expected at least a chunk, %zu",
                    window, t->audio.chunk);
    else if (longest < rows)
        config_fail(c, ASSAY_EUNSUPPORTED, "max_source_positions: found %zu, expected at least %zu", longest,
                    rows);
    t->window = window / t->audio.chunk * rows;
    t->table = (plan_table){.kind = PLAN_TABLE_SINUSOIDS, .period = rows};
}

/* A convolution with a stride is stored as one whose stride is its kernel. */
static void bind_audio(reader *r)
{
    plan_tower *t = r->tower;
    const size_t n = config_size(&r->config, "downsample_hidden_size");
    for (size_t i = 0; family_ok(&r->own) && i < PLAN_AUDIO_CONVOLUTIONS; i++) {
        plan_patches p = {.size = PLAN_AUDIO_SIDE, .channels = i == 0 ? 1 : n, .frames = 1};
        bind_patches(r->own.bind, n, &p, true, "conv2d%zu", i + 1);
        t->audio.convolutions[i] = (plan_audio_convolution){p.embed, p.weights_channels_last};
    }
    if (!family_ok(&r->own)) return;
    t->patches.channels = n * plan_audio_rest(t->audio.n_bins);
    t->patches.embed = bind_linear(r->own.bind, t->hidden, t->patches.channels, false, "conv_out");
}

static void bind_layer(reader *r, size_t i)
{
    bind *b = r->own.bind;
    const size_t d = r->tower->hidden, head_dim = d / r->n_heads;
    plan_tower_layer *layer = &r->tower->layers[i];
    plan_attention *a = &layer->attention;
    *a = (plan_attention){.n_heads = r->n_heads,
                          .n_kv_heads = r->n_heads,
                          .head_dim = head_dim,
                          .scale = 1 / sqrt((double)head_dim),
                          .mask = PLAN_MASK_NONE,
                          .rope = PLAN_NONE,
                          .cache_layer = i};
    layer->in_windows = true;
    layer->mixer_in = bind_layer_norm(b, d, EPSILON, "layers.%zu.self_attn_layer_norm", i);
    a->q = bind_linear(b, d, d, true, "layers.%zu.self_attn.q_proj", i);
    a->k = bind_linear(b, d, d, true, "layers.%zu.self_attn.k_proj", i);
    a->v = bind_linear(b, d, d, true, "layers.%zu.self_attn.v_proj", i);
    a->o = bind_linear(b, d, d, true, "layers.%zu.self_attn.out_proj", i);
    layer->mlp_in = bind_layer_norm(b, d, EPSILON, "layers.%zu.final_layer_norm", i);
    layer->mlp = (plan_mlp){.present = true,
                            .intermediate = r->intermediate,
                            .activation = r->activation,
                            .up = bind_linear(b, r->intermediate, d, true, "layers.%zu.fc1", i),
                            .down = bind_linear(b, d, r->intermediate, true, "layers.%zu.fc2", i)};
}

static void bind_projector(reader *r)
{
    bind *b = r->own.bind;
    const size_t d = r->tower->hidden, width = config_size(&r->config, "output_dim"),
                 out = r->own.plan->hidden;
    plan_merger *m = &r->tower->merger;
    if (family_ok(&r->own) && width != out)
        config_fail(&r->config, ASSAY_EFORMAT,
                    "output_dim: found %zu, expected the language model's hidden_size, %zu", width, out);
    if (!family_ok(&r->own)) return;
    r->tower->out_norm = bind_layer_norm(b, d, EPSILON, "ln_post");
    m->steps[m->n_steps++] =
        (plan_merger_step){PLAN_MERGER_LINEAR, .linear = bind_linear(b, d, d, true, "proj1")};
    m->steps[m->n_steps++] = (plan_merger_step){PLAN_MERGER_ACTIVATION, .activation = r->activation};
    m->steps[m->n_steps++] =
        (plan_merger_step){PLAN_MERGER_LINEAR, .linear = bind_linear(b, out, d, true, "proj2")};
}

static void read_token(reader *r, size_t fallback)
{
    const plan *p = r->own.plan;
    const size_t id = config_count_or(r->around, "audio_token_id", fallback);
    if (family_ok(&r->own) && r->around->status == ASSAY_OK && id >= p->n_token_ids)
        config_fail(r->around, ASSAY_EFORMAT,
                    "audio_token_id: found %zu, expected an id below vocab_size (%zu)", id, p->n_token_ids);
    if (family_ok(&r->own) && ((int32_t)id == p->vision.image_token || (int32_t)id == p->vision.video_token))
        config_fail(r->around, ASSAY_EUNSUPPORTED,
                    "audio_token_id: found %zu, expected another than "
                    "image_token_id and video_token_id",
                    id);
    r->tower->audio_token = (int32_t)id;
}

void family_qwen_audio(family *f, const char *type, size_t default_token)
{
    static const char *const PREFIXES[] = {"model.audio_tower.", "audio_tower.", "thinker.audio_tower."};
    reader r;
    bind_place outside;
    begin(&r, f, type);
    bind_enter(f->bind, PREFIXES, sizeof PREFIXES / sizeof *PREFIXES, "conv_out.weight", &outside);
    read_sizes(&r);
    read_chunks(&r);
    bind_audio(&r);
    for (size_t i = 0; family_ok(&r.own) && i < r.tower->n_layers; i++) bind_layer(&r, i);
    bind_projector(&r);
    read_token(&r, default_token);
    config_end(&r.config);
    bind_leave(f->bind, &outside);
}
