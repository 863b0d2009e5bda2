/* Texts with images and videos, for any model with a tower.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TESTS_PICTURES_H
#define FASTPATH_TESTS_PICTURES_H

#include <assay/engine.h>

#include "model/plan/plan.h"

enum { PICTURES_MAX = 8 };

/* One image, video or audio clip, with its tensors. */
typedef struct picture {
    assay_item_kind kind;
    size_t first, end; /* of its placeholder tokens: end is the index after the last */
    assay_tensor tensors[3];
    size_t n_tensors;
    void *pixels, *places;
} picture;

typedef struct picture_text {
    int32_t *tokens; /* [n] */
    size_t n;
    picture pictures[PICTURES_MAX]; /* [n_pictures], in the order of the text */
    size_t n_pictures;
} picture_text;

/* Makes a text from a description: "5 i2x3a 2 v2x1x2b" is 5 text tokens, an image of 2 rows and 3 columns of
 * tokens with pixels a, 2 text tokens, and a video of 2 frames, or one image if the
 * model takes no videos, or an audio clip if it takes audio clips instead. What is larger than a table of
 * positions is cut to its sides. A model that takes crops gets its first image before all text, with that
 * many rows and columns of them, and text instead of the others. seed: of the text tokens. */
picture_text pictures_make(const plan *p, const char *description, unsigned seed);
void pictures_free(picture_text *t);

/* The items of a step with tokens from … end - 1. items: [PICTURES_MAX], which borrow from the text. Returns
 * their number. */
size_t pictures_items(const picture_text *t, size_t from, size_t end, assay_item *items);

#endif
