/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/tiles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/arithmetic/weight.h"
#include "ref/merger.h"
#include "ref/tile_rows.h"
#include "ref/tower_layer.h"

/* The evaluation of a tower. x: [n_images · T · L, D], the state; collected: [K] of the same. */
typedef struct evaluation {
    const plan_tower *tower;
    const plan_tiles *tiles;
    const size_t *ratios;
    size_t n_images, n_rows, first_traced;
    ref_tracer tracer;
    ref_tile_rows rows;
    ref_real *x;
    ref_real *collected[PLAN_COLLECTED_MAX];
} evaluation;

/* Passes rows to the tap, n_each of an image, from the first traced image on. */
static assay_status trace(const evaluation *e, ref_real *x, size_t n_each, size_t width, const char *name)
{
    ref_tracer tracer = e->tracer;
    tracer.first_row = e->first_traced * n_each;
    if (e->first_traced >= e->n_images) return ASSAY_OK;
    return ref_trace(&tracer, x, e->n_images * n_each, width, "%s", name);
}

/* tanh of a gate, a vector of one element. */
static double read_gate(const plan_weight *gate)
{
    ref_real value;
    ref_weight_rows(gate, 0, 1, &value);
    return tanh((double)value);
}

/* x += factor · row. x, row: [n] */
static void add_scaled(ref_real *x, const ref_real *row, size_t n, double factor)
{
    for (size_t i = 0; i < n; i++) x[i] = (ref_real)((double)x[i] + factor * (double)row[i]);
}

/* Adds the table's row of each tile to n rows of the tile, that follow each other; tiles are n_apart rows
 * apart. x: [n_images · T · n_apart, D]; table: [(n_ratios + 1) · T, D]. */
static assay_status add_tile_table(const evaluation *e, ref_real *x, size_t n, size_t n_apart,
                                   const plan_weight *table, double factor)
{
    const size_t d = e->tower->hidden, t = e->tiles->n;
    ref_real *row = ref_alloc(t, d);
    if (!row) return ASSAY_ENOMEM;
    for (size_t image = 0; image < e->n_images; image++) {
        ref_weight_rows(table, e->ratios[image] * t, t, row);
        for (size_t tile = 0; tile < t; tile++)
            for (size_t i = 0; i < n; i++)
                add_scaled(x + ((image * t + tile) * n_apart + i) * d, row + tile * d, d, factor);
    }
    free(row);
    return ASSAY_OK;
}

/* patches: [n_images · T · g², D] receives the embedded patches with the table of their tiles. */
static assay_status embed_patches(const evaluation *e, const double *pixels, ref_real *patches)
{
    const plan_patches *p = &e->tower->patches;
    const size_t width = plan_patches_width(p), n_each = e->tiles->side * e->tiles->side,
                 n = e->n_images * e->tiles->n * n_each;
    ref_real *rows = ref_alloc(n, width);
    if (!rows) return ASSAY_ENOMEM;
    for (size_t i = 0; i < n; i++) ref_order_pixels(rows + i * width, pixels + i * width, p);
    assay_status rc = ref_linear(patches, rows, n, &p->embed);
    free(rows);
    if (rc == ASSAY_OK) rc = trace(e, patches, e->tiles->n * n_each, e->tower->hidden, "vision.patch");
    if (rc == ASSAY_OK)
        rc = add_tile_table(e, patches, n_each, n_each, &e->tiles->before, read_gate(&e->tiles->before_gate));
    return rc;
}

/* x receives the class row and the patches of each tile, and zeros behind them. */
static assay_status place_rows(const evaluation *e, const ref_real *patches)
{
    const size_t d = e->tower->hidden, n = e->tiles->side * e->tiles->side;
    ref_real *class_row = ref_alloc(1, d);
    if (!class_row) return ASSAY_ENOMEM;
    ref_weight_rows(&e->tiles->class_row, 0, 1, class_row);
    for (size_t tile = 0; tile < e->n_images * e->tiles->n; tile++) {
        ref_real *x = e->x + tile * e->tiles->padded * d;
        memcpy(x, class_row, d * sizeof *x);
        memcpy(x + d, patches + tile * n * d, n * d * sizeof *x);
    }
    free(class_row);
    return ASSAY_OK;
}

/* x += (1 - gate) · positions + gate · tile_positions; x = in_norm(x), of the N rows of each tile. */
static assay_status add_positions(const evaluation *e)
{
    const plan_tiles *k = e->tiles;
    const size_t d = e->tower->hidden, n = plan_tiles_rows(k);
    const double gate = read_gate(&k->positions_gate);
    ref_real *positions = ref_alloc(n, d), *of_tiles = ref_alloc(k->n, n * d);
    assay_status rc = positions && of_tiles ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) ref_weight_rows(&k->positions, 0, n, positions);
    for (size_t image = 0; rc == ASSAY_OK && image < e->n_images; image++) {
        ref_weight_rows(&k->tile_positions, e->ratios[image] * k->n * n, k->n * n, of_tiles);
        for (size_t tile = 0; rc == ASSAY_OK && tile < k->n; tile++) {
            ref_real *x = e->x + (image * k->n + tile) * k->padded * d;
            add_scaled(x, positions, n * d, 1 - gate);
            add_scaled(x, of_tiles + tile * n * d, n * d, gate);
            rc = ref_norm(x, x, n, d, &e->tower->in_norm);
        }
    }
    free(positions);
    free(of_tiles);
    return rc;
}

/* x = middle(x) + gate · after. */
static assay_status begin_second(const evaluation *e)
{
    const plan_tiles *k = e->tiles;
    const assay_status rc = ref_norm(e->x, e->x, e->n_rows, e->tower->hidden, &k->middle);
    return rc == ASSAY_OK
               ? add_tile_table(e, e->x, k->padded, k->padded, &k->after, read_gate(&k->after_gate))
               : rc;
}

