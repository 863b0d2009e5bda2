/* Smaller images, videos and audio clips: their first frames, rows and columns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_CUT_SIZE_H
#define CONFORMANCE_REDUCE_CUT_SIZE_H

#include "conformance/case/items.h"
#include "conformance/judge/verdict.h"

enum { CONF_SIZE_AXES = 3 };

/* Frames, rows and columns of patches; of an audio clip its frames, 1 and 1. All 0: the item has no other
 * size than its own. */
typedef struct conf_size {
    size_t n[CONF_SIZE_AXES];
} conf_size;

/* The size of an item, if a case may have it smaller: a grid ("*_grid_thw") of which other tensors of numbers
 * have a row for each patch, places of patches ("image_position_ids") row by row, or the frames that a mask
 * keeps ("feature_attention_mask"), from which the number of its placeholder tokens follows. Others have
 * none: a model resizes images of a fixed size itself and gives them the same tokens, and crops of an image
 * depend on each other. */
conf_size conf_size_of(const assay_item *item, const conf_placeholders *p);

/* The least size of an axis, of which its other sizes are multiples. */
size_t conf_size_step(const assay_item *item, const conf_placeholders *p, size_t axis);

/* Whether an item of size `whole` keeps its placeholder token number i, counted from 0, if it becomes `to`.
 */
bool conf_size_keeps(const assay_item *item, const conf_placeholders *p, const conf_size *whole,
                     const conf_size *to, size_t i);

/* Whether it keeps row i of a tensor with a row for each patch. Patches lie frame by frame, in blocks that
 * one token stands for, row by row. Where a processor orders them otherwise, the smaller image has as many
 * patches of the whole one, but is no rectangle of it; it is an image all the same. */
bool conf_size_keeps_patch(const conf_size *whole, const conf_size *to, size_t side, size_t i);

/* The places (column, row) of the patches of an item, those of padding negative; NULL: it has none. */
const assay_tensor *conf_size_places(const assay_item *item);

/* Whether it keeps the patch at place i, which becomes padding otherwise. */
bool conf_size_keeps_place(const assay_tensor *places, const conf_size *to, size_t i);

bool conf_size_is(const conf_size *a, const conf_size *b);

#endif
