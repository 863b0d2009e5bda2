/* Where the placeholder tokens of the items of a case lie.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_SPANS_H
#define CONFORMANCE_CASE_SPANS_H

#include "conformance/case/items.h"
#include "conformance/judge/verdict.h"

/* Finds the spans of all items. The items of a kind have the placeholder tokens of that kind one after the
 * other, as many as follow from the frames of an audio clip (feature_attention_mask), or from their grids:
 * image_grid_thw, video_grid_thw, or the positions of patches in image_position_ids. The spans of a sample
 * stay unknown if one of its items has no grid or another kind, or if the prompt has more or fewer
 * placeholder tokens; what follows an image that leads (conf_placeholders) may have more. of: as in
 * conf_items_divide. */
void conf_spans_find(conf_items *items, const conf_decoder *of, const conf_placeholders *placeholders);

/* Frames, rows and columns of patches of an item: the content of its "*_grid_thw", or the smallest grid that
 * has the positions of its "*_position_ids". False if it has none, or that of several. */
bool conf_spans_grid(const assay_item *item, int64_t grid[3]);

/* The frames that the mask of an audio clip keeps; 0: not known. */
size_t conf_spans_frames(const assay_item *item);

/* The placeholder token of a kind of item; -1: the model has none. */
int32_t conf_spans_token(assay_item_kind kind, const conf_placeholders *p);

#endif
