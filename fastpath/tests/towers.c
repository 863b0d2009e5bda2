/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tests/towers.h"

#include "base/tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/tests/weight.h"

enum { IMAGE = 1, MEMORY_MAX = 4096 };

/* The plan, and what it borrows. */
typedef struct owned {
    plan plan; /* first */
    const tower_shape *shape;
    void *memory[MEMORY_MAX];
    size_t n_memory;
} owned;

static void *keep(owned *o, void *memory)
{
    ck_assert_ptr_nonnull(memory);
    ck_assert_uint_lt(o->n_memory, MEMORY_MAX);
    return o->memory[o->n_memory++] = memory;
}

/* In -1 … 1. */
double towers_number(const char *name, size_t i)
{
    uint64_t x = hash_bytes(name, strlen(name)) + i * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    return (double)(float)((double)(x >> 40) / (double)(1U << 23) - 1);
}

enum { GROUP = 32 };

/* The scale and the code of an element of a quantised matrix: values are scale * (code - 128). */
static float scale_of(size_t cols)
{
    return (float)(sqrt(3 / (double)cols) / 127);
}

static uint8_t code_of(const char *name, size_t i)
{
    return (uint8_t)(128 + (int)floor(127 * towers_number(name, i)));
}

double towers_weight(const plan_weight *w, size_t i)
{
    if (w->values) return (double)(float)towers_number(w->name, i);
    if (!w->stored.scale.layout)
        return (double)(float)(towers_number(w->name, i) * sqrt(3 / (double)w->cols));
    return (double)scale_of(w->cols) * (code_of(w->name, i) - 128);
}

/* Bytes are codes of 8 bits in little-endian words. */
static void quantise(owned *o, plan_weight *w)
{
    const size_t n = w->rows * w->cols, n_groups = n / GROUP;
    uint8_t *codes = keep(o, malloc(n));
    float *scales = keep(o, malloc(2 * n_groups * sizeof *scales));
    for (size_t i = 0; i < n; i++) codes[i] = code_of(w->name, i);
    for (size_t g = 0; g < n_groups; g++) {
        scales[g] = scale_of(w->cols);
        scales[n_groups + g] = -128 * scale_of(w->cols);
    }
    const affine groups = {8, GROUP, scales, scales + n_groups, ASSAY_F32, ASSAY_F32};
    const char *name = w->name;
    *w = weight_of_affine(&groups, codes, w->rows, w->cols);
    w->name = name;
}

static plan_weight matrix(owned *o, const char *name, size_t rows, size_t cols)
{
    plan_weight w = {.name = keep(o, strdup(name)), .rows = rows, .cols = cols};
    if (o->shape->is_quantised && cols % GROUP == 0) {
        quantise(o, &w);
        return w;
    }
    float *data = keep(o, malloc(rows * cols * sizeof *data));
    for (size_t i = 0; i < rows * cols; i++) data[i] = (float)towers_weight(&w, i);
    const char *own = w.name;
    w = weight_of(data, ASSAY_F32, rows, cols);
    w.name = own;
    return w;
}

static assay_status draw_vector(void *context, array *self, array *const *inputs, assay_error *e)
{
    double *v = array_allocate(self);
    (void)inputs;
    (void)e;
    for (size_t i = 0; i < array_bytes(self) / sizeof *v; i++) v[i] = towers_number(context, i);
    return ASSAY_OK;
}

static plan_weight vector(owned *o, const char *name, size_t n)
{
    static const char PRESENT;
    plan_weight w = weight_of(&PRESENT, ASSAY_F32, 1, n);
    w.name = keep(o, strdup(name));
    w.values = array_list_defer(o->plan.arrays, name, false, n * sizeof(double),
                                (array_maker){draw_vector, keep(o, strdup(name)), NULL}, NULL, 0);
    return w;
}

static plan_linear linear(owned *o, const char *name, size_t rows, size_t cols)
{
    char bias[64];
    (void)snprintf(bias, sizeof bias, "%s.bias", name);
    plan_linear l = {.weight = matrix(o, name, rows, cols)};
    if (o->shape->has_biases) l.bias = vector(o, bias, rows);
    if (o->shape->has_clips)
        l.clamp = (plan_clamp){true, -1.5 + 0.1 * towers_number(name, 0), 1.25, -(double)INFINITY, 0.75};
    return l;
}

