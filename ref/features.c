/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/features.h"

#include <stdlib.h>
#include <string.h>

/* Runs the tower over all media. first_traced: the first medium that came with the step. */
static assay_status run_tower(const plan_tower *tower, const media_list *list, size_t first_traced,
                              ref_tracer tracer, ref_tower_output *out)
{
    const size_t width = plan_patches_width(&tower->patches);
    size_t n_patches = 0, filled = 0;
    size_t(*grids)[3] = calloc(list->n, sizeof *grids);
    for (size_t m = 0; m < list->n; m++) n_patches += media_patches(list->place[m].medium);
    double *pixels = n_patches <= SIZE_MAX / width ? calloc(n_patches * width, sizeof *pixels) : NULL;
    assay_status rc = grids && pixels ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t m = 0; rc == ASSAY_OK && m < list->n; m++) {
        const media *medium = list->place[m].medium;
        memcpy(grids[m], media_grid(medium), sizeof grids[m]);
        media_pixels(medium, 0, media_patches(medium), pixels + filled * width);
        filled += media_patches(medium);
    }
    if (rc == ASSAY_OK)
        rc = ref_tower(tower, pixels, (const size_t(*)[3])grids, list->n, first_traced, tracer, out);
    free(grids);
    free(pixels);
    return rc;
}

/* Fills row: [T]. */
static assay_status place_tokens(const plan *p, const ref_sample *sample, const ref_tower_output *tower,
                                 size_t *row)
{
    const size_t n = sample->n_tokens;
    size_t *place = calloc(n, sizeof *place), *own = calloc(n, sizeof *own);
    const assay_status rc = place && own ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) media_list_rows(&sample->media, p, sample->tokens, 0, n, place, own);
    for (size_t t = 0; rc == ASSAY_OK && t < n; t++)
        row[t] = place[t] == SIZE_MAX ? SIZE_MAX : tower->first[place[t]] + own[t];
    free(place);
    free(own);
    return rc;
}

assay_status ref_features_make(const plan *p, const ref_sample *sample, ref_tracer tracer, ref_features *out)
{
    const media_list *list = &sample->media;
    *out = (ref_features){0};
    if (list->n == 0) return ASSAY_OK;
    const size_t first_traced = media_list_find(list, tracer.first_row);
    ref_features made = {.row = calloc(sample->n_tokens, sizeof *made.row)};
    assay_status rc = made.row ? run_tower(&p->tower, list, first_traced, tracer, &made.tower) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = place_tokens(p, sample, &made.tower, made.row);
    if (rc != ASSAY_OK) ref_features_free(&made);
    *out = made;
    return rc;
}

void ref_features_free(ref_features *features)
{
    ref_tower_output_free(&features->tower);
    free(features->row);
    *features = (ref_features){0};
}

void ref_features_replace(const ref_features *features, size_t n_tokens, size_t hidden, ref_real *x)
{
    for (size_t t = 0; features->row && t < n_tokens; t++)
        if (features->row[t] != SIZE_MAX)
            memcpy(x + t * hidden, features->tower.merged + features->row[t] * hidden, hidden * sizeof *x);
}

void ref_features_add(const ref_features *features, size_t i, size_t n_tokens, size_t hidden, ref_real *x)
{
    if (i >= features->tower.n_deepstack) return;
    for (size_t t = 0; features->row && t < n_tokens; t++)
        if (features->row[t] != SIZE_MAX)
            ref_add(x + t * hidden, features->tower.deepstack[i] + features->row[t] * hidden, hidden);
}
