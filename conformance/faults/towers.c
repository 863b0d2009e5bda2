/* Faults that change the plan of a model with a tower, which the engine then evaluates correctly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/faults/fault.h"

/* Without an epsilon of the fault: 1e-5 for 1e-6, and the reverse. */
static void change_epsilon(plan_norm *norm, fault_place place)
{
    if (!norm->present || place != fault_planted()->place) return;
    const double other = norm->epsilon < 5e-6 ? 1e-5 : 1e-6;
    norm->epsilon = fault_planted()->epsilon > 0 ? fault_planted()->epsilon : other;
}

static void visit_text(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) {
        plan_layer *layer = &p->layers[i];
        change_epsilon(&layer->mixer_in, FAULT_TEXT_MIXER_IN);
        change_epsilon(&layer->mlp_in, FAULT_TEXT_MLP_IN);
        change_epsilon(&layer->mixer_out, FAULT_TEXT_MIXER_OUT);
        change_epsilon(&layer->mlp_out, FAULT_TEXT_MLP_OUT);
        if (layer->mixer.kind == PLAN_MIXER_DELTA) continue;
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

void fault_sections_chunked(plan *p)
{
    for (size_t i = 0; i < p->n_ropes; i++)
        if (p->ropes[i].sections == ROPE_SECTIONS_INTERLEAVED) p->ropes[i].sections = ROPE_SECTIONS_CHUNKED;
}

/* Sections in the usual order. */
void fault_sections_time_first(plan *p)
{
    for (size_t i = 0; i < p->n_ropes; i++)
        if (p->ropes[i].sections == ROPE_SECTIONS_ALTERNATING) p->ropes[i].sections = ROPE_SECTIONS_CHUNKED;
}

void fault_pairs_apart(plan *p)
{
    for (size_t i = 0; i < p->n_ropes; i++) p->ropes[i].pairing = ROPE_PAIRS_HALF;
}

/* The base that the checkpoints of these ropes state, without their alpha. */
void fault_alpha_ignored(plan *p)
{
    for (size_t i = 0; i < p->n_ropes; i++)
        if (p->ropes[i].sections == ROPE_SECTIONS_DOUBLED) p->ropes[i].theta = 10000;
}

/* The second element of a pair turns by the axis of the first. */
void fault_pairs_together(plan *p)
{
    for (size_t i = 0; i < p->n_ropes; i++) {
        rope *r = &p->ropes[i];
        if (r->sections != ROPE_SECTIONS_DOUBLED) continue;
        r->sections = ROPE_SECTIONS_CHUNKED;
        for (size_t a = 0; a < ROPE_AXES_MAX; a++) r->section[a] *= 2;
    }
}

void fault_norms_before_rope(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++)
        if (p->layers[i].mixer.kind == PLAN_MIXER_ATTENTION)
            p->layers[i].mixer.attention.norms_after_rope = false;
}

void fault_tower_sections_swapped(plan *p)
{
    rope *r = &p->vision.rope;
    r->sections =
        r->sections == ROPE_SECTIONS_ROW_COLUMN ? ROPE_SECTIONS_COLUMN_ROW : ROPE_SECTIONS_ROW_COLUMN;
}

void fault_corners(plan *p)
{
    p->vision.table.aligns_corners = !p->vision.table.aligns_corners;
}

void fault_table_bicubic(plan *p)
{
    if (p->vision.table.kind == PLAN_TABLE_BILINEAR) p->vision.table.kind = PLAN_TABLE_BICUBIC;
}

void fault_table_bilinear(plan *p)
{
    if (p->vision.table.kind == PLAN_TABLE_BICUBIC) p->vision.table.kind = PLAN_TABLE_BILINEAR;
}

/* A convolution's weights taken as (row, column, channel). */
void fault_block_rows(plan *p)
{
    plan_merger *m = &p->vision.merger;
    for (size_t i = 0; i < m->n_steps; i++)
        if (m->steps[i].kind == PLAN_MERGER_CONCATENATE)
            m->steps[i].channels_first = !m->steps[i].channels_first;
}

void fault_patches_in_blocks(plan *p)
{
    p->vision.patches.order = PLAN_PATCHES_BLOCKS;
}

/* A column of zeros after the patches of each row instead of a vector: the widening product makes its bias of
 * it. */
void fault_newlines_padded(plan *p)
{
    plan_merger *m = &p->vision.merger;
    for (size_t i = 1; i < m->n_steps; i++)
        if (m->steps[i].kind == PLAN_MERGER_ROW_ENDS) m->steps[i].row_end = m->steps[i - 1].linear.bias;
}

void fault_ends_swapped(plan *p)
{
    plan_merger *m = &p->vision.merger;
    for (size_t i = 0; i < m->n_steps; i++) {
        plan_merger_step *step = &m->steps[i];
        if (step->kind != PLAN_MERGER_ENDS) continue;
        const plan_weight begin = step->begin;
        step->begin = step->end;
        step->end = begin;
    }
}

void fault_deepstack_dropped(plan *p)
{
    p->vision.n_deepstack = 0;
}

/* One entry more at the beginning, whose features are zero (fault_deepstack_first_zero). */
void fault_deepstack_late(plan *p)
{
    plan_tower *t = &p->vision;
    if (t->n_deepstack == 0) return;
    plan_deepstack *grown = realloc(t->deepstack, (t->n_deepstack + 1) * sizeof *grown);
    if (!grown) abort();
    memmove(grown + 1, grown, t->n_deepstack * sizeof *grown);
    t->deepstack = grown;
    t->n_deepstack++;
}
