/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/session/sample_features.h"

#include <stdlib.h>

#include "fastpath/tower/tower.h"
#include "model/inputs/seen.h"

assay_status fp_sample_evaluate(fp_sample *one, const fp_model *m, fp_feature_cache *cache)
{
    for (size_t i = 0; i < one->media.n; i++) {
        const medium *own = one->media.place[i].medium;
        if (one->features[i]) continue;
        one->features[i] = fp_feature_cache_find(cache, own);
        if (one->features[i]) continue;
        const assay_status rc = fp_tower_run(m, own, &one->features[i]);
        if (rc != ASSAY_OK) return rc;
        if (!fp_feature_cache_add(cache, one->features[i])) return ASSAY_ENOMEM;
    }
    if (!plan_tower_feeds_cross(&m->plan->vision) || one->media.n == 0 || one->cross) return ASSAY_OK;
    return fp_cross_keys_make(m, one->features, one->media.n, one->media.place[0].first > 0, &one->cross);
}

bool fp_sample_keep(const fp_sample *one, fp_feature_cache *cache)
{
    bool ok = true;
    for (size_t i = 0; ok && i < one->media.n; i++) ok = fp_feature_cache_add(cache, one->features[i]);
    return ok;
}

/* Evaluates those media, from token `first` on, that one tower takes. */
static assay_status trace_tower(fp_sample *one, const fp_model *m, const fp_tracer *tracer, size_t first,
                                const plan_tower *tower)
{
    const size_t from = media_list_find(&one->media, first);
    const medium **list = calloc(one->media.n + 1, sizeof *list);
    fp_features **made = calloc(one->media.n + 1, sizeof *made);
    size_t n = 0, k = 0;
    for (size_t i = from; list && made && i < one->media.n; i++)
        if (medium_tower(one->media.place[i].medium) == tower) list[n++] = one->media.place[i].medium;
    assay_status rc = list && made ? ASSAY_OK : ASSAY_ENOMEM;
    if (rc == ASSAY_OK && n > 0) rc = fp_tower_trace(m, tracer, list, n, made);
    for (size_t i = from; rc == ASSAY_OK && k < n; i++)
        if (medium_tower(one->media.place[i].medium) == tower) one->features[i] = made[k++];
    free(list);
    free(made);
    return rc;
}

assay_status fp_sample_trace(fp_sample *one, const fp_model *m, const fp_tracer *tracer, size_t first)
{
    assay_status rc = trace_tower(one, m, tracer, first, &m->plan->vision);
    if (rc != ASSAY_OK) return rc;
    rc = trace_tower(one, m, tracer, first, &m->plan->audio);
    for (size_t i = media_list_find(&one->media, first); rc != ASSAY_OK && i < one->media.n; i++) {
        fp_features_release(one->features[i]);
        one->features[i] = NULL;
    }
    return rc;
}

bool fp_sample_place(const fp_sample *one, const plan *p, size_t from, size_t n, size_t *scratch,
                     fp_placed *placed)
{
    bool has_features = false;
    size_t *place = scratch, *row = scratch + n;
    if (one->media.n == 0 || plan_tower_feeds_cross(&p->vision)) return false;
    media_list_rows(&one->media, p, one->tokens, from, n, place, row);
    for (size_t t = 0; t < n; t++) {
        const bool is_placed = place[t] != SIZE_MAX;
        placed[t] = is_placed ? (fp_placed){one->features[place[t]], row[t]} : (fp_placed){0};
        has_features |= is_placed;
    }
    return has_features;
}

bool fp_sample_see(const fp_sample *one, size_t from, size_t n, fp_sight *sight)
{
    const fp_cross_keys *keys = one->cross;
    for (size_t t = 0; keys && t < n; t++) {
        const media_seen seen = media_list_seen(&one->media, from + t);
        sight[t] = (fp_sight){0, fp_cross_keys_rows(keys), seen.first < seen.end};
        if (!sight[t].has_image) continue;
        sight[t].first = fp_cross_keys_first(keys, seen.first);
        sight[t].end = fp_cross_keys_first(keys, seen.end);
    }
    return keys;
}
