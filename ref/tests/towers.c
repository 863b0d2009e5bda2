/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/tests/towers.h"

#include <math.h>
#include <stdlib.h>

#include "base/tests/support.h"
#include "model/plan/arrays.h"
#include "model/tests/weight.h"

enum { D = 8, MOST = 100 };

/* The numbers of the weights of a tower, until it is freed. */
static double pool[MOST][16 * D + 96];
static size_t n_pooled;

double towers_number(size_t seed, size_t i)
{
    return ((double)((7 * i + 13 * seed) % 17) - 8) / 16;
}

static plan_weight weight(size_t seed, size_t rows, size_t cols, double added)
{
    ck_assert_uint_lt(n_pooled, MOST);
    ck_assert_uint_le(rows * cols, sizeof *pool / sizeof **pool);
    double *data = pool[n_pooled++];
    for (size_t i = 0; i < rows * cols; i++) data[i] = added + towers_number(seed, i);
    return weight_of(data, ASSAY_F64, rows, cols);
}

/* The bias has the next seed. */
static plan_linear linear(size_t seed, size_t out, size_t in, bool has_bias)
{
    plan_linear made = {.weight = weight(seed, out, in, 0)};
    if (has_bias) made.bias = weight(seed + 1, 1, out, 0);
    return made;
}

static plan_norm rms_norm(size_t seed, size_t width)
{
    return (plan_norm){.present = true,
                       .kind = PLAN_RMS_NORM,
                       .epsilon = 1e-3,
                       .width = width,
                       .weight = weight(seed, 1, width, 1)};
}

static plan_norm layer_norm(size_t seed, size_t width)
{
    plan_norm made = rms_norm(seed, width);
    made.kind = PLAN_LAYER_NORM;
    made.bias = weight(seed + 1, 1, width, 0);
    return made;
}

static plan_norm bare_norm(size_t width)
{
    return (plan_norm){.present = true, .kind = PLAN_RMS_NORM, .epsilon = 1e-3, .width = width};
}

static plan_linear clipped(size_t seed, size_t out, size_t in)
{
    plan_linear made = linear(seed, out, in, false);
    made.clamp = (plan_clamp){true, -1, 1.25, -1.5, 1};
    return made;
}

static rope tower_rope(size_t dim, double theta, rope_pairing pairing, rope_sections sections)
{
    return (rope){.type = ROPE_DEFAULT,
                  .pairing = pairing,
                  .head_dim = dim,
                  .dim = dim,
                  .exponent_dim = dim / 2,
                  .theta = theta,
                  .attention_factor = 1,
                  .sections = sections};
}

static plan *tower_plan(size_t n_layers, size_t n_deepstack)
{
    plan *p = calloc(1, sizeof *p);
    ck_assert_ptr_nonnull(p);
    p->vision.present = true;
    p->vision.hidden = D;
    p->vision.n_layers = n_layers;
    p->vision.layers = calloc(n_layers, sizeof *p->vision.layers);
    p->vision.n_deepstack = n_deepstack;
    p->vision.deepstack = calloc(n_deepstack + 1, sizeof *p->vision.deepstack);
    ck_assert(p->vision.layers && p->vision.deepstack);
    return p;
}

static plan *realise(plan *p)
{
    assay_error err;
    ck_assert_int_eq(array_list_open(&p->arrays, &err), ASSAY_OK);
    ck_assert_int_eq(plan_derive(p, &err), ASSAY_OK);
    ck_assert_int_eq(array_list_realise(p->arrays, &err), ASSAY_OK);
    return p;
}

static plan_tower_layer blocks_layer(size_t seed)
{
    return (plan_tower_layer){.mixer_in = layer_norm(seed, D),
                              .mlp_in = layer_norm(seed + 12, D),
                              .attention = {.n_heads = 2,
                                            .n_kv_heads = 1,
                                            .head_dim = 4,
                                            .scale = 0.5,
                                            .mask = PLAN_MASK_NONE,
                                            .q = linear(seed + 2, D, D, true),
                                            .k = linear(seed + 4, 4, D, true),
                                            .v = linear(seed + 6, 4, D, true),
                                            .o = linear(seed + 10, D, D, true),
                                            .q_norm = rms_norm(seed + 8, 4),
                                            .k_norm = rms_norm(seed + 9, 4)},
                              .mlp = {.present = true,
                                      .intermediate = 6,
                                      .activation = ASSAY_GELU_TANH,
                                      .up = linear(seed + 14, 6, D, true),
                                      .down = linear(seed + 16, D, 6, true)}};
}

