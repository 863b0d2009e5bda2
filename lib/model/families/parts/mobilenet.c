/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/mobilenet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/mobilenet_blocks.h"
#include "model/plan/bind_conv.h"
#include "model/plan/bind_vector.h"

enum { FEATURES = 2048, CHANNELS = 3 }; /* constant in the published class */

#define EPSILON 1e-6 /* of every norm of timm's encoder */

/* The encoder while it is bound. */
typedef struct mobilenet {
    bind *bind;
    plan_tower *tower;
    size_t stem, side;
    size_t channels; /* of the last block bound */
    size_t level[8]; /* [n_levels], blocks of the plan whose outputs are levels of features */
    size_t level_channels[8], n_levels;
    bool channels_last;
} mobilenet;

static plan_convolution begin_convolution(const mobilenet *m, size_t kernel, size_t stride, size_t in,
                                          size_t out, bool is_depthwise)
{
    return (plan_convolution){.kernel = kernel,
                              .stride = stride,
                              .n_in = in,
                              .n_out = out,
                              .is_depthwise = is_depthwise,
                              .channels_last = m->channels_last};
}

/* base.NAME and its norm base.NORM. */
static plan_conv_unit bind_unit(mobilenet *m, plan_convolution c, bool has_bias, bool is_activated,
                                const char *base, const char *name, const char *norm)
{
    bind_convolution_2d(m->bind, &c, has_bias, "%s.%s", base, name);
    return (plan_conv_unit){.convolution = c,
                            .norm = bind_norm(m->bind, c.n_out, EPSILON, "%s.%s", base, norm),
                            .is_activated = is_activated,
                            .activation = ASSAY_GELU_TANH};
}

/* A product with every pixel: a convolution of 1 × 1. */
static plan_linear bind_pixel_product(mobilenet *m, size_t out, size_t in, const char *base, const char *name)
{
    plan_convolution c = begin_convolution(m, 1, 1, in, out, false);
    bind_convolution_2d(m->bind, &c, false, "%s.%s", base, name);
    return c.product;
}

static void add_unit(plan_conv_block *b, plan_conv_unit unit)
{
    b->units[b->n_units++] = unit;
}

static plan_conv_block bind_edge(mobilenet *m, const mobilenet_block *from, const char *base)
{
    plan_conv_block b = {.kind = PLAN_CONV_UNITS};
    const size_t in = m->channels, mid = mobilenet_divisible((double)in * from->ratio);
    add_unit(&b, bind_unit(m, begin_convolution(m, from->kernel, from->stride, in, mid, false), false, true,
                           base, "conv_exp", "bn1"));
    add_unit(&b, bind_unit(m, begin_convolution(m, 1, 1, mid, from->out, false), false, false, base,
                           "conv_pwl", "bn2"));
    return b;
}

static plan_conv_block bind_inverted(mobilenet *m, const mobilenet_block *from, size_t out, const char *base)
{
    plan_conv_block b = {.kind = PLAN_CONV_UNITS};
    const size_t in = m->channels, mid = mobilenet_divisible((double)in * from->ratio);
    const size_t start = from->mid ? 1 : from->stride,
                 end = from->start || from->mid ? 1 : from->stride; /* strides */
    if (from->start)
        add_unit(&b, bind_unit(m, begin_convolution(m, from->start, start, in, in, true), false, false, base,
                               "dw_start.conv", "dw_start.bn"));
    add_unit(&b, bind_unit(m, begin_convolution(m, 1, 1, in, mid, false), false, true, base, "pw_exp.conv",
                           "pw_exp.bn"));
    if (from->mid)
        add_unit(&b, bind_unit(m, begin_convolution(m, from->mid, from->stride, mid, mid, true), false, true,
                               base, "dw_mid.conv", "dw_mid.bn"));
    add_unit(&b, bind_unit(m, begin_convolution(m, 1, 1, mid, out, false), false, false, base, "pw_proj.conv",
                           "pw_proj.bn"));
    if (from->end)
        add_unit(&b, bind_unit(m, begin_convolution(m, from->end, end, out, out, true), false, false, base,
                               "dw_end.conv", "dw_end.bn"));
    return b;
}