static plan_norm norm(owned *o, const char *name, size_t width, bool present)
{
    char bias[64];
    (void)snprintf(bias, sizeof bias, "%s.bias", name);
    if (!present) return (plan_norm){0};
    plan_norm n = {.present = true, .kind = o->shape->norm, .epsilon = 1e-6, .width = width, .offset = 1};
    n.weight = vector(o, name, width);
    if (n.kind == PLAN_LAYER_NORM) n.bias = vector(o, bias, width);
    return n;
}

static void add_step(plan_merger *m, plan_merger_step step)
{
    ck_assert_uint_lt(m->n_steps, PLAN_MERGER_STEPS_MAX);
    m->steps[m->n_steps++] = step;
}

static plan_mlp gated_mlp(owned *o, const char *name, size_t width, size_t intermediate)
{
    char part[3][64];
    static const char *const PARTS[] = {"gate", "up", "down"};
    for (size_t i = 0; i < 3; i++) (void)snprintf(part[i], sizeof part[i], "%s.%s", name, PARTS[i]);
    return (plan_mlp){.present = true,
                      .intermediate = intermediate,
                      .activation = ASSAY_SILU,
                      .gate = linear(o, part[0], intermediate, width),
                      .up = linear(o, part[1], intermediate, width),
                      .down = linear(o, part[2], width, intermediate)};
}

/* A norm, an MLP and every row twice. */
static void add_deep_steps(owned *o, plan_merger *m, const char *name, size_t width)
{
    char part[64];
    (void)snprintf(part, sizeof part, "%s.inner", name);
    add_step(m, (plan_merger_step){PLAN_MERGER_NORM, .norm = norm(o, part, width, true)});
    add_step(m, (plan_merger_step){PLAN_MERGER_MLP, .mlp = gated_mlp(o, name, width, width + 3)});
    add_step(m, (plan_merger_step){.kind = PLAN_MERGER_REPEAT});
}

/* A vector after each row of blocks. */
static void add_row_ends(owned *o, plan_merger *m, size_t width)
{
    add_step(m, (plan_merger_step){PLAN_MERGER_ROW_ENDS, .row_end = vector(o, "row_end", width)});
}

/* A vector before and one after all rows, and a norm of them all. */
static void add_ends(owned *o, plan_merger *m, size_t width)
{
    add_step(m, (plan_merger_step){PLAN_MERGER_ENDS, .begin = vector(o, "begin", width),
                                   .end = vector(o, "end", width)});
    add_step(m, (plan_merger_step){PLAN_MERGER_NORM, .norm = norm(o, "merger.last", width, true)});
}

static plan_merger merger(owned *o, const char *name, bool norm_is_last)
{
    char part[64];
    const tower_shape *s = o->shape;
    const size_t wide = s->merge * s->merge * s->hidden;
    plan_merger m = {0};
    (void)snprintf(part, sizeof part, "%s.norm", name);
    if (norm_is_last) add_step(&m, (plan_merger_step){PLAN_MERGER_CONCATENATE, .channels_first = s->is_deep});
    add_step(&m, (plan_merger_step){PLAN_MERGER_NORM,
                                    .norm = norm(o, part, norm_is_last ? wide : s->hidden, true)});
    if (!norm_is_last)
        add_step(&m, (plan_merger_step){PLAN_MERGER_CONCATENATE, .channels_first = s->is_deep});
    (void)snprintf(part, sizeof part, "%s.first", name);
    if (s->pool <= 1) {
        add_step(&m, (plan_merger_step){PLAN_MERGER_LINEAR, .linear = linear(o, part, wide, wide)});
        if (s->is_deep) add_deep_steps(o, &m, name, wide);
        add_step(&m, (plan_merger_step){PLAN_MERGER_ACTIVATION, .activation = ASSAY_GELU});
    }
    if (s->adds_rows) add_row_ends(o, &m, wide);
    (void)snprintf(part, sizeof part, "%s.second", name);
    add_step(&m, (plan_merger_step){PLAN_MERGER_LINEAR,
                                    .linear = linear(o, part, s->text_hidden, s->is_deep ? 2 * wide : wide)});
    if (s->adds_rows) add_ends(o, &m, s->text_hidden);
    return m;
}

