/* The keys and values of a sample's images, in every layer that attends to images (plan.h, PLAN_MIXER_CROSS).
 * Immutable once made, counted, and shared by forks.
 *
 * Rows are in this order: of each image, one after the other, those of its tiles; then, if tokens come before
 * the first image, those of the tiles that the images lack. So the rows of images that follow each other are
 * one range, and so are all rows; and an image has the same rows whatever images follow it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_CROSS_KEYS_H
#define FASTPATH_CROSS_KEYS_H

#include "fastpath/features.h"
#include "fastpath/model.h"

typedef struct fp_cross_keys fp_cross_keys;

/* Computes keys and values of the images of a list from their features. is_seen_before: tokens come before
 * the first image. The caller releases *out. Fails with ASSAY_ENOMEM. */
assay_status fp_cross_keys_make(const fp_model *m, fp_features *const *features, size_t n_images,
                                bool is_seen_before, fp_cross_keys **out);

/* Adds a user. NULL allowed. */
fp_cross_keys *fp_cross_keys_share(fp_cross_keys *keys);
/* Removes a user; the last one frees the keys. NULL allowed. */
void fp_cross_keys_release(fp_cross_keys *keys);

/* The first row of an image; of n_images: the end of the rows of the last image's tiles. */
size_t fp_cross_keys_first(const fp_cross_keys *keys, size_t image);
size_t fp_cross_keys_rows(const fp_cross_keys *keys);  /* all */
size_t fp_cross_keys_pages(const fp_cross_keys *keys); /* of a key/value head in a layer */

/* The pages of one key/value head in a layer, in the form of assay_attention_call. k, v: [n_pages]. */
void fp_cross_keys_list(const fp_cross_keys *keys, size_t layer, size_t kv_head, const void **k,
                        const void **v);

#endif