static plan_conv_block bind_attention(mobilenet *m, const mobilenet_block *from, const char *base)
{
    const size_t in = m->channels, width = from->n_heads * from->head_dim;
    const plan_convolution fewer = begin_convolution(m, from->kernel, from->key_stride, in, in, true);
    plan_conv_block b = {.kind = PLAN_CONV_ATTENTION,
                         .norm = bind_norm(m->bind, in, EPSILON, "%s.norm", base),
                         .has_key_units = from->key_stride > 1};
    if (b.has_key_units) {
        b.key = bind_unit(m, fewer, false, false, base, "attn.key.down_conv", "attn.key.norm");
        b.value = bind_unit(m, fewer, false, false, base, "attn.value.down_conv", "attn.value.norm");
    }
    b.attention = (plan_attention){.n_heads = from->n_heads,
                                   .n_kv_heads = 1,
                                   .head_dim = from->head_dim,
                                   .scale = 1 / sqrt((double)from->head_dim),
                                   .mask = PLAN_MASK_NONE,
                                   .rope = PLAN_NONE,
                                   .q = bind_pixel_product(m, width, in, base, "attn.query.proj"),
                                   .k = bind_pixel_product(m, from->head_dim, in, base, "attn.key.proj"),
                                   .v = bind_pixel_product(m, from->head_dim, in, base, "attn.value.proj"),
                                   .o = bind_pixel_product(m, from->out, width, base, "attn.output.proj")};
    return b;
}

static void bind_block(mobilenet *m, const mobilenet_block *from, plan_conv_block *to)
{
    char base[48];
    (void)snprintf(base, sizeof base, "blocks.%zu.%zu", from->stage, from->index);
    *to = from->kind == MOBILENET_EDGE       ? bind_edge(m, from, base)
          : from->kind == MOBILENET_INVERTED ? bind_inverted(m, from, from->out, base)
                                             : bind_attention(m, from, base);
    if (from->kind != MOBILENET_EDGE)
        to->scale = bind_vector(m->bind, from->out, "%s.layer_scale.gamma", base);
    to->is_residual = from->stride == 1 && m->channels == from->out && !from->has_no_skip;
    m->channels = from->out;
}

/* The convolution of the first block, whose kernel is not as wide as its channels, tells how all are stored.
 */
static void find_order(mobilenet *m, const mobilenet_block *first)
{
    const bool is_edge = first->kind == MOBILENET_EDGE;
    if (is_edge)
        m->channels_last = bind_is_channels_last(m->bind, m->stem, first->kernel, "blocks.0.0.conv_exp");
    else if (first->start)
        m->channels_last = bind_is_channels_last(m->bind, 1, first->start, "blocks.0.0.dw_start.conv");
    else if (first->mid)
        m->channels_last = bind_is_channels_last(m->bind, 1, first->mid, "blocks.0.0.dw_mid.conv");
}

static void add_level(mobilenet *m, size_t block)
{
    m->level_channels[m->n_levels] = m->channels;
    m->level[m->n_levels++] = block;
}

static void bind_blocks(mobilenet *m, const mobilenet_list *list)
{
    plan_conv_tower *conv = &m->tower->conv;
    find_order(m, &list->blocks[0]);
    conv->blocks[0] =
        (plan_conv_block){.n_units = 1,
                          .units = {bind_unit(m, begin_convolution(m, 3, 2, CHANNELS, m->stem, false), true,
                                              true, "conv_stem", "conv", "bn")}};
    m->channels = m->stem;
    add_level(m, 0);
    for (size_t i = 0; m->bind->status == ASSAY_OK && i < list->n; i++) {
        bind_block(m, &list->blocks[i], &conv->blocks[i + 1]);
        if (i + 1 == list->n || list->blocks[i + 1].stage != list->blocks[i].stage) add_level(m, i + 1);
    }
}

