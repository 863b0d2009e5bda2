/* Faults that change one part of a plan: the epsilon of a norm, or an activation. They are planted in each
 * case of their names whose plan has the part.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/fault.h"

/* How many parts the planted fault has changed. */
static size_t n_changed;

/* 1e-5 for 1e-6, and the reverse. */
static void change_epsilon(plan_norm *norm, fault_place place)
{
    if (!norm->present || place != fault_planted()->place) return;
    norm->epsilon = norm->epsilon < 5e-6 ? 1e-5 : 1e-6;
    n_changed++;
}

static void visit_text(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) {
        plan_layer *layer = &p->layers[i];
        change_epsilon(&layer->mixer_in, FAULT_TEXT_MIXER_IN);
        change_epsilon(&layer->mlp_in, FAULT_TEXT_MLP_IN);
        change_epsilon(&layer->mixer_out, FAULT_TEXT_MIXER_OUT);
        change_epsilon(&layer->mlp_out, FAULT_TEXT_MLP_OUT);
        if (layer->mixer.kind == PLAN_MIXER_DELTA) {
            change_epsilon(&layer->mixer.delta.norm, FAULT_TEXT_DELTA);
            continue;
        }
        change_epsilon(&layer->mixer.attention.q_norm, FAULT_TEXT_QUERY);
        change_epsilon(&layer->mixer.attention.k_norm, FAULT_TEXT_KEY);
    }
    change_epsilon(&p->norm, FAULT_TEXT_LAST);
}

/* outer, inner: the place of the norms before the first product, and of those after it. */
static void visit_merger(plan_merger *m, fault_place outer, fault_place inner)
{
    bool has_product = false;
    for (size_t i = 0; i < m->n_steps; i++) {
        plan_merger_step *step = &m->steps[i];
        if (step->kind == PLAN_MERGER_NORM) change_epsilon(&step->norm, has_product ? inner : outer);
        has_product = has_product || plan_merger_linears(step) > 0;
    }
}

static void visit_conv_block(plan_conv_block *b)
{
    for (size_t i = 0; i < b->n_units; i++) change_epsilon(&b->units[i].norm, FAULT_CONV_UNIT);
    if (b->kind != PLAN_CONV_ATTENTION) return;
    change_epsilon(&b->norm, FAULT_CONV_ATTENTION);
    change_epsilon(&b->key.norm, FAULT_TOWER_KEY);
    change_epsilon(&b->value.norm, FAULT_TOWER_VALUE);
}

static void visit_conv(plan_conv_tower *t)
{
    for (size_t i = 0; i < t->n_blocks; i++) visit_conv_block(&t->blocks[i]);
    visit_conv_block(&t->fusion);
}

static void visit_tower(plan_tower *t)
{
    if (t->kind == PLAN_TOWER_CONV) visit_conv(&t->conv);
    for (size_t i = 0; i < t->n_layers; i++) {
        plan_tower_layer *layer = &t->layers[i];
        change_epsilon(&layer->mixer_in, FAULT_TOWER_MIXER_IN);
        change_epsilon(&layer->mlp_in, FAULT_TOWER_MLP_IN);
        change_epsilon(&layer->mixer_out, FAULT_TOWER_MIXER_OUT);
        change_epsilon(&layer->mlp_out, FAULT_TOWER_MLP_OUT);
        change_epsilon(&layer->attention.q_norm, FAULT_TOWER_QUERY);
        change_epsilon(&layer->attention.k_norm, FAULT_TOWER_KEY);
        change_epsilon(&layer->attention.v_norm, FAULT_TOWER_VALUE);
    }
    change_epsilon(&t->in_norm, FAULT_TOWER_IN);
    change_epsilon(&t->out_norm, FAULT_TOWER_LAST);
    if (t->kind == PLAN_TOWER_TILES) change_epsilon(&t->tiles.middle, FAULT_TOWER_LAST);
    visit_merger(&t->merger, FAULT_MERGER, FAULT_MERGER_INNER);
    for (size_t k = 0; k < t->n_deepstack; k++)
        visit_merger(&t->deepstack[k].merger, FAULT_DEEPSTACK, FAULT_DEEPSTACK);
}

