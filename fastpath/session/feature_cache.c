/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/session/feature_cache.h"

#include <stdlib.h>

#include "base/grow.h"

void fp_feature_cache_free(fp_feature_cache *c)
{
    for (size_t i = 0; i < c->n; i++) fp_features_release(c->list[i].features);
    free(c->list);
    *c = (fp_feature_cache){.most_bytes = c->most_bytes};
}

static bool is_of(const fp_features *f, const medium *m)
{
    const medium *own = fp_features_medium(f);
    return own == m || medium_equal(own, m);
}

/* The entry of an equal medium, which is marked as used; NULL if there is none. */
static fp_feature_entry *find_entry(fp_feature_cache *c, const medium *m)
{
    for (size_t i = 0; i < c->n; i++)
        if (is_of(c->list[i].features, m)) {
            c->list[i].last_use = ++c->clock;
            return &c->list[i];
        }
    return NULL;
}

fp_features *fp_feature_cache_find(fp_feature_cache *c, const medium *m)
{
    const fp_feature_entry *entry = find_entry(c, m);
    return entry ? fp_features_share(entry->features) : NULL;
}

/* The entry that is evicted next; c->n if all are used. */
static size_t find_unused(const fp_feature_cache *c)
{
    size_t oldest = c->n;
    for (size_t i = 0; i < c->n; i++)
        if (fp_features_is_exclusive(c->list[i].features) &&
            (oldest == c->n || c->list[i].last_use < c->list[oldest].last_use))
            oldest = i;
    return oldest;
}

void fp_feature_cache_trim(fp_feature_cache *c)
{
    while (c->n_bytes > c->most_bytes) {
        const size_t i = find_unused(c);
        if (i == c->n) return;
        c->n_bytes -= c->list[i].n_bytes;
        fp_features_release(c->list[i].features);
        c->list[i] = c->list[--c->n];
    }
}

bool fp_feature_cache_add(fp_feature_cache *c, fp_features *features)
{
    if (fp_features_is_traced(features) || find_entry(c, fp_features_medium(features))) return true;
    fp_feature_entry *grown = grow_to(c->list, &c->capacity, c->n + 1, sizeof *grown);
    if (!grown) return false;
    c->list = grown;
    const size_t n_bytes = fp_features_bytes(features) + medium_bytes(fp_features_medium(features));
    c->list[c->n++] = (fp_feature_entry){fp_features_share(features), n_bytes, ++c->clock};
    c->n_bytes += n_bytes;
    fp_feature_cache_trim(c);
    return true;
}