/* Levels that the fusion takes: msfa_indices, of which negative ones count from the end. */
static void read_levels(mobilenet *m, config *args, size_t *fused)
{
    plan_conv_tower *conv = &m->tower->conv;
    double index[PLAN_CONV_TAKEN_MAX] = {-2, -1};
    json_object *list = args ? config_member(args, "msfa_indices") : NULL;
    conv->n_taken = 2;
    if (list) {
        conv->n_taken = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
        if (conv->n_taken == 0 || conv->n_taken > PLAN_CONV_TAKEN_MAX)
            config_fail_member(args, ASSAY_EUNSUPPORTED, "msfa_indices", "expected one to %d integers",
                               PLAN_CONV_TAKEN_MAX);
        else (void)config_reals(args, "msfa_indices", false, index, conv->n_taken);
    }
    for (size_t k = 0; m->bind->status == ASSAY_OK && k < conv->n_taken; k++) {
        const double at = index[k] < 0 ? index[k] + (double)m->n_levels : index[k];
        if (!(at >= 0 && at < (double)m->n_levels) || at != floor(at) ||
            (k > 0 && m->level[(size_t)at] <= conv->taken[k - 1])) {
            bind_fail(m->bind, ASSAY_EUNSUPPORTED,
                      "config.json: vision_config.model_args.msfa_indices[%zu]: found %g, expected ascending "
                      "levels of %zu",
                      k, index[k], m->n_levels);
            return;
        }
        conv->taken[k] = m->level[(size_t)at];
        *fused += m->level_channels[(size_t)at];
    }
}

static void bind_fusion(mobilenet *m, config *args)
{
    size_t fused = 0;
    read_levels(m, args, &fused);
    if (m->bind->status != ASSAY_OK) return;
    m->channels = fused;
    m->tower->conv.fusion =
        bind_inverted(m, &(mobilenet_block){.ratio = 2, .stride = 1}, FEATURES, "msfa.ffn");
    m->tower->out_norm = bind_norm(m->bind, FEATURES, EPSILON, "msfa.norm");
}

static void bind_encoder(family_vision *v, config *args)
{
    mobilenet_list list;
    plan_tower *t = &v->own.plan->vision;
    mobilenet m = {.bind = v->own.bind, .tower = t, .stem = 64, .side = 16};
    if (args && config_has(args, "stem_size")) m.stem = config_size(args, "stem_size");
    if (args && config_has(args, "msfa_output_resolution"))
        m.side = config_size(args, "msfa_output_resolution");
    if (family_ok(&v->own) && m.stem % 8 != 0)
        config_fail_member(args, ASSAY_EUNSUPPORTED, "stem_size", "expected a multiple of 8");
    mobilenet_list_read(v, args, &list);
    if (!family_ok(&v->own)) return;
    t->hidden = FEATURES;
    t->patches = (plan_patches){
        .size = 1, .channels = CHANNELS, .frames = 1, .order = PLAN_PATCHES_RASTER, .pixel_factor = 1};
    t->kind = PLAN_TOWER_CONV;
    t->conv = (plan_conv_tower){
        .blocks = calloc(list.n + 1, sizeof *t->conv.blocks), .n_blocks = list.n + 1, .side = m.side};
    if (!t->conv.blocks) config_fail(&v->config, ASSAY_ENOMEM, "model_args: out of memory for its blocks");
    if (family_ok(&v->own)) bind_blocks(&m, &list);
    if (family_ok(&v->own)) bind_fusion(&m, args);
    free(list.blocks);
}

void family_mobilenet(family_vision *v)
{
    config args;
    const char *name = config_text_or(&v->config, "architecture", "mobilenetv5_300m_enc");
    if (family_ok(&v->own) && strcmp(name, "mobilenetv5_300m_enc") != 0)
        config_fail_member(&v->config, ASSAY_EUNSUPPORTED, "architecture",
                           "expected \"mobilenetv5_300m_enc\"");
    json_object *object = config_member(&v->config, "model_args");
    if (!family_ok(&v->own)) return;
    if (!object) {
        bind_encoder(v, NULL);
        return;
    }
    config_begin_inside(&args, &v->config, "vision_config.model_args.", object);
    bind_encoder(v, &args);
    config_end_strict(&args, "expected only block_args, stem_size, msfa_indices and msfa_output_resolution");
}