static void visit_audio(plan_tower *t)
{
    for (size_t i = 0; i < t->n_layers; i++) {
        change_epsilon(&t->layers[i].mixer_in, FAULT_AUDIO_MIXER_IN);
        change_epsilon(&t->layers[i].mlp_in, FAULT_AUDIO_MLP_IN);
    }
    change_epsilon(&t->out_norm, FAULT_AUDIO_LAST);
}

void fault_epsilon_at(plan *p)
{
    visit_text(p);
    if (p->vision.present) visit_tower(&p->vision);
    if (p->audio.present) visit_audio(&p->audio);
}

/* Exact GELU for the approximation by tanh, and the reverse; also for that by a sigmoid. */
static void change_gelu(assay_activation *activation, fault_place place)
{
    if (place != fault_planted()->place || *activation == ASSAY_SILU) return;
    *activation = *activation == ASSAY_GELU ? ASSAY_GELU_TANH : ASSAY_GELU;
    n_changed++;
}

static void change_gelu_of_merger(plan_merger *m, fault_place place)
{
    for (size_t i = 0; i < m->n_steps; i++) {
        plan_merger_step *step = &m->steps[i];
        if (step->kind == PLAN_MERGER_ACTIVATION) change_gelu(&step->activation, place);
        if (step->kind == PLAN_MERGER_MLP) change_gelu(&step->mlp.activation, place);
    }
}

static void change_gelu_of_block(plan_conv_block *b, fault_place place)
{
    for (size_t i = 0; i < b->n_units; i++)
        if (b->units[i].is_activated) change_gelu(&b->units[i].activation, place);
}

static void change_gelu_of_conv(plan_conv_tower *t, fault_place place)
{
    for (size_t i = 0; i < t->n_blocks; i++) change_gelu_of_block(&t->blocks[i], place);
    change_gelu_of_block(&t->fusion, place);
}

/* mlp, merger: the places in this tower. A tower that is not present has neither. */
static void change_gelu_of_tower(plan_tower *t, fault_place mlp, fault_place merger)
{
    for (size_t i = 0; i < t->n_layers; i++) change_gelu(&t->layers[i].mlp.activation, mlp);
    if (t->kind == PLAN_TOWER_CONV) change_gelu_of_conv(&t->conv, mlp);
    change_gelu_of_merger(&t->merger, merger);
    for (size_t k = 0; k < t->n_deepstack; k++)
        change_gelu_of_merger(&t->deepstack[k].merger, FAULT_DEEPSTACK);
}

void fault_gelu_at(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) change_gelu(&p->layers[i].mlp.activation, FAULT_TEXT_MLP);
    change_gelu_of_tower(&p->vision, FAULT_TOWER_MLP, FAULT_MERGER);
    change_gelu_of_tower(&p->audio, FAULT_AUDIO_MLP, FAULT_AUDIO_MERGER);
}

bool fault_changes_part(const fault *f, plan *p)
{
    fault_plant_this(f);
    n_changed = 0;
    f->plan(p);
    return n_changed > 0;
}

#define FAINT_TEXTS "*/epsilons/* */*-epsilons/images */small-variance/single"
#define FAINT_MEDIA "*/epsilons/* */*-epsilons/*"
#define TEXTS       "*/base/single gemma4/dense/single"
#define IMAGES      "*/base/images */base/crops */tower/images */images/image"
#define AUDIO       "*/base/sound"

#define EPSILON(name, norm, caught, spared, at)                                                              \
    {                                                                                                        \
        "epsilon-" name, norm " has another epsilon", caught, spared, .plan = fault_epsilon_at,              \
                                                                      .place = FAULT_##at                    \
    }
#define GELU(name, part, caught, spared, at)                                                                 \
    {                                                                                                        \
        "gelu-" name, part " has the other GELU", caught, spared, .plan = fault_gelu_at, .place = FAULT_##at \
    }

