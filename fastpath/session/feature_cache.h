/* The features of images and videos that a session has evaluated: one that comes again, in a later turn, in a
 * fork or in another sample, is not evaluated again.
 *
 * Eviction: as long as the entries have more bytes than the limit, the one that was used last the longest ago
 * is dropped, of those that no sample uses. Features that a sample uses stay, whatever their size.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_SESSION_FEATURE_CACHE_H
#define FASTPATH_SESSION_FEATURE_CACHE_H

#include "fastpath/features.h"

typedef struct fp_feature_entry {
    fp_features *features; /* of which the cache is one user */
    size_t n_bytes;        /* of the features, and of the pixels that they are found by */
    size_t last_use;
} fp_feature_entry;

/* Zero-initialised: empty, with a limit of 0. */
typedef struct fp_feature_cache {
    fp_feature_entry *list; /* [n] */
    size_t n, capacity;
    size_t n_bytes, most_bytes; /* of all entries; the limit */
    size_t clock;               /* counts uses */
} fp_feature_cache;

void fp_feature_cache_free(fp_feature_cache *c);

/* The features of an equal medium, with the caller as another user; NULL if there are none. */
fp_features *fp_feature_cache_find(fp_feature_cache *c, const medium *m);

/* Adds features that the caller uses, unless they are traced or those of an equal medium are there, and
 * evicts others. Returns false if out of memory. */
bool fp_feature_cache_add(fp_feature_cache *c, fp_features *features);

/* Evicts entries that are no longer used, as far as the limit demands. */
void fp_feature_cache_trim(fp_feature_cache *c);

#endif