/* Copies the state if it is that of a collected layer. */
static assay_status collect(evaluation *e, size_t layer)
{
    const size_t n = e->n_rows * e->tower->hidden;
    for (size_t k = 0; k < e->tiles->n_collected; k++) {
        if (e->tiles->collected[k] != layer || e->collected[k]) continue;
        e->collected[k] = ref_alloc(1, n);
        if (!e->collected[k]) return ASSAY_ENOMEM;
        memcpy(e->collected[k], e->x, n * sizeof *e->x);
    }
    return ASSAY_OK;
}

static assay_status run_layers(evaluation *e)
{
    const plan_tower *tower = e->tower;
    const ref_tower_pass pass = {.tower = tower, .tiles = &e->rows};
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i <= tower->n_layers; i++) {
        char name[64];
        rc = collect(e, i);
        if (i == tower->n_layers) break;
        if (rc == ASSAY_OK && i == e->tiles->second) rc = begin_second(e);
        (void)snprintf(name, sizeof name, "vision.%02zu.out", i);
        if (rc == ASSAY_OK) rc = ref_tower_layer(&pass, &tower->layers[i], e->x);
        if (rc == ASSAY_OK) rc = trace(e, e->x, e->rows.n_each, tower->hidden, name);
    }
    return rc;
}

/* A row of the merger's input: the state of row i, then the collected states, interleaved. */
static void join_states(const evaluation *e, size_t i, ref_real *out)
{
    const size_t d = e->tower->hidden, n = e->tiles->n_collected;
    memcpy(out, e->x + i * d, d * sizeof *out);
    for (size_t c = 0; c < d; c++)
        for (size_t k = 0; k < n; k++) out[d + c * n + k] = e->collected[k][i * d + c];
}

static assay_status make_features(const evaluation *e, ref_tower_output *out)
{
    const plan_tower *tower = e->tower;
    const size_t n = plan_tiles_rows(e->tiles), n_tiles = e->n_images * e->tiles->n,
                 width = plan_tower_state(tower);
    const ref_patches patches = {.n = n_tiles * n};
    ref_real *joined = ref_alloc(n_tiles * n, width);
    out->merged = ref_alloc(n_tiles * n, plan_tower_width(tower));
    assay_status rc = joined && out->merged ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t tile = 0; rc == ASSAY_OK && tile < n_tiles; tile++)
        for (size_t i = 0; i < n; i++)
            join_states(e, tile * e->tiles->padded + i, joined + (tile * n + i) * width);
    if (rc == ASSAY_OK)
        rc = ref_merge(out->merged, joined, &patches, tower->patches.order, 1, width, &tower->merger);
    free(joined);
    return rc == ASSAY_OK ? trace(e, out->merged, e->tiles->n * n, plan_tower_width(tower), "vision.merged")
                          : rc;
}

/* Sets which rows are padding, and allocates the state. */
static assay_status begin(evaluation *e, ref_tower_output *out)
{
    const plan_tiles *k = e->tiles;
    e->rows = (ref_tile_rows){.n_images = e->n_images, .n_each = k->n * k->padded};
    e->n_rows = e->n_images * e->rows.n_each;
    e->rows.is_padding = calloc(e->n_rows + 1, sizeof *e->rows.is_padding);
    e->x = ref_alloc(e->n_rows, e->tower->hidden);
    out->first = calloc(e->n_images + 1, sizeof *out->first);
    if (!e->rows.is_padding || !e->x || !out->first) return ASSAY_ENOMEM;
    for (size_t i = 0; i < e->n_rows; i++) {
        const size_t image = i / e->rows.n_each, tile = i / k->padded % k->n;
        e->rows.is_padding[i] =
            i % k->padded >= plan_tiles_rows(k) || tile >= plan_tiles_of(k, e->ratios[image]);
    }
    for (size_t m = 0; m < e->n_images; m++) out->first[m + 1] = out->first[m] + k->n * plan_tiles_rows(k);
    out->n_rows = out->first[e->n_images];
    return ASSAY_OK;
}

static assay_status run(evaluation *e, const double *pixels, ref_tower_output *out)
{
    const size_t n_patches = e->n_images * e->tiles->n * e->tiles->side * e->tiles->side;
    assay_status rc = begin(e, out);
    ref_real *patches = rc == ASSAY_OK ? ref_alloc(n_patches, e->tower->hidden) : NULL;
    if (rc == ASSAY_OK && !patches) rc = ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = embed_patches(e, pixels, patches);
    if (rc == ASSAY_OK) rc = place_rows(e, patches);
    free(patches);
    if (rc == ASSAY_OK) rc = add_positions(e);
    if (rc == ASSAY_OK) rc = run_layers(e);
    return rc == ASSAY_OK ? make_features(e, out) : rc;
}

assay_status ref_tiles(const plan_tower *tower, const double *pixels, const size_t *ratios, size_t n_images,
                       size_t first_traced, ref_tracer tracer, ref_tower_output *out)
{
    evaluation e = {.tower = tower,
                    .tiles = &tower->tiles,
                    .ratios = ratios,
                    .n_images = n_images,
                    .first_traced = first_traced,
                    .tracer = tracer};
    *out = (ref_tower_output){.n_media = n_images};
    const assay_status rc = run(&e, pixels, out);
    if (rc != ASSAY_OK) ref_tower_output_free(out);
    for (size_t k = 0; k < PLAN_COLLECTED_MAX; k++) free(e.collected[k]);
    free(e.rows.is_padding);
    free(e.x);
    return rc;
}
