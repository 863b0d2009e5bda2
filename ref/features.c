/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ref/arithmetic/weight.h"
#include "ref/audio.h"
#include "ref/ops.h"
#include "ref/tiles.h"

/* The media of a sample that one tower takes: their indices in its list, and those that came with the step.
 */
typedef struct taken {
    const media_list *list;
    const plan_tower *tower;
    size_t *index; /* [n], owned */
    size_t n, first_traced;
} taken;

static assay_status take_media(const plan_tower *tower, const media_list *list, size_t first_traced,
                               taken *out)
{
    *out = (taken){list, tower, calloc(list->n + 1, sizeof *out->index), 0, 0};
    if (!out->index) return ASSAY_ENOMEM;
    for (size_t m = 0; m < list->n; m++) {
        if (medium_tower(list->place[m].medium) != tower) continue;
        out->first_traced += m < first_traced;
        out->index[out->n++] = m;
    }
    return ASSAY_OK;
}

static const medium *medium_of(const taken *k, size_t i)
{
    return k->list->place[k->index[i]].medium;
}

/* Fills the rows of one medium, as the tower's embedding takes them. */
static assay_status read_rows(const medium *m, double *rows)
{
    const plan_audio *audio = &medium_tower(m)->audio;
    if (medium_tower(m)->kind != PLAN_TOWER_AUDIO) {
        medium_pixels(m, 0, medium_patches(m), rows);
        return ASSAY_OK;
    }
    double *spectrogram = calloc(medium_frames(m), audio->n_bins * sizeof *spectrogram);
    if (!spectrogram) return ASSAY_ENOMEM;
    medium_spectrogram(m, spectrogram);
    const assay_status rc = ref_audio_rows(audio, spectrogram, medium_frames(m), rows);
    free(spectrogram);
    return rc;
}

static assay_status run_tower(const taken *k, ref_tracer tracer, ref_tower_output *out)
{
    const size_t width = plan_patches_width(&k->tower->patches);
    size_t n_patches = 0, filled = 0;
    size_t *ratios = calloc(k->n, sizeof *ratios);
    size_t(*grids)[3] = calloc(k->n, sizeof *grids), (*layouts)[2] = calloc(k->n, sizeof *layouts);
    for (size_t i = 0; i < k->n; i++) n_patches += medium_patches(medium_of(k, i));
    double *rows = n_patches <= SIZE_MAX / width ? calloc(n_patches * width, sizeof *rows) : NULL;
    assay_status rc = grids && layouts && ratios && rows ? ASSAY_OK : ASSAY_ENOMEM;
    for (size_t i = 0; rc == ASSAY_OK && i < k->n; i++) {
        ratios[i] = medium_ratio(medium_of(k, i));
        memcpy(grids[i], medium_grid(medium_of(k, i)), sizeof grids[i]);
        memcpy(layouts[i], medium_layout(medium_of(k, i)), sizeof layouts[i]);
        rc = read_rows(medium_of(k, i), rows + filled * width);
        filled += medium_patches(medium_of(k, i));
    }
    if (rc == ASSAY_OK && k->tower->kind == PLAN_TOWER_TILES)
        rc = ref_tiles(k->tower, rows, ratios, k->n, k->first_traced, tracer, out);
    else if (rc == ASSAY_OK)
        rc = ref_tower(k->tower, rows, (const size_t(*)[3])grids, (const size_t(*)[2])layouts, k->n,
                       k->first_traced, tracer, out);
    free(grids);
    free(layouts);
    free(ratios);
    free(rows);
    return rc;
}

/* Fills row: [T]. */
static assay_status place_tokens(const plan *p, const ref_sample *sample, const taken *k,
                                 const ref_tower_output *tower, size_t *row)
{
    const size_t n = sample->n_tokens;
    size_t *place = calloc(n, sizeof *place), *own = calloc(n, sizeof *own);
    const assay_status rc = place && own ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) media_list_rows(&sample->media, p, sample->tokens, 0, n, place, own);
    for (size_t t = 0; rc == ASSAY_OK && t < n; t++) {
        size_t i = 0;
        while (i < k->n && k->index[i] != place[t]) i++;
        row[t] = i == k->n || plan_tower_feeds_cross(k->tower) ? SIZE_MAX : tower->first[i] + own[t];
    }
    free(place);
    free(own);
    return rc;
}