const fault PART_FAULTS[] = {
    EPSILON("text-attention", "the norm before attention", FAINT_TEXTS, "olmo2/base/single", TEXT_MIXER_IN),
    EPSILON("text-mlp", "the norm before the MLP", FAINT_TEXTS, "olmo2/base/single", TEXT_MLP_IN),
    EPSILON("text-last", "the last norm of the decoder", FAINT_TEXTS, "-", TEXT_LAST),
    EPSILON("text-query", "the norm of queries", FAINT_TEXTS, "qwen2_vl/epsilons/images", TEXT_QUERY),
    EPSILON("text-key", "the norm of keys", FAINT_TEXTS, "qwen2_vl/epsilons/images", TEXT_KEY),
    EPSILON("text-delta", "the norm of the gated delta rule", FAINT_TEXTS, "qwen3/base/single", TEXT_DELTA),
    EPSILON("text-after-attention", "the norm after attention", FAINT_TEXTS, "qwen2_vl/epsilons/images",
            TEXT_MIXER_OUT),
    EPSILON("text-after-mlp", "the norm after the MLP", FAINT_TEXTS, "qwen2_vl/epsilons/images",
            TEXT_MLP_OUT),
    EPSILON("tower-embedding", "the norm after the patch embedding", FAINT_MEDIA, "qwen3_vl/epsilons/images",
            TOWER_IN),
    EPSILON("tower-attention", "the tower's norm before attention", FAINT_MEDIA, "qwen3_vl/base/batch",
            TOWER_MIXER_IN),
    EPSILON("tower-mlp", "the tower's norm before the MLP", FAINT_MEDIA, "qwen3_vl/base/batch", TOWER_MLP_IN),
    EPSILON("tower-after-attention", "the tower's norm after attention", FAINT_MEDIA, "gemma4/tower/batch",
            TOWER_MIXER_OUT),
    EPSILON("tower-after-mlp", "the tower's norm after the MLP", FAINT_MEDIA, "gemma4/tower/batch",
            TOWER_MLP_OUT),
    EPSILON("tower-query", "the tower's norm of queries", FAINT_MEDIA, "gemma4/tower/batch", TOWER_QUERY),
    EPSILON("tower-key", "the tower's norm of keys", FAINT_MEDIA, "gemma4/tower/batch", TOWER_KEY),
    EPSILON("tower-value", "the tower's norm of values", FAINT_MEDIA, "gemma4/tower/batch", TOWER_VALUE),
    EPSILON("tower-last", "the norm after the last layer of the tower", FAINT_MEDIA,
            "qwen3_vl/epsilons/images", TOWER_LAST),
    EPSILON("merger", "the merger's norm", FAINT_MEDIA, "qwen3_vl/base/batch", MERGER),
    EPSILON("merger-inner", "the merger's norm after a product", FAINT_MEDIA, "qwen3_vl/epsilons/images",
            MERGER_INNER),
    EPSILON("deepstack", "the norm of DeepStack's mergers", FAINT_MEDIA, "qwen3_vl/base/batch", DEEPSTACK),
    EPSILON("conv", "the norm after a convolution", FAINT_MEDIA, "gemma3n/text/single", CONV_UNIT),
    EPSILON("conv-attention", "the norm before attention among convolutions", FAINT_MEDIA,
            "gemma3n/text/single", CONV_ATTENTION),
    EPSILON("audio-attention", "the audio tower's norm before attention", FAINT_MEDIA,
            "qwen3_omni_moe/base/image", AUDIO_MIXER_IN),
    EPSILON("audio-mlp", "the audio tower's norm before the MLP", FAINT_MEDIA, "qwen3_omni_moe/base/image",
            AUDIO_MLP_IN),
    EPSILON("audio-last", "the norm after the audio tower's last layer", FAINT_MEDIA,
            "qwen3_omni_moe/base/image", AUDIO_LAST),
    GELU("text", "the MLP of the decoder", TEXTS, "qwen3/base/single", TEXT_MLP),
    GELU("tower", "the MLP of the tower", IMAGES, "qwen2_5_vl/base/image", TOWER_MLP),
    GELU("merger", "the merger", IMAGES, "qwen3_vl/base/batch", MERGER),
    GELU("deepstack", "a merger of DeepStack", IMAGES, "qwen2_vl/base/image", DEEPSTACK),
    GELU("audio", "the MLP of the audio tower", AUDIO, "qwen3_omni_moe/base/image", AUDIO_MLP),
    GELU("audio-projector", "the projector of audio clips", AUDIO, "qwen3_omni_moe/base/image", AUDIO_MERGER),
};

const size_t N_PART_FAULTS = sizeof PART_FAULTS / sizeof *PART_FAULTS;
