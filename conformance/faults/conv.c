/* Faults of convolutional towers, and of ids with an embedding of their own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/fault.h"

/* Calls fn for the blocks and the fusion of the plan's tower. */
static void visit_blocks(plan *p, void (*fn)(plan_conv_block *))
{
    plan_conv_tower *t = &p->vision.conv;
    if (p->vision.kind != PLAN_TOWER_CONV) return;
    for (size_t i = 0; i < t->n_blocks; i++) fn(&t->blocks[i]);
    fn(&t->fusion);
}

static void drop_scale(plan_conv_block *b)
{
    b->scale = (plan_weight){0};
}

void fault_conv_scales_dropped(plan *p)
{
    visit_blocks(p, drop_scale);
}

static void drop_residual(plan_conv_block *b)
{
    if (b->kind == PLAN_CONV_UNITS) b->is_residual = false;
}

void fault_conv_residual_dropped(plan *p)
{
    visit_blocks(p, drop_residual);
}

static void drop_key_units(plan_conv_block *b)
{
    b->has_key_units = false;
}

void fault_conv_keys_whole(plan *p)
{
    visit_blocks(p, drop_key_units);
}

static void swap_keys(plan_conv_block *b)
{
    const plan_conv_unit key = b->key;
    b->key = b->value;
    b->value = key;
}

void fault_conv_keys_swapped(plan *p)
{
    visit_blocks(p, swap_keys);
}

/* The levels before those of the fusion, but the first. */
void fault_conv_level_early(plan *p)
{
    plan_conv_tower *t = &p->vision.conv;
    for (size_t k = 0; p->vision.kind == PLAN_TOWER_CONV && k < t->n_taken; k++)
        if (t->taken[k] > 0) t->taken[k]--;
}

/* As in a convolution with a padding of (kernel - 1) / 2 on both sides. */
size_t fault_conv_padding_even(const plan_convolution *c)
{
    return (c->kernel - 1) / 2;
}

void fault_id_table_dropped(plan *p)
{
    p->id_table.n = 0;
}

/* The embedder of features takes the place of that of ids. */
void fault_id_table_soft(plan *p)
{
    if (p->id_table.n > 0) p->id_table.merger = p->vision.merger;
}

void fault_feature_factor_dropped(plan *p)
{
    if (p->vision.kind == PLAN_TOWER_CONV) p->vision.pooling.factor = 1;
}