static assay_status make_features(const plan *p, const plan_tower *tower, const ref_sample *sample,
                                  ref_tracer tracer, ref_tower_features *out)
{
    taken k;
    const size_t first_traced = media_list_find(&sample->media, tracer.first_row);
    assay_status rc = take_media(tower, &sample->media, first_traced, &k);
    if (rc == ASSAY_OK && k.n > 0) {
        out->row = calloc(sample->n_tokens, sizeof *out->row);
        rc = out->row ? run_tower(&k, tracer, &out->out) : ASSAY_ENOMEM;
        if (rc == ASSAY_OK) rc = place_tokens(p, sample, &k, &out->out, out->row);
    }
    free(k.index);
    return rc;
}

assay_status ref_features_make(const plan *p, const ref_sample *sample, ref_tracer tracer, ref_features *out)
{
    *out = (ref_features){0};
    if (sample->media.n == 0) return ASSAY_OK;
    assay_status rc = make_features(p, &p->vision, sample, tracer, &out->tower);
    if (rc == ASSAY_OK) rc = make_features(p, &p->audio, sample, tracer, &out->audio);
    if (rc != ASSAY_OK) ref_features_free(out);
    return rc;
}

static void free_features(ref_tower_features *features)
{
    ref_tower_output_free(&features->out);
    free(features->row);
    *features = (ref_tower_features){0};
}

void ref_features_free(ref_features *features)
{
    free_features(&features->tower);
    free_features(&features->audio);
}

static void replace_rows(const ref_tower_features *of, size_t n_tokens, size_t hidden, ref_real *x)
{
    for (size_t t = 0; of->row && t < n_tokens; t++)
        if (of->row[t] != SIZE_MAX)
            memcpy(x + t * hidden, of->out.merged + of->row[t] * hidden, hidden * sizeof *x);
}

void ref_features_replace(const ref_features *features, size_t n_tokens, size_t hidden, ref_real *x)
{
    replace_rows(&features->tower, n_tokens, hidden, x);
    replace_rows(&features->audio, n_tokens, hidden, x);
}

/* The place of patch `index` of n along an axis whose ends are at -end and end. */
static double place_of(size_t index, size_t n, double end)
{
    return end * (2.0 * (double)index / (double)(n > 1 ? n - 1 : 1) - 1);
}

/* Fills in the angles of one token, [n_heads, dim / 2]: of the patch in row `row` of the features of a
 * medium. f: the frequencies, n pairs. */
static void fill_angles(double *angle, const medium *m, size_t row, const ref_real *f, size_t n)
{
    const size_t *grid = medium_grid(m);
    const double ratio = (double)grid[1] / (double)grid[2];
    const double y = place_of(row / grid[2], grid[1], sqrt(ratio)),
                 x = place_of(row % grid[2], grid[2], sqrt(1 / ratio));
    for (size_t i = 0; i < n; i++) angle[i] = y * (double)f[2 * i] + x * (double)f[2 * i + 1];
}

assay_status ref_features_angles(const plan *p, const ref_sample *sample, double **out)
{
    const plan_plane_rope *r = &p->plane_rope;
    *out = NULL;
    if (!r->present || sample->media.n == 0) return ASSAY_OK;
    const size_t n = r->frequency.cols / 2, n_tokens = sample->n_tokens; /* n: of all heads */
    ref_real *f = ref_alloc(1, 2 * n);
    size_t *place = calloc(n_tokens, sizeof *place), *row = calloc(n_tokens, sizeof *row);
    double *angle = calloc(n_tokens * n + 1, sizeof *angle);
    const bool ok = f && place && row && angle;
    if (ok) {
        ref_weight_rows(&r->frequency, 0, 1, f);
        media_list_rows(&sample->media, p, sample->tokens, 0, n_tokens, place, row);
    }
    for (size_t t = 0; ok && t < n_tokens; t++)
        if (place[t] != SIZE_MAX)
            fill_angles(angle + t * n, sample->media.place[place[t]].medium, row[t], f, n);
    free(f);
    free(place);
    free(row);
    if (ok) *out = angle;
    else free(angle);
    return ok ? ASSAY_OK : ASSAY_ENOMEM;
}

void ref_features_add(const ref_features *features, size_t i, size_t n_tokens, size_t hidden, ref_real *x)
{
    const ref_tower_features *of = &features->tower;
    if (i >= of->out.n_deepstack) return;
    for (size_t t = 0; of->row && t < n_tokens; t++)
        if (of->row[t] != SIZE_MAX)
            ref_add(x + t * hidden, of->out.deepstack[i] + of->row[t] * hidden, hidden);
}
