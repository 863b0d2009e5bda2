/* The features of a sample's images and videos.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_SESSION_SAMPLE_FEATURES_H
#define FASTPATH_SESSION_SAMPLE_FEATURES_H

#include "fastpath/pass.h"
#include "fastpath/session/feature_cache.h"
#include "fastpath/session/sample.h"

/* Finds the features of all media of a sample in the cache, or evaluates and adds them. Fails with
 * ASSAY_ENOMEM; some may have been evaluated then. */
assay_status fp_sample_evaluate(fp_sample *one, const fp_model *m, fp_feature_cache *cache);

/* Adds the features of a forked sample to the cache of its session. Returns false if out of memory. */
bool fp_sample_keep(const fp_sample *one, fp_feature_cache *cache);

/* Evaluates the media that begin with token `first` or later for a tracer, which may overwrite tensors: the
 * sample and its forks use these features, and no other sample does. Fails as fp_tower_trace does; nothing
 * has changed then. */
assay_status fp_sample_trace(fp_sample *one, const fp_model *m, const fp_tracer *tracer, size_t first);

/* Fills in placed: [n], the features of tokens from … from + n - 1, all of which have been evaluated. Returns
 * whether a token has any. scratch: [2 n]. */
bool fp_sample_place(const fp_sample *one, const plan *p, size_t from, size_t n, size_t *scratch,
                     fp_placed *placed);

/* Fills in sight: [n], the rows of one->cross that tokens from … from + n - 1 attend to. Returns whether
 * there is one->cross. */
bool fp_sample_see(const fp_sample *one, size_t from, size_t n, fp_sight *sight);

#endif
