/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/cost_tower.h"

#include "model/plan/cost.h"

/* Counts a product in `count`, and its bytes. */
static void add_linear(plan_cost_tower *c, uint64_t *count, const plan_linear *l)
{
    c->weight_bytes += plan_cost_weight_bytes(&l->weight) + plan_cost_weight_bytes(&l->bias);
    if (l->weight.data) *count += (uint64_t)l->weight.rows * l->weight.cols;
}

static void add_norm(plan_cost_tower *c, const plan_norm *n)
{
    if (n->present) c->weight_bytes += plan_cost_weight_bytes(&n->weight) + plan_cost_weight_bytes(&n->bias);
}

static void add_layer(plan_cost_tower *c, const plan_tower_layer *l)
{
    const plan_attention *a = &l->attention;
    const plan_linear *const linears[] = {&a->q, &a->k, &a->v, &a->o, &l->mlp.gate, &l->mlp.up, &l->mlp.down};
    const plan_norm *const norms[] = {&l->mixer_in, &l->mixer_out, &l->mlp_in, &l->mlp_out,
                                      &a->q_norm,   &a->k_norm,    &a->v_norm};
    c->weight_bytes += plan_cost_weight_bytes(&l->mixer_gate) + plan_cost_weight_bytes(&l->mlp_gate);
    for (size_t i = 0; i < sizeof linears / sizeof *linears; i++) add_linear(c, &c->patch, linears[i]);
    for (size_t i = 0; i < sizeof norms / sizeof *norms; i++) add_norm(c, norms[i]);
    *(l->in_windows ? &c->n_window : &c->n_query) += a->n_heads * a->head_dim;
}

/* Products before the concatenation are of patches, those after it of tokens. */
static void add_merger(plan_cost_tower *c, const plan_merger *m, size_t merge)
{
    bool is_joined = merge == 1;
    for (size_t i = 0; i < m->n_steps; i++) {
        const plan_merger_step *step = &m->steps[i];
        if (step->kind == PLAN_MERGER_NORM) add_norm(c, &step->norm);
        if (step->kind == PLAN_MERGER_CONCATENATE) is_joined = true;
        if (step->kind == PLAN_MERGER_ROW_ENDS) c->weight_bytes += plan_cost_weight_bytes(&step->row_end);
        if (step->kind == PLAN_MERGER_ENDS)
            c->weight_bytes += plan_cost_weight_bytes(&step->begin) + plan_cost_weight_bytes(&step->end);
        for (size_t k = 0; k < plan_merger_linears(step); k++)
            add_linear(c, is_joined ? &c->merged : &c->patch, plan_merger_linear(step, k));
    }
}

/* A row of an audio clip is that of several frames, in whose columns the earlier convolutions are evaluated.
 */
static void add_audio(plan_cost_tower *c, const plan_audio *s)
{
    size_t n_bins = s->n_bins;
    for (size_t i = 0; i < PLAN_AUDIO_CONVOLUTIONS; i++) {
        const plan_linear *product = &s->convolutions[i].product;
        const size_t n_frames = (size_t)1 << (PLAN_AUDIO_CONVOLUTIONS - 1 - i);
        n_bins = plan_audio_half(n_bins);
        c->weight_bytes += plan_cost_weight_bytes(&product->weight) + plan_cost_weight_bytes(&product->bias);
        c->patch += (uint64_t)product->weight.rows * product->weight.cols * n_bins * n_frames;
    }
}

static void add_tiles(plan_cost_tower *c, const plan_tiles *k)
{
    const plan_weight *const weights[] = {&k->class_row,      &k->before,    &k->positions,
                                          &k->tile_positions, &k->after,     &k->before_gate,
                                          &k->positions_gate, &k->after_gate};
    c->tiles = k->n;
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        c->weight_bytes += plan_cost_weight_bytes(weights[i]);
    add_norm(c, &k->middle);
}

