/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/session/sample_features.h"

#include <stdlib.h>

#include "fastpath/vision/tower.h"

assay_status fp_sample_evaluate(fp_sample *one, const fp_model *m, fp_feature_cache *cache)
{
    for (size_t i = 0; i < one->media.n; i++) {
        const media *medium = one->media.place[i].medium;
        if (one->features[i]) continue;
        one->features[i] = fp_feature_cache_find(cache, medium);
        if (one->features[i]) continue;
        const assay_status rc = fp_vision_run(m, medium, &one->features[i]);
        if (rc != ASSAY_OK) return rc;
        if (!fp_feature_cache_add(cache, one->features[i])) return ASSAY_ENOMEM;
    }
    return ASSAY_OK;
}

bool fp_sample_keep(const fp_sample *one, fp_feature_cache *cache)
{
    bool ok = true;
    for (size_t i = 0; ok && i < one->media.n; i++) ok = fp_feature_cache_add(cache, one->features[i]);
    return ok;
}

assay_status fp_sample_trace(fp_sample *one, const fp_model *m, const fp_tracer *tracer, size_t first)
{
    const size_t from = media_list_find(&one->media, first), n = one->media.n - from;
    if (n == 0) return ASSAY_OK;
    const media **list = calloc(n, sizeof *list);
    if (!list) return ASSAY_ENOMEM;
    for (size_t i = 0; i < n; i++) list[i] = one->media.place[from + i].medium;
    const assay_status rc = fp_vision_trace(m, tracer, list, n, one->features + from);
    free(list);
    return rc;
}

bool fp_sample_place(const fp_sample *one, const plan *p, size_t from, size_t n, size_t *scratch,
                     fp_placed *placed)
{
    bool has_features = false;
    size_t *place = scratch, *row = scratch + n;
    if (one->media.n == 0) return false;
    media_list_rows(&one->media, p, one->tokens, from, n, place, row);
    for (size_t t = 0; t < n; t++) {
        const bool is_placed = place[t] != SIZE_MAX;
        placed[t] = is_placed ? (fp_placed){one->features[place[t]], row[t]} : (fp_placed){0};
        has_features |= is_placed;
    }
    return has_features;
}
