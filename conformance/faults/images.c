/* Faults of the images of samples.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/faults/fault.h"

enum { AXES = ROPE_AXES_MAX };

/* The axes of positions of HunYuanVL. */
enum { AXIS_POSITION, AXIS_COLUMN, AXIS_ROW, AXIS_IMAGE };

static size_t larger_side(const size_t *grid)
{
    return grid[1] > grid[2] ? grid[1] : grid[2];
}

/* By how much the tokens after a medium come too far: the larger side of its grid instead of that of the
 * merged grid. */
static size_t undivided_excess(const plan *p, const medium *m)
{
    const size_t side = plan_tower_block(&p->vision), larger = larger_side(medium_grid(m));
    return larger - larger / side;
}

void fault_positions_undivided(const plan *p, const media_list *list, size_t n, int32_t *position)
{
    for (size_t i = 0; i < list->n; i++) {
        const medium *m = list->place[i].medium;
        if (list->place[i].kind == ASSAY_ITEM_AUDIO) continue;
        const int32_t excess = (int32_t)undivided_excess(p, m);
        for (size_t t = list->place[i].first + medium_tokens(m); t < n; t++)
            for (size_t a = 0; a < AXES; a++) position[t * AXES + a] += excess;
    }
}

/* The tokens of an image without the first and the last, which begin and end it. n_columns: merged patches of
 * a row. */
typedef struct image_rows {
    int32_t *position; /* [n, AXES] of these tokens */
    size_t n, n_columns;
} image_rows;

static image_rows rows_of(const plan *p, const medium_place *place, int32_t *position)
{
    const medium *m = place->medium;
    return (image_rows){position + (place->first + 1) * AXES, medium_tokens(m) - 2,
                        medium_grid(m)[2] / plan_tower_block(&p->vision)};
}

/* Ignores the vector that ends each row of an image, so that columns and rows are counted without it. */
void fault_newlines_missed(const plan *p, const media_list *list, size_t n, int32_t *position)
{
    for (size_t i = 0; i < list->n && list->place[i].first + medium_tokens(list->place[i].medium) <= n; i++) {
        const image_rows rows = rows_of(p, &list->place[i], position);
        for (size_t t = 0; t < rows.n; t++) {
            rows.position[t * AXES + AXIS_COLUMN] = (int32_t)(t % rows.n_columns);
            rows.position[t * AXES + AXIS_ROW] = (int32_t)(t / rows.n_columns);
        }
    }
}

/* Row and column of a token are swapped. */
void fault_rows_first(const plan *p, const media_list *list, size_t n, int32_t *position)
{
    (void)p, (void)list;
    for (size_t t = 0; t < n; t++) {
        const int32_t column = position[t * AXES + AXIS_COLUMN];
        position[t * AXES + AXIS_COLUMN] = position[t * AXES + AXIS_ROW];
        position[t * AXES + AXIS_ROW] = column;
    }
}

/* Every image has the number 0. */
void fault_images_unnumbered(const plan *p, const media_list *list, size_t n, int32_t *position)
{
    for (size_t i = 0; i < list->n && list->place[i].first + medium_tokens(list->place[i].medium) <= n; i++) {
        const image_rows rows = rows_of(p, &list->place[i], position);
        for (size_t t = 0; t < rows.n; t++) rows.position[t * AXES + AXIS_IMAGE] = 0;
    }
}

/* All tokens of an image get one position, and the text after it goes on by the larger side of the merged
 * grid, as in M-RoPE. Right: each token of the image advances the position by 1. */
void fault_advanced_by_side(const plan *p, const media_list *list, size_t n, int32_t *position)
{
    int32_t less = 0;
    for (size_t i = 0, t = 0; t < n; t++) {
        const medium *m = i < list->n ? list->place[i].medium : NULL;
        const size_t first = m ? list->place[i].first : n, end = m ? first + medium_tokens(m) : n;
        const bool inside = t >= first && t < end;
        const size_t n_axes = inside && t > first && t + 1 < end ? 1 : AXES;
        for (size_t a = 0; a < n_axes; a++)
            position[t * AXES + a] -= less + (inside ? (int32_t)(t - first) : 0);
        if (!m || t + 1 < end) continue;
        less += (int32_t)(end - first - larger_side(medium_grid(m)) / plan_tower_block(&p->vision));
        i++;
    }
}