static void make_layer(owned *o, size_t i, plan_tower_layer *l)
{
    const tower_shape *s = o->shape;
    char n[16][40];
    static const char *const PARTS[] = {"q",  "k",  "v",  "o",  "gate", "up", "down",
                                        "n1", "n2", "n3", "n4", "qn",   "kn", "vn"};
    for (size_t k = 0; k < 14; k++) (void)snprintf(n[k], sizeof n[k], "layer.%zu.%s", i, PARTS[k]);
    const size_t q = s->n_heads * s->head_dim, kv = s->n_kv_heads * s->head_dim;
    l->attention = (plan_attention){.n_heads = s->n_heads,
                                    .n_kv_heads = s->n_kv_heads,
                                    .head_dim = s->head_dim,
                                    .scale = 1 / sqrt((double)s->head_dim),
                                    .mask = PLAN_MASK_NONE,
                                    .rope = s->has_rope ? 0 : PLAN_NONE,
                                    .q = linear(o, n[0], q, s->hidden),
                                    .k = linear(o, n[1], kv, s->hidden),
                                    .v = linear(o, n[2], kv, s->hidden),
                                    .o = linear(o, n[3], s->hidden, q)};
    l->mlp = (plan_mlp){.present = true,
                        .intermediate = s->intermediate,
                        .activation = s->activation,
                        .up = linear(o, n[5], s->intermediate, s->hidden),
                        .down = linear(o, n[6], s->hidden, s->intermediate)};
    if (s->is_gated) l->mlp.gate = linear(o, n[4], s->intermediate, s->hidden);
    l->mixer_in = norm(o, n[7], s->hidden, true);
    l->mixer_out = norm(o, n[8], s->hidden, s->has_post_norms);
    l->mlp_in = norm(o, n[9], s->hidden, true);
    l->mlp_out = norm(o, n[10], s->hidden, s->has_post_norms);
    l->attention.q_norm = norm(o, n[11], s->head_dim, s->has_head_norms);
    l->attention.k_norm = norm(o, n[12], s->head_dim, s->has_head_norms);
    l->attention.v_norm = norm(o, n[13], s->head_dim, s->has_head_norms);
    l->in_windows = s->window > 0 && (s->full_every == 0 || (i + 1) % s->full_every != 0);
}

static assay_status make_frequencies(void *context, array *self, array *const *inputs, assay_error *e)
{
    (void)inputs;
    (void)e;
    rope_frequencies(context, 1, array_allocate(self));
    return ASSAY_OK;
}

static void make_rope(owned *o, plan_tower *t)
{
    const size_t d = o->shape->head_dim;
    t->has_rope = true;
    t->rope = (rope){.type = ROPE_DEFAULT,
                     .pairing = o->shape->has_quarters ? ROPE_PAIRS_QUARTER : ROPE_PAIRS_HALF,
                     .sections = o->shape->has_quarters ? ROPE_SECTIONS_COLUMN_ROW : ROPE_SECTIONS_ROW_COLUMN,
                     .head_dim = d,
                     .dim = d,
                     .exponent_dim = d / 2,
                     .theta = 100,
                     .attention_factor = 1};
    t->frequency.usual =
        array_list_defer(o->plan.arrays, "tower.inverse_frequency", true, d / 2 * sizeof(double),
                         (array_maker){make_frequencies, &t->rope, NULL}, NULL, 0);
}

static void make_tower(owned *o)
{
    const tower_shape *s = o->shape;
    plan_tower *t = &o->plan.vision;
    *t = (plan_tower){.present = true,
                      .hidden = s->hidden,
                      .n_layers = s->n_layers,
                      .window = s->window,
                      .merge = s->merge,
                      .image_token = IMAGE,
                      .video_token = s->adds_rows ? -1 : IMAGE + 1};
    t->patches = (plan_patches){.size = s->patch,
                                .channels = 3,
                                .frames = s->frames,
                                .order = s->order,
                                .pixel_factor = s->channels_last ? 2 : 1,
                                .pixel_offset = s->channels_last ? -1 : 0,
                                .weights_channels_last = s->channels_last};
    t->patches.embed = linear(o, "embed", s->hidden, 3 * s->frames * s->patch * s->patch);
    t->in_norm = norm(o, "in_norm", s->hidden, s->has_in_norm);
    t->out_norm = norm(o, "out_norm", s->hidden, s->has_post_norms);
    t->table = (plan_table){.kind = s->table, .aligns_corners = s->aligns_corners, .side = s->table_side};
    if (s->table != PLAN_TABLE_NONE)
        t->table.weight =
            matrix(o, "table", s->table_side * (s->table == PLAN_TABLE_AXES ? 2 : s->table_side), s->hidden);
    if (s->has_rope) make_rope(o, t);
    t->layers = keep(o, calloc(s->n_layers, sizeof *t->layers));
    for (size_t i = 0; i < s->n_layers; i++) make_layer(o, i, &t->layers[i]);
    t->pooling = (plan_pooling){.side = s->pool ? s->pool : 1, .factor = s->pool ? 3 : 1};
    if (s->is_standardised) t->pooling.bias = vector(o, "pool_bias", s->hidden);
    if (s->is_standardised) t->pooling.scale = vector(o, "pool_scale", s->hidden);
    t->merger = merger(o, "merger", s->norm_is_last);
    t->n_deepstack = s->n_deepstack;
    t->deepstack = keep(o, calloc(s->n_deepstack + 1, sizeof *t->deepstack));
    for (size_t k = 0; k < s->n_deepstack; k++)
        t->deepstack[k] = (plan_deepstack){k, merger(o, k == 0 ? "deep.0" : "deep.1", true)};
}

