/* What the images, videos and audio of a sample contribute to its tokens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_FEATURES_H
#define REF_FEATURES_H

#include "ref/sample.h"
#include "ref/tower.h"

/* The feature rows of the media that one of the plan's towers takes.
 * row: [T], the feature row of each token, owned; SIZE_MAX: the token has none, as all where the
 * features feed other layers. NULL: the sample has no media of this tower. */
typedef struct ref_tower_features {
    ref_tower_output out;
    size_t *row;
} ref_tower_features;

typedef struct ref_features {
    ref_tower_features tower, audio;
} ref_features;

/* Evaluates the towers for all media of a sample. The tracer receives the media whose first placeholder token
 * is at tracer.first_row or later, those that came with the step. Fails as ref_tower does, *out empty. The
 * caller frees *out with ref_features_free. */
assay_status ref_features_make(const plan *p, const ref_sample *sample, ref_tracer tracer, ref_features *out);
void ref_features_free(ref_features *features);

/* Replaces the embeddings of placeholder tokens by their features. x: [T, D]. */
void ref_features_replace(const ref_features *features, size_t n_tokens, size_t hidden, ref_real *x);

/* The angles of the plan's rope in the plane of images, [T, n_heads, dim / 2], 0 for tokens that belong to no
 * medium; NULL if the plan has none or the sample no media. The caller frees *out. Fails with ASSAY_ENOMEM.
 */
assay_status ref_features_angles(const plan *p, const ref_sample *sample, double **out);

/* Adds the deepstack entry of decoder layer i, if there is one, to the layer's output at placeholder tokens.
 * x: [T, D]. */
void ref_features_add(const ref_features *features, size_t i, size_t n_tokens, size_t hidden, ref_real *x);

#endif
