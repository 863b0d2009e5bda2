/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/shapes_tower.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/plan/checker.h"
#include "model/plan/shapes_conv.h"

static void fail_part(checker *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fail_part(checker *c, const char *format, ...)
{
    char reason[300];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    if (c->status == ASSAY_OK)
        c->status = assay_fail(c->err, ASSAY_EFORMAT, "%s: %s%s", c->plan->dir, c->where, reason);
}

static void check_patches(checker *c, const plan_tower *t)
{
    const plan_patches *p = &t->patches;
    if (p->channels == 0 || p->frames == 0 || p->size == 0)
        fail_part(c, "patches: found %zu channels, %zu frames and %zu pixels, expected at least 1 of each",
                  p->channels, p->frames, p->size);
    if (t->merge == 0 || t->pooling.side == 0)
        fail_part(c, "patches: found blocks of %zu and pools of %zu, expected at least 1", t->merge,
                  t->pooling.side);
    if (t->merge > 1 && t->pooling.side > 1)
        fail_part(c, "patches: found blocks of %zu and pools of %zu, expected 1 of one of them", t->merge,
                  t->pooling.side);
    if (t->kind != PLAN_TOWER_CONV)
        checker_linear(c, "patches.embed", &p->embed, t->hidden, plan_patches_width(p));
}

static void check_audio(checker *c, const plan_tower *t)
{
    const plan_audio *s = &t->audio;
    size_t before = 1;
    if (s->n_bins == 0 || s->chunk == 0)
        fail_part(c, "audio: found %zu bins and chunks of %zu frames, expected at least 1", s->n_bins,
                  s->chunk);
    for (size_t i = 0; i < PLAN_AUDIO_CONVOLUTIONS; i++) {
        const plan_linear *l = &s->convolutions[i].product;
        checker_linear(c, "audio.convolution", l, l->weight.rows, before * PLAN_AUDIO_SIDE * PLAN_AUDIO_SIDE);
        before = l->weight.rows;
    }
    if (plan_patches_width(&t->patches) != plan_audio_width(s) || t->merge != 1 || t->pooling.side != 1)
        fail_part(c, "patches: found rows of %zu in blocks of %zu, expected rows of audio of %zu, each alone",
                  plan_patches_width(&t->patches), t->merge * t->pooling.side, plan_audio_width(s));
}

static void check_table(checker *c, const plan_table *table, size_t width)
{
    if (table->kind == PLAN_TABLE_NONE) return;
    if (table->kind == PLAN_TABLE_SINUSOIDS) {
        if (width < 4 || width % 2 != 0 || table->period == 0)
            fail_part(c,
                      "table: found sinusoids of %zu elements and a period of %zu, expected an even number "
                      "from 4 on, and a period from 1 on",
                      width, table->period);
        return;
    }
    checker_matrix(c, "table", &table->weight,
                   table->kind == PLAN_TABLE_AXES ? 2 * table->side : table->side * table->side, width);
}

static void check_rope(checker *c, const plan_tower *t)
{
    const rope *r = &t->rope;
    if (!t->has_rope) return;
    if (r->sections != ROPE_SECTIONS_ROW_COLUMN && r->sections != ROPE_SECTIONS_COLUMN_ROW)
        fail_part(c, "rope: found other axes than row and column");
    if (r->dim == 0 || r->dim > r->head_dim || r->dim % 4 != 0)
        fail_part(c, "rope: found %zu of %zu elements, expected a multiple of 4", r->dim, r->head_dim);
}

static void check_attention(checker *c, const plan_tower *t, const plan_attention *a, size_t i)
{
    const size_t d = t->hidden, q = a->n_heads * a->head_dim, kv = a->n_kv_heads * a->head_dim;
    if (a->n_kv_heads == 0 || a->n_heads % a->n_kv_heads != 0)
        fail_part(c, "attention: found %zu heads and %zu key/value heads, expected a multiple", a->n_heads,
                  a->n_kv_heads);
    if (a->mask != PLAN_MASK_NONE || a->window != 0 || a->cache_layer != i || a->value_is_key || a->is_gated)
        fail_part(c, "attention: found a mask, a window, shared keys or a gate, expected none in a tower");
    if (a->rope != PLAN_NONE && (a->rope != 0 || !t->has_rope))
        fail_part(c, "rope: found rope %zu, expected that of the tower or none", a->rope);
    if (a->rope != PLAN_NONE && t->rope.head_dim != a->head_dim)
        fail_part(c, "rope: found heads of %zu, expected heads of %zu", t->rope.head_dim, a->head_dim);
    checker_linear(c, "q", &a->q, q, d);
    checker_linear(c, "k", &a->k, kv, d);
    checker_linear(c, "v", &a->v, kv, d);
    checker_linear(c, "o", &a->o, d, q);
    checker_norm(c, "q_norm", &a->q_norm, a->head_dim);
    checker_norm(c, "k_norm", &a->k_norm, a->head_dim);
    checker_norm(c, "v_norm", &a->v_norm, a->head_dim);
}

static void check_layer(checker *c, const plan_tower *t, size_t i)
{
    const plan_tower_layer *l = &t->layers[i];
    (void)snprintf(c->where, sizeof c->where, "tower.layers.%zu.", i);
    checker_norm(c, "mixer_in", &l->mixer_in, t->hidden);
    checker_norm(c, "mixer_out", &l->mixer_out, t->hidden);
    checker_norm(c, "mlp_in", &l->mlp_in, t->hidden);
    checker_norm(c, "mlp_out", &l->mlp_out, t->hidden);
    check_attention(c, t, &l->attention, i);
    checker_mlp(c, &l->mlp, t->hidden);
    checker_vector(c, "mixer_gate", &l->mixer_gate, 1);
    checker_vector(c, "mlp_gate", &l->mlp_gate, 1);
    if (!l->mlp.present) fail_part(c, "mlp: found none");
    if (l->in_windows && t->window == 0) fail_part(c, "window: found a side of 0, expected at least 1");
}

/* width: that of the step's input. */
static void check_step(checker *c, const plan_merger_step *step, size_t width)
{
    switch (step->kind) {
    case PLAN_MERGER_NORM: checker_norm(c, "norm", &step->norm, width); break;
    case PLAN_MERGER_LINEAR:
        checker_linear(c, "linear", &step->linear, step->linear.weight.rows, width);
        break;
    case PLAN_MERGER_MLP:
        checker_mlp(c, &step->mlp, width);
        if (!step->mlp.present) fail_part(c, "mlp: found none");
        break;
    case PLAN_MERGER_ROW_ENDS: checker_vector(c, "row_end", &step->row_end, width); break;
    case PLAN_MERGER_ENDS:
        checker_vector(c, "begin", &step->begin, width);
        checker_vector(c, "end", &step->end, width);
        break;
    case PLAN_MERGER_CONCATENATE:
    case PLAN_MERGER_ACTIVATION:
    case PLAN_MERGER_REPEAT: break;
    }
}

/* Rows are added once, to whole images, and none before the rows of blocks are joined. */
static void check_added_rows(checker *c, const plan_tower *t, const plan_merger *m)
{
    const plan_merger_extra extra = plan_merger_extra_rows(m);
    bool is_joined = t->merge == 1, has_ends = false;
    for (size_t i = 0; i < m->n_steps; i++) {
        const plan_merger_kind kind = m->steps[i].kind;
        if (plan_merger_adds_rows(&m->steps[i]) && (!is_joined || has_ends))
            fail_part(
                c,
                "steps: found rows added by step %zu, expected them after the concatenation, the ends last",
                i);
        is_joined = is_joined || kind == PLAN_MERGER_CONCATENATE;
        has_ends = has_ends || kind == PLAN_MERGER_ENDS;
    }
    if (extra.row_end > 1 || extra.begin > 1)
        fail_part(c, "steps: found %zu ends of rows and %zu of images, expected at most one of each",
                  extra.row_end, extra.begin);
    if (extra.row_end + extra.begin > 0 && (t->n_deepstack > 0 || t->video_token >= 0 || t->window > 0))
        fail_part(c,
                  "steps: found rows added to features of videos, windows or earlier layers, expected images "
                  "alone");
}

static void check_merger(checker *c, const plan_tower *t, const plan_merger *m)
{
    char where[sizeof c->where];
    size_t width = m == &t->merger ? plan_tower_state(t) : t->hidden, n_joined = 0;
    (void)snprintf(where, sizeof where, "%s", c->where);
    for (size_t i = 0; i < m->n_steps; i++) {
        const plan_merger_step *step = &m->steps[i];
        (void)snprintf(c->where, sizeof c->where, "%.38ssteps.%zu.", where, i);
        check_step(c, step, width);
        n_joined += step->kind == PLAN_MERGER_CONCATENATE;
        width = plan_merger_step_width(step, width, t->merge);
    }
    memcpy(c->where, where, sizeof where);
    check_added_rows(c, t, m);
    if (n_joined > 1 || (n_joined == 0 && t->merge > 1))
        fail_part(c, "steps: found %zu concatenations of blocks of %zu, expected one", n_joined, t->merge);
    if (width != c->plan->hidden)
        fail_part(c, "steps: found rows of %zu, expected the language model's width, %zu", width,
                  c->plan->hidden);
}

/* Crops are frames of the size of the table, of which a crop between two others keeps a part. */
static void check_crops(checker *c, const plan_tower *t)
{
    if (t->kind == PLAN_TOWER_CROPS &&
        (t->table.kind != PLAN_TABLE_BILINEAR || 2 * t->crops.margin >= t->table.side || t->merge != 1 ||
         t->pooling.side != 1 || t->video_token >= 0 || t->takes_places))
        fail_part(
            c,
            "crops: found a margin of %zu, expected less than half of a table of two taps (%zu), images "
            "alone, and neither blocks nor pools",
            t->crops.margin, t->table.side);
}

static void check_deepstack(checker *c, const plan_tower *t)
{
    if (t->n_deepstack > c->plan->n_layers)
        fail_part(c, "deepstack: found features for %zu decoder layers, expected at most %zu", t->n_deepstack,
                  c->plan->n_layers);
    for (size_t k = 0; k < t->n_deepstack; k++) {
        const plan_deepstack *d = &t->deepstack[k];
        (void)snprintf(c->where, sizeof c->where, "tower.deepstack.%zu.", k);
        if (d->tower_layer >= t->n_layers || (k > 0 && d->tower_layer <= d[-1].tower_layer))
            fail_part(c, "tower_layer: found %zu, expected a later one of %zu", d->tower_layer, t->n_layers);
        check_merger(c, t, &d->merger);
    }
}

/* The counts that the engines rely on. */
static void check_tile_counts(checker *c, const plan_tower *t)
{
    const plan_tiles *k = &t->tiles;
    if (k->side == 0 || k->padded < plan_tiles_rows(k) || k->second > t->n_layers)
        fail_part(c, "tiles: found %zu patches a side, %zu rows and a second part from layer %zu on", k->side,
                  k->padded, k->second);
    if (k->n_ratios > PLAN_RATIOS_MAX || k->n_collected > PLAN_COLLECTED_MAX) {
        fail_part(c, "tiles: found %zu ratios and %zu collected layers, expected at most %d and %d",
                  k->n_ratios, k->n_collected, PLAN_RATIOS_MAX, PLAN_COLLECTED_MAX);
        return;
    }
    for (size_t i = 0; i < k->n_ratios; i++)
        if (k->ratio[i][0] == 0 || k->ratio[i][1] == 0 || k->ratio[i][0] > k->n || k->ratio[i][1] > k->n ||
            plan_tiles_of(k, i + 1) > k->n)
            fail_part(c, "tiles: ratio %zu: found %zu x %zu tiles, expected 1 to %zu", i + 1, k->ratio[i][0],
                      k->ratio[i][1], k->n);
    for (size_t i = 0; i < k->n_collected; i++)
        if (k->collected[i] > t->n_layers)
            fail_part(c, "tiles: found the state of layer %zu, expected at most %zu", k->collected[i],
                      t->n_layers);
}

/* A tower with tiles has only the parts that tiles.h names. */
static void check_tiles(checker *c, const plan_tower *t)
{
    const plan_tiles *k = &t->tiles;
    if (k->n == 0) fail_part(c, "tiles: found 0, expected some for attention to images");
    const size_t d = t->hidden, n = plan_tiles_rows(k), n_tiles = (k->n_ratios + 1) * k->n;
    if (t->table.kind != PLAN_TABLE_NONE || t->has_rope || t->window != 0 || t->out_norm.present ||
        t->pooling.side != 1 || t->merge != 1 || t->n_deepstack != 0 || t->video_token >= 0 ||
        t->patches.frames != 1 || t->takes_places)
        fail_part(c, "tiles: found parts that a tower with tiles does not have");
    check_tile_counts(c, t);
    checker_matrix(c, "tiles.class_row", &k->class_row, 1, d);
    checker_matrix(c, "tiles.before", &k->before, n_tiles, d);
    checker_matrix(c, "tiles.positions", &k->positions, n, d);
    checker_matrix(c, "tiles.tile_positions", &k->tile_positions, n_tiles * n, d);
    checker_matrix(c, "tiles.before_gate", &k->before_gate, 1, 1);
    checker_matrix(c, "tiles.positions_gate", &k->positions_gate, 1, 1);
    if (k->second == t->n_layers) return;
    checker_matrix(c, "tiles.after", &k->after, n_tiles, d);
    checker_matrix(c, "tiles.after_gate", &k->after_gate, 1, 1);
    checker_norm(c, "tiles.middle", &k->middle, d);
}

assay_status plan_check_tower(const checker *whole, const plan_tower *t)
{
    checker c = *whole;
    (void)snprintf(c.where, sizeof c.where, "tower.");
    if (t->kind == PLAN_TOWER_AUDIO) check_audio(&c, t);
    check_patches(&c, t);
    checker_norm(&c, "in_norm", &t->in_norm, t->hidden);
    check_table(&c, &t->table, t->hidden);
    check_rope(&c, t);
    if (t->kind == PLAN_TOWER_TILES) check_tiles(&c, t);
    for (size_t i = 0; c.status == ASSAY_OK && i < t->n_layers; i++) check_layer(&c, t, i);
    if (t->kind == PLAN_TOWER_CONV) plan_check_conv(&c, t);
    (void)snprintf(c.where, sizeof c.where, "tower.");
    checker_norm(&c, "out_norm", &t->out_norm, t->hidden);
    checker_vector(&c, "pooling.bias", &t->pooling.bias, t->hidden);
    checker_vector(&c, "pooling.scale", &t->pooling.scale, t->hidden);
    (void)snprintf(c.where, sizeof c.where, "tower.merger.");
    check_merger(&c, t, &t->merger);
    (void)snprintf(c.where, sizeof c.where, "tower.");
    check_deepstack(&c, t);
    check_crops(&c, t);
    return c.status;
}
