/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/tower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/conv_tower.h"
#include "ref/merger.h"
#include "ref/position_table.h"
#include "ref/tower_layer.h"

void ref_tower_output_free(ref_tower_output *out)
{
    for (size_t k = 0; out->deepstack && k < out->n_deepstack; k++) free(out->deepstack[k]);
    free(out->deepstack);
    free(out->merged);
    free(out->first);
    *out = (ref_tower_output){0};
}

/* The evaluation of a tower. */
typedef struct evaluation {
    const plan_tower *tower;
    const size_t (*layouts)[2];
    size_t first_traced;
    ref_tracer tracer;
    ref_patches patches, pooled; /* pooled: as `patches`, after averaging */
    ref_tower_output out;
} evaluation;

/* Passes the rows of the media from first_traced on to the tap. x: [n, width]; first: [n_media + 1], the
 * index of each medium's first row. */
static assay_status trace(const evaluation *e, ref_real *x, const size_t *first, size_t width,
                          const char *name)
{
    const size_t n_media = e->patches.n_media, n = first[n_media];
    ref_tracer tracer = e->tracer;
    tracer.first_row = first[e->first_traced];
    if (tracer.first_row == n) return ASSAY_OK;
    return ref_trace(&tracer, x, n, width, "%s.%s", e->tower->kind == PLAN_TOWER_AUDIO ? "audio" : "vision",
                     name);
}

void ref_order_pixels(ref_real *out, const double *row, const plan_patches *p)
{
    const size_t inner = p->frames * p->size * p->size;
    for (size_t c = 0; c < p->channels; c++)
        for (size_t i = 0; i < inner; i++) {
            const double pixel = row[c * inner + i] * p->pixel_factor + p->pixel_offset;
            out[p->weights_channels_last ? i * p->channels + c : c * inner + i] = (ref_real)pixel;
        }
}

/* x = in_norm(embed(pixels)) + table. x: [P, D]. */
static assay_status embed_patches(const evaluation *e, const double *pixels, ref_real *x)
{
    const plan_patches *p = &e->tower->patches;
    const size_t n = e->patches.n, width = plan_patches_width(p), hidden = e->tower->hidden;
    ref_real *rows = ref_alloc(n, width);
    for (size_t i = 0; rows && i < n; i++) ref_order_pixels(rows + i * width, pixels + i * width, p);
    assay_status rc = rows ? ref_linear(x, rows, n, &p->embed) : ASSAY_ENOMEM;
    free(rows);
    if (rc == ASSAY_OK) rc = trace(e, x, e->patches.first, hidden, "patch");
    if (rc == ASSAY_OK) rc = ref_norm(x, x, n, hidden, &e->tower->in_norm);
    if (rc == ASSAY_OK) rc = ref_table_add(x, &e->patches, &e->tower->table, hidden);
    return rc;
}

/* Fills the tables of the tower's rope, [P, dim / 2], from the row and the column of each patch. */
static assay_status make_rope(const evaluation *e, double *cosine, double *sine)
{
    enum { TEMPORAL, HEIGHT, WIDTH };
    const size_t n = e->patches.n;
    int32_t *position = calloc(ROPE_AXES_MAX * n + 1, sizeof *position);
    if (!position) return ASSAY_ENOMEM;
    for (size_t p = 0; p < n; p++) {
        position[TEMPORAL * n + p] = 0;
        position[HEIGHT * n + p] = (int32_t)e->patches.patch[p].row;
        position[WIDTH * n + p] = (int32_t)e->patches.patch[p].column;
    }
    rope_tables(&e->tower->rope, array_data(e->tower->frequency.usual), position, ROPE_AXES_MAX, n, cosine,
                sine);
    free(position);
    return ASSAY_OK;
}

/* The deepstack entries that layer i feeds. */
static assay_status make_deepstack(evaluation *e, size_t i, const ref_real *x)
{
    const plan_tower *tower = e->tower;
    assay_status rc = ASSAY_OK;
    for (size_t k = 0; rc == ASSAY_OK && k < tower->n_deepstack; k++) {
        if (tower->deepstack[k].tower_layer != i) continue;
        const plan_merger *merger = &tower->deepstack[k].merger;
        const size_t width = plan_merger_width(merger, tower->hidden, tower->merge);
        e->out.deepstack[k] = ref_alloc(e->out.n_rows, width);
        rc = e->out.deepstack[k] ? ref_merge(e->out.deepstack[k], x, &e->patches, tower->patches.order,
                                             tower->merge, tower->hidden, merger)
                                 : ASSAY_ENOMEM;
        char name[64];
        (void)snprintf(name, sizeof name, "deepstack.%zu", k);
        if (rc == ASSAY_OK) rc = trace(e, e->out.deepstack[k], e->out.first, width, name);
    }
    return rc;
}

/* x: [P, D], replaced by the last layer's output. */
static assay_status run_layers(evaluation *e, ref_real *x)
{
    const plan_tower *tower = e->tower;
    const size_t n_angles = tower->has_rope ? tower->rope.dim / 2 : 0;
    double *cosine = calloc(e->patches.n * n_angles + 1, sizeof *cosine),
           *sine = calloc(e->patches.n * n_angles + 1, sizeof *sine);
    const ref_tower_pass pass = {.tower = tower, .patches = &e->patches, .cosine = cosine, .sine = sine};
    assay_status rc = cosine && sine ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK && tower->has_rope) rc = make_rope(e, cosine, sine);
    for (size_t i = 0; rc == ASSAY_OK && i < tower->n_layers; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%02zu.out", i);
        rc = ref_tower_layer(&pass, &tower->layers[i], x);
        if (rc == ASSAY_OK) rc = trace(e, x, e->patches.first, tower->hidden, name);
        if (rc == ASSAY_OK) rc = make_deepstack(e, i, x);
    }
    free(cosine);
    free(sine);
    return rc;
}

