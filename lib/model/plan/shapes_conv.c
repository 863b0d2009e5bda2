/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/shapes_conv.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

static void fail_conv(checker *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fail_conv(checker *c, const char *format, ...)
{
    char reason[300];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    if (c->status == ASSAY_OK)
        c->status = assay_fail(c->err, ASSAY_EFORMAT, "%s: %s%s", c->plan->dir, c->where, reason);
}

/* channels: of the unit's input; replaced by those of its output. */
static void check_unit(checker *c, const char *name, const plan_conv_unit *u, size_t *channels)
{
    char part[48];
    const plan_convolution *v = &u->convolution;
    (void)snprintf(part, sizeof part, "%s.convolution", name);
    if (v->kernel == 0 || v->stride == 0)
        fail_conv(c, "%s: found a kernel of %zu and a stride of %zu, expected at least 1", part, v->kernel,
                  v->stride);
    if (v->n_in != *channels)
        fail_conv(c, "%s: found %zu channels, expected %zu, as it is applied", part, v->n_in, *channels);
    if (v->is_depthwise && v->n_in != v->n_out)
        fail_conv(c, "%s: found %zu channels from %zu, expected as many in a depthwise one", part, v->n_out,
                  v->n_in);
    checker_linear(c, part, &v->product, v->n_out, plan_convolution_columns(v));
    (void)snprintf(part, sizeof part, "%s.norm", name);
    checker_norm(c, part, &u->norm, v->n_out);
    *channels = v->n_out;
}

static void check_attention(checker *c, const plan_conv_block *b, size_t *channels)
{
    const plan_attention *a = &b->attention;
    const size_t width = a->n_heads * a->head_dim;
    size_t keys = *channels, values = keys;
    checker_norm(c, "norm", &b->norm, *channels);
    if (a->n_heads == 0 || a->n_kv_heads != 1)
        fail_conv(c, "attention: found %zu heads and %zu key/value heads, expected some and one", a->n_heads,
                  a->n_kv_heads);
    if (a->mask != PLAN_MASK_NONE || a->window != 0 || a->rope != PLAN_NONE || a->value_is_key ||
        a->is_gated || a->q_norm.present || a->k_norm.present || a->v_norm.present)
        fail_conv(c, "attention: found a mask, a window, a rope, a gate or norms, expected none");
    if (b->has_key_units) check_unit(c, "key", &b->key, &keys);
    if (b->has_key_units) check_unit(c, "value", &b->value, &values);
    if (b->has_key_units && b->key.convolution.stride != b->value.convolution.stride)
        fail_conv(c, "value.convolution: found a stride of %zu, expected %zu, that of the keys",
                  b->value.convolution.stride, b->key.convolution.stride);
    checker_linear(c, "q", &a->q, width, *channels);
    checker_linear(c, "k", &a->k, a->head_dim, keys);
    checker_linear(c, "v", &a->v, a->head_dim, values);
    checker_linear(c, "o", &a->o, a->o.weight.rows, width);
    *channels = a->o.weight.rows;
}

/* channels: of the block's input; replaced by those of its output. */
static void check_block(checker *c, const plan_conv_block *b, size_t *channels)
{
    const size_t before = *channels;
    size_t strides = 1;
    if (b->kind == PLAN_CONV_ATTENTION) {
        check_attention(c, b, channels);
    } else if (b->n_units == 0 || b->n_units > PLAN_CONV_UNITS_MAX) {
        fail_conv(c, "units: found %zu, expected 1 to %d", b->n_units, PLAN_CONV_UNITS_MAX);
    } else {
        for (size_t i = 0; i < b->n_units; i++) {
            char name[32];
            (void)snprintf(name, sizeof name, "units.%zu", i);
            check_unit(c, name, &b->units[i], channels);
            strides *= b->units[i].convolution.stride;
        }
    }
    checker_vector(c, "scale", &b->scale, *channels);
    if (b->is_residual && (*channels != before || strides != 1))
        fail_conv(c, "found a residual of %zu channels with a stride of %zu, expected %zu channels and none",
                  *channels, strides, before);
}

void plan_check_conv(checker *c, const plan_tower *t)
{
    const plan_conv_tower *conv = &t->conv;
    size_t channels = t->patches.channels, fused = 0;
    if (t->n_layers || t->n_deepstack || t->merge != 1 || t->pooling.side != 1 || t->in_norm.present ||
        t->table.kind != PLAN_TABLE_NONE || t->has_rope || t->patches.size != 1 || t->patches.frames != 1)
        fail_conv(c, "conv: found parts of a tower of layers, expected none");
    if (conv->side == 0 || conv->n_taken == 0 || conv->n_taken > PLAN_CONV_TAKEN_MAX)
        fail_conv(c, "conv: found an output of %zu x %zu from %zu blocks, expected at least one of each",
                  conv->side, conv->side, conv->n_taken);
    for (size_t i = 0, k = 0; c->status == ASSAY_OK && i < conv->n_blocks; i++) {
        (void)snprintf(c->where, sizeof c->where, "tower.conv.blocks.%zu.", i);
        check_block(c, &conv->blocks[i], &channels);
        for (; k < conv->n_taken && conv->taken[k] == i; k++) fused += channels;
    }
    for (size_t k = 0; c->status == ASSAY_OK && k < conv->n_taken; k++)
        if (conv->taken[k] >= conv->n_blocks || (k > 0 && conv->taken[k] <= conv->taken[k - 1]))
            fail_conv(c, "taken: found block %zu, expected a later one of %zu", conv->taken[k],
                      conv->n_blocks);
    (void)snprintf(c->where, sizeof c->where, "tower.conv.fusion.");
    if (c->status == ASSAY_OK) check_block(c, &conv->fusion, &fused);
    if (fused != t->hidden)
        fail_conv(c, "found rows of %zu, expected %zu, the width of the tower", fused, t->hidden);
    (void)snprintf(c->where, sizeof c->where, "tower.");
}