fp_model *towers_open(const tower_shape *shape, assay_dtype compute, size_t n_workers)
{
    assay_error e;
    fp_isa isa;
    owned *o = calloc(1, sizeof *o);
    fp_model *m = calloc(1, sizeof *m);
    ck_assert(o && m);
    o->shape = shape;
    o->plan.dir = "tower";
    o->plan.hidden = shape->text_hidden;
    ck_assert_int_eq(array_list_open(&o->plan.arrays, &e), ASSAY_OK);
    make_tower(o);
    m->plan = &o->plan;
    ck_assert_int_eq(fp_isa_choose(getenv("ASSAY_ISA"), "ASSAY_ISA", &isa, &e), ASSAY_OK);
    m->kernels = fp_kernels_pick(isa);
    ck_assert_int_eq(fp_pool_open(n_workers, 0, &m->pool, &e), ASSAY_OK);
    m->packer =
        (fp_packer){.pool = m->pool, .kernels = &m->kernels, .arrays = o->plan.arrays, .compute = compute};
    fp_tower_pack(&m->packer, &m->vision, &o->plan.vision);
    m->ones = fp_tower_ones(&m->packer, &o->plan);
    ck_assert_msg(array_list_realise(o->plan.arrays, &e) == ASSAY_OK, "%s", e.text);
    return m;
}

void towers_free(fp_model *m)
{
    owned *o = (owned *)(void *)m->plan;
    fp_pool_free(m->pool);
    array_list_free(o->plan.arrays);
    fp_pack_free(&m->packer);
    for (size_t i = 0; i < o->n_memory; i++) free(o->memory[i]);
    free(o);
    free(m);
}

const medium *towers_medium(const fp_model *m, size_t t, size_t h, size_t w, unsigned seed)
{
    const plan *p = m->plan;
    const size_t width = p->vision.patches.embed.weight.cols, n = t * h * w;
    const int64_t grid[] = {(int64_t)t, (int64_t)h, (int64_t)w};
    char name[24];
    assay_error e;
    float *pixels = malloc(n * width * sizeof *pixels);
    const size_t n_tokens = plan_tower_tokens(&p->vision, (const size_t[]){t, h, w});
    int32_t *tokens = malloc(n_tokens * sizeof *tokens);
    ck_assert(pixels && tokens);
    (void)snprintf(name, sizeof name, "pixels.%u", seed);
    for (size_t i = 0; i < n * width; i++) pixels[i] = (float)towers_number(name, i);
    const bool is_video = t > 1;
    for (size_t i = 0; i < n_tokens; i++) tokens[i] = is_video ? IMAGE + 1 : IMAGE;
    const assay_tensor tensors[] = {
        {is_video ? "pixel_values_videos" : "pixel_values", ASSAY_F32, 2, {n, width}, pixels},
        {is_video ? "video_grid_thw" : "image_grid_thw", ASSAY_I64, 2, {1, 3}, grid}};
    const assay_item item = {
        .kind = is_video ? ASSAY_ITEM_VIDEO : ASSAY_ITEM_IMAGE, .tensors = tensors, .n_tensors = 2};
    const assay_step step = {.tokens = tokens, .n_tokens = n_tokens, .items = &item, .n_items = 1};
    media_list list = {0};
    ck_assert_msg(media_list_add(&list, p, &step, 0, tokens, true, &e) == ASSAY_OK, "%s", e.text);
    const medium *input = list.place[0].medium;
    medium_retain(input);
    media_list_free(&list);
    free(pixels);
    free(tokens);
    return input;
}
