/* Faults that change the plan of a model with a tower, which the engine then evaluates correctly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/faults/fault.h"

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
    if (!p->layers[0].mixer.attention.norms_after_rope) return; /* not of HunYuan */
    for (size_t i = 0; i < p->n_ropes; i++) p->ropes[i].theta = 10000;
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