/* A decoded token is placed by the number of tokens before it. */
int32_t fault_delta_ignored(const fp_run *run, int32_t position)
{
    return run->n_rows == 1 && run->state->n_tokens > 0 ? (int32_t)run->state->n_tokens : position;
}

/* The features of a layer stay in the order of the windows. Right: they return to the order of the image. */
void fault_windows_left(fp_layout *l)
{
    if (!l->is_reordered) return;
    for (size_t i = 0; i < l->n_tokens * l->n_members; i++) l->member[i] = i;
}

/* A sample gets the rows of the first image of the sample that was placed before it. */
void fault_features_previous(const fp_sample *one, size_t n, fp_placed *placed)
{
    enum {
        HELD = 16
    }; /* a pass still reads the features of every sample that it has placed: they are kept */
    static const fp_sample *sample, *before;
    static fp_features *own, *previous, *held[HELD];
    static size_t n_held;
    if (sample != one) {
        before = sample;
        previous = own;
        fp_features_release(held[n_held % HELD]);
        held[n_held++ % HELD] = own = fp_features_share(one->features[0]);
        sample = one;
    }
    for (size_t t = 0; before && previous && t < n; t++)
        if (placed[t].features)
            placed[t] = (fp_placed){previous, placed[t].row % medium_rows(fp_features_medium(previous))};
}

/* The rows of all samples of the pass form one list, and every sample reads it from the first row on instead
 * of from its own. Embeddings have been replaced before: only what is added to the outputs of layers is
 * wrong. */
void fault_deepstack_unsliced(fp_pass *pass)
{
    static fp_placed *all, *taken;
    size_t n_all = 0;
    free(all);
    free(taken);
    all = calloc(pass->n_rows, sizeof *all);
    taken = calloc(pass->n_rows, sizeof *taken);
    if (!all || !taken) abort();
    for (size_t j = 0; j < pass->n_runs; j++)
        for (size_t t = 0; pass->runs[j].placed && t < pass->runs[j].n_rows; t++)
            if (pass->runs[j].placed[t].features) all[n_all++] = pass->runs[j].placed[t];
    for (size_t j = 0; j < pass->n_runs; j++) {
        fp_run *run = &pass->runs[j];
        fp_placed *own = taken + run->first_row;
        for (size_t t = 0, k = 0; run->placed && t < run->n_rows; t++)
            if (run->placed[t].features) own[t] = all[k++];
        if (run->placed) run->placed = own;
    }
}

void fault_deepstack_first_zero(size_t k, float *out, size_t n_tokens, size_t width)
{
    if (k == 0) memset(out, 0, n_tokens * width * sizeof *out);
}

/* The shape of a row of pixels of the latest plan. */
static plan_patches patches;

void fault_patches_noted(plan *p)
{
    patches = p->vision.patches;
}

/* The element at (channel, frame, y, x) of each row is taken from `source`. */
static void move_elements(double *rows, size_t n, size_t (*source)(size_t channel, size_t frame))
{
    const size_t area = patches.size * patches.size, n_copies = patches.channels * patches.frames;
    double *row = malloc(n_copies * area * sizeof *row);
    if (!row) abort();
    for (size_t r = 0; r < n; r++) {
        double *at = rows + r * n_copies * area;
        memcpy(row, at, n_copies * area * sizeof *row);
        for (size_t c = 0; c < patches.channels; c++)
            for (size_t f = 0; f < patches.frames; f++)
                memcpy(at + (c * patches.frames + f) * area, row + source(c, f) * area, area * sizeof *row);
    }
    free(row);
}

static size_t frame_first(size_t channel, size_t frame)
{
    return frame * patches.channels + channel;
}

