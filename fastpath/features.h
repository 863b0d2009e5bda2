/* The features of one image or video: the rows that a tower makes of it. Immutable once filled in, counted,
 * and shared by samples, sessions and threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_FEATURES_H
#define FASTPATH_FEATURES_H

#include "model/inputs/medium.h"

/* H: hidden size of the language model. Level 0: rows that replace embeddings; level k + 1: those that are
 * added to the output of decoder layer k. Where features feed attention to images, level 0 replaces nothing.
 */
typedef struct fp_features fp_features;

/* Allocates features, to be filled in, with one user; retains the medium. is_traced: a tap may have
 * overwritten them, so that they are not those of the medium. NULL if out of memory. */
fp_features *fp_features_make(const medium *m, size_t n_levels, size_t hidden, bool is_traced);

/* Adds a user. */
fp_features *fp_features_share(fp_features *f);
/* Removes a user; the last one frees the features. NULL allowed. */
void fp_features_release(fp_features *f);
/* Whether the caller is the only user. */
bool fp_features_is_exclusive(const fp_features *f);

const medium *fp_features_medium(const fp_features *f);
bool fp_features_is_traced(const fp_features *f);
size_t fp_features_levels(const fp_features *f);

/* Row `row` of a level, [H]; the next rows follow it. */
const float *fp_features_row(const fp_features *f, size_t level, size_t row);
/* All rows of a level, [medium_rows, H], of features that have not been shared yet. */
float *fp_features_rows(fp_features *f, size_t level);

/* The size in bytes of all rows. */
size_t fp_features_bytes(const fp_features *f);

#endif