/* share: of the image's pixels that the block gets; replaced by that of its output. */
static void add_conv_block(plan_cost_tower *c, const plan_conv_block *b, double *share)
{
    const plan_attention *a = &b->attention;
    double keys = *share;
    c->weight_bytes += plan_cost_weight_bytes(&b->scale);
    for (size_t i = 0; i < plan_conv_block_convolutions(b); i++) {
        const plan_conv_unit *u = plan_conv_block_unit(b, i);
        const double stride = (double)u->convolution.stride;
        uint64_t count = 0;
        add_linear(c, &count, &u->convolution.product);
        add_norm(c, &u->norm);
        keys = *share / (stride * stride);
        c->pixel += keys * (double)count;
        if (b->kind == PLAN_CONV_UNITS) *share = keys;
    }
    if (b->kind == PLAN_CONV_UNITS) return;
    uint64_t queried = 0, keyed = 0;
    add_norm(c, &b->norm);
    add_linear(c, &queried, &a->q);
    add_linear(c, &queried, &a->o);
    add_linear(c, &keyed, &a->k);
    add_linear(c, &keyed, &a->v);
    c->pixel += *share * (double)queried + keys * (double)keyed;
    c->pair += 2 * *share * keys * (double)(a->n_heads * a->head_dim);
}

static void add_conv(plan_cost_tower *c, const plan_conv_tower *t)
{
    double share = 1, fused = 1;
    for (size_t i = 0; i < t->n_blocks; i++) {
        add_conv_block(c, &t->blocks[i], &share);
        if (t->taken[0] == i) fused = share;
    }
    add_conv_block(c, &t->fusion, &fused);
    c->merged *= (uint64_t)t->side * t->side; /* of an image: it has as many rows */
}

plan_cost_tower plan_cost_tower_read(const plan_tower *tower)
{
    plan_cost_tower c = {0};
    if (!tower->present) return c;
    c.block = plan_tower_block(tower);
    c.window = tower->window * tower->merge;
    if (tower->kind == PLAN_TOWER_AUDIO) add_audio(&c, &tower->audio);
    if (tower->kind == PLAN_TOWER_TILES) add_tiles(&c, &tower->tiles);
    add_linear(&c, &c.patch, &tower->patches.embed);
    add_norm(&c, &tower->in_norm);
    add_norm(&c, &tower->out_norm);
    c.weight_bytes += plan_cost_weight_bytes(&tower->table.weight) +
                      plan_cost_weight_bytes(&tower->pooling.bias) +
                      plan_cost_weight_bytes(&tower->pooling.scale);
    for (size_t i = 0; i < tower->n_layers; i++) add_layer(&c, &tower->layers[i]);
    add_merger(&c, &tower->merger, tower->merge);
    for (size_t i = 0; i < tower->n_deepstack; i++) add_merger(&c, &tower->deepstack[i].merger, tower->merge);
    if (tower->kind == PLAN_TOWER_CONV) add_conv(&c, &tower->conv);
    return c;
}

/* Sum of the squares of the parts into which windows of this side cut n. */
static double window_squares(size_t n, size_t side)
{
    const double rest = (double)(n % side);
    return (double)(n / side) * (double)side * (double)side + rest * rest;
}

double plan_cost_tower_multiplies(const plan_cost_tower *cost, const size_t grid[3])
{
    if (cost->block == 0) return 0;
    const double t = (double)grid[0], frame = (double)grid[1] * (double)grid[2];
    if (cost->pixel > 0) return (double)cost->merged + frame * cost->pixel + frame * frame * cost->pair;
    const double block = (double)cost->block * (double)cost->block;
    double sum = t * frame * (double)cost->patch + t * frame / block * (double)cost->merged;
    const double n_keys = cost->tiles ? t * frame : frame;
    sum += 2 * t * frame * n_keys * (double)cost->n_query; /* of the scores and of the weighted sum */
    if (cost->n_window)
        sum += 2 * t * window_squares(grid[1], cost->window) * window_squares(grid[2], cost->window) *
               (double)cost->n_window;
    return sum;
}