static size_t other_frame(size_t channel, size_t frame)
{
    return channel * patches.frames + (patches.frames - 1 - frame);
}

/* Rows are taken as (frame, channel, y, x). */
void fault_frames_outside(double *rows, size_t n)
{
    move_elements(rows, n, frame_first);
}

void fault_frames_swapped(double *rows, size_t n)
{
    move_elements(rows, n, other_frame);
}

/* Where patch i of n lies in a table, with align_corners off. */
static double source_of(const plan_table *t, size_t i, size_t n)
{
    return ((double)i + 0.5) * (double)t->side / (double)n - 0.5;
}

/* Interpolates tables by Keys' kernel with a = -0.5, as images are resized. Right: -0.75. */
void fault_taps_half(const plan_table *t, size_t i, size_t n, fp_taps *taps)
{
    const double a = -0.5, source = source_of(t, i, n);
    for (size_t j = 0; taps->n == FP_TAPS_MAX && j < taps->n; j++) {
        const double d = fabs(source - (floor(source) - 1 + (double)j));
        taps->weight[j] =
            (float)(d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a);
    }
}

/* Taps outside of the table are zero instead of those at its border. */
void fault_taps_zero(const plan_table *t, size_t i, size_t n, fp_taps *taps)
{
    const double base = floor(source_of(t, i, n));
    for (size_t j = 0; taps->n == FP_TAPS_MAX && j < taps->n; j++) {
        const double at = base - 1 + (double)j;
        if (at < 0 || at >= (double)t->side) taps->weight[j] = 0;
    }
}

/* Collects the states after the layers instead of those before them. */
void fault_states_late(plan *p)
{
    plan_tiles *tiles = &p->vision.tiles;
    for (size_t i = 0; p->vision.kind == PLAN_TOWER_TILES && i < tiles->n_collected; i++)
        tiles->collected[i]++;
}

/* Padding attends to padding, too. */
void fault_padding_open(fp_layout *l)
{
    for (size_t i = 0; i < l->whole.n; i++) l->whole.list[i].n_open = l->whole.list[i].n_rows;
}

/* A decoded token has no mask. */
void fault_mask_ended(const fp_sample *one, size_t n, fp_sight *sight)
{
    if (n == 1 && one->media.n && one->n_tokens > one->media.place[0].first + 1)
        sight[0] = (fp_sight){0, fp_cross_keys_rows(one->cross), true};
}

/* A token sees all images before it, not only the latest. */
void fault_images_kept(const fp_sample *one, size_t n, fp_sight *sight)
{
    (void)one;
    for (size_t t = 0; t < n; t++)
        if (sight[t].has_image) sight[t].first = 0;
}

/* A token that sees no image attends to the first row of features alone. Right: to all rows. */
void fault_blind_narrow(const fp_sample *one, size_t n, fp_sight *sight)
{
    (void)one;
    for (size_t t = 0; t < n; t++)
        if (!sight[t].has_image) sight[t].end = 1;
}

/* A token that sees no image keeps the MLP of a layer that attends to images. */
void fault_blind_mlp(const fp_sample *one, size_t n, fp_sight *sight)
{
    (void)one;
    for (size_t t = 0; t < n; t++) sight[t].has_image = true;
}

/* Keeps the margins of crops, which overlap their neighbours. */
void fault_margins_kept(plan *p)
{
    if (p->vision.kind == PLAN_TOWER_CROPS) p->vision.crops.margin = 0;
}

/* Rounds the borders between crops away from zero where they are halves. Right: to even. */
void fault_borders_half_up(fp_crops *c)
{
    for (size_t a = 0; a < 2 && c->n_columns > 0; a++) {
        const size_t length = c->begin[a][c->side];
        for (size_t i = 0; i < c->side; i++)
            c->begin[a][i] = (size_t)((double)i * ((double)length / (double)c->side) + 0.5);
    }
}

void fault_crops_first(float *y, size_t width)
{
    for (size_t d = 0; d < width; d++) {
        const float whole = y[d];
        y[d] = y[width + d];
        y[width + d] = whole;
    }
}