/* x: [P, D]; y: of each medium the rows of its first frame, [G², 2 D]. */
static void join_crops(const evaluation *e, const ref_real *x, ref_real *y)
{
    const plan_tower *tower = e->tower;
    for (size_t m = 0; m < e->patches.n_media; m++)
        ref_crops_join(y + e->pooled.first[m] * 2 * tower->hidden, x + e->patches.first[m] * tower->hidden,
                       e->patches.grids[m][1], e->layouts[m], tower->crops.margin, tower->hidden);
}

/* Features from the last layer's output x, [P, D], which is overwritten. */
static assay_status make_features(evaluation *e, ref_real *x)
{
    const plan_tower *tower = e->tower;
    const plan_patch_order order = tower->patches.order;
    const size_t hidden = tower->hidden, width = plan_tower_width(tower),
                 pooled_width = plan_tower_state(tower);
    ref_real *pooled = ref_alloc(e->pooled.n, pooled_width);
    e->out.merged = ref_alloc(e->out.n_rows, width);
    assay_status rc =
        pooled && e->out.merged ? ref_norm(x, x, e->patches.n, hidden, &tower->out_norm) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK && tower->kind == PLAN_TOWER_CROPS) join_crops(e, x, pooled);
    else if (rc == ASSAY_OK)
        rc = ref_pool(pooled, &e->pooled, x, &e->patches, order, tower->merge, hidden, &tower->pooling);
    if (rc == ASSAY_OK)
        rc = ref_merge(e->out.merged, pooled, &e->pooled, order, tower->merge, pooled_width, &tower->merger);
    if (rc == ASSAY_OK) rc = trace(e, e->out.merged, e->out.first, width, "merged");
    free(pooled);
    return rc;
}

/* The grid of the rows that come out of the tower's layers or blocks. */
static void fill_grid(const plan_tower *tower, const size_t grid[3], size_t out[3])
{
    memcpy(out, grid, 3 * sizeof *out);
    if (tower->kind != PLAN_TOWER_CONV) return;
    out[0] = 1;
    out[1] = out[2] = tower->conv.side;
}

/* Fills in the patches before and after averaging, and the rows of each medium. */
static assay_status place_rows(evaluation *e, const size_t (*grids)[3], size_t n_media)
{
    const plan_tower *tower = e->tower;
    const size_t side = tower->pooling.side;
    size_t(*rows)[3] = calloc(n_media + 1, sizeof *rows);
    size_t(*pooled)[3] = calloc(n_media + 1, sizeof *pooled);
    e->out = (ref_tower_output){.n_media = n_media, .n_deepstack = tower->n_deepstack};
    e->out.deepstack = calloc(tower->n_deepstack + 1, sizeof *e->out.deepstack);
    e->out.first = calloc(n_media + 1, sizeof *e->out.first);
    assay_status rc = rows && pooled && e->out.deepstack && e->out.first ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t m = 0; rc == ASSAY_OK && m < n_media; m++) {
        fill_grid(tower, grids[m], rows[m]);
        pooled[m][0] = tower->kind == PLAN_TOWER_CROPS ? 1 : rows[m][0];
        pooled[m][1] = rows[m][1] / side;
        pooled[m][2] = rows[m][2] / side;
        e->out.first[m + 1] = e->out.first[m] + plan_tower_tokens(tower, grids[m]);
    }
    if (rc == ASSAY_OK) {
        e->out.n_rows = e->out.first[n_media];
        rc = ref_patches_make(tower->patches.order, tower->merge, (const size_t(*)[3])rows, n_media,
                              &e->patches);
    }
    if (rc == ASSAY_OK)
        rc = ref_patches_make(tower->patches.order, tower->merge, (const size_t(*)[3])pooled, n_media,
                              &e->pooled);
    free(rows);
    free(pooled);
    return rc;
}

/* Everything before tower.out_norm. x: [P, D] */
static assay_status run_body(evaluation *e, const double *pixels, const size_t (*grids)[3], ref_real *x)
{
    if (e->tower->kind == PLAN_TOWER_CONV)
        return ref_conv_tower(e->tower, pixels, grids, e->patches.n_media, e->first_traced, e->tracer, x);
    const assay_status rc = embed_patches(e, pixels, x);
    return rc == ASSAY_OK ? run_layers(e, x) : rc;
}

assay_status ref_tower(const plan_tower *tower, const double *pixels, const size_t (*grids)[3],
                       const size_t (*layouts)[2], size_t n_media, size_t first_traced, ref_tracer tracer,
                       ref_tower_output *out)
{
    evaluation e = {.tower = tower, .layouts = layouts, .first_traced = first_traced, .tracer = tracer};
    ref_real *x = NULL;
    assay_status rc = place_rows(&e, grids, n_media);
    if (rc == ASSAY_OK) x = ref_alloc(e.patches.n, tower->hidden);
    if (rc == ASSAY_OK && !x) rc = ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = run_body(&e, pixels, grids, x);
    if (rc == ASSAY_OK) rc = make_features(&e, x);
    if (rc != ASSAY_OK) ref_tower_output_free(&e.out);
    *out = e.out;
    free(x);
    ref_patches_free(&e.patches);
    ref_patches_free(&e.pooled);
    return rc;
}