plan *towers_blocks(void)
{
    plan *p = tower_plan(2, 1);
    plan_tower *t = &p->vision;
    t->patches = (plan_patches){.size = 2,
                                .channels = 2,
                                .frames = 1,
                                .order = PLAN_PATCHES_BLOCKS,
                                .embed = linear(2, D, D, true),
                                .pixel_factor = 0.5,
                                .pixel_offset = 0.25,
                                .weights_channels_last = true};
    t->in_norm = rms_norm(4, D);
    t->table = (plan_table){.kind = PLAN_TABLE_BICUBIC, .side = 3, .weight = weight(5, 9, D, 0)};
    t->has_rope = true;
    t->rope = tower_rope(4, 100, ROPE_PAIRS_HALF, ROPE_SECTIONS_ROW_COLUMN);
    t->window = 1;
    t->layers[0] = blocks_layer(20);
    t->layers[0].in_windows = true;
    t->layers[1] = blocks_layer(40);
    t->out_norm = layer_norm(70, D);
    t->pooling = (plan_pooling){.side = 1, .factor = 1};
    t->merge = 2;
    t->merger = (plan_merger){5,
                              {{PLAN_MERGER_NORM, .norm = layer_norm(72, D)},
                               {.kind = PLAN_MERGER_CONCATENATE},
                               {PLAN_MERGER_LINEAR, .linear = linear(74, 7, 4 * D, true)},
                               {PLAN_MERGER_ACTIVATION, .activation = ASSAY_GELU},
                               {PLAN_MERGER_LINEAR, .linear = linear(76, TOWERS_FEATURES, 7, true)}}};
    t->deepstack[0].merger =
        (plan_merger){5,
                      {{.kind = PLAN_MERGER_CONCATENATE},
                       {PLAN_MERGER_NORM, .norm = layer_norm(60, 4 * D)},
                       {PLAN_MERGER_LINEAR, .linear = linear(62, 7, 4 * D, true)},
                       {PLAN_MERGER_ACTIVATION, .activation = ASSAY_GELU},
                       {PLAN_MERGER_LINEAR, .linear = linear(64, TOWERS_FEATURES, 7, true)}}};
    return realise(p);
}

plan *towers_raster(void)
{
    plan *p = tower_plan(1, 0);
    plan_tower *t = &p->vision;
    t->patches = (plan_patches){.size = 2,
                                .channels = 2,
                                .frames = 1,
                                .order = PLAN_PATCHES_RASTER,
                                .embed = linear(2, D, D, false),
                                .pixel_factor = 2,
                                .pixel_offset = -1};
    t->table = (plan_table){.kind = PLAN_TABLE_AXES, .side = 4, .weight = weight(5, 8, D, 0)};
    t->has_rope = true;
    t->rope = tower_rope(D, 100, ROPE_PAIRS_QUARTER, ROPE_SECTIONS_COLUMN_ROW);
    t->layers[0] = (plan_tower_layer){.mixer_in = rms_norm(20, D),
                                      .mixer_out = rms_norm(31, D),
                                      .mlp_in = rms_norm(32, D),
                                      .mlp_out = rms_norm(37, D),
                                      .attention = {.n_heads = 1,
                                                    .n_kv_heads = 1,
                                                    .head_dim = D,
                                                    .scale = 1,
                                                    .mask = PLAN_MASK_NONE,
                                                    .q = clipped(22, D, D),
                                                    .k = clipped(24, D, D),
                                                    .v = clipped(26, D, D),
                                                    .o = clipped(30, D, D),
                                                    .q_norm = rms_norm(28, D),
                                                    .k_norm = rms_norm(29, D),
                                                    .v_norm = bare_norm(D)},
                                      .mlp = {.present = true,
                                              .intermediate = 6,
                                              .activation = ASSAY_GELU_TANH,
                                              .gate = clipped(33, 6, D),
                                              .up = clipped(34, 6, D),
                                              .down = clipped(36, D, 6)}};
    t->pooling = (plan_pooling){
        .side = 2, .factor = sqrt(D), .bias = weight(70, 1, D, 0), .scale = weight(71, 1, D, 1)};
    t->merge = 1;
    t->merger = (plan_merger){2,
                              {{PLAN_MERGER_NORM, .norm = bare_norm(D)},
                               {PLAN_MERGER_LINEAR, .linear = linear(76, TOWERS_FEATURES, D, false)}}};
    return realise(p);
}

void towers_free(plan *p)
{
    array_list_free(p->arrays);
    free(p->frequencies);
    free(p->vision.layers);
    free(p->vision.deepstack);
    free(p);
    n_pooled = 0;
}
