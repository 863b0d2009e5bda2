/* The positions that a model's ropes give the tokens of a sample, from its tokens and media.
 *
 * With PLAN_POSITIONS_GRID (transformers: Qwen2VLModel.get_rope_index), always per sample, without padding:
 * runs of tokens of one kind are taken in turn. A text token follows at the next position, on all axes. A frame
 * run begins at position s: t = s + frame, h = s + row, w = s + column of the merged grid; the next run begins at
 * s + max(h, w) of the merged grid.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_POSITIONS_H
#define MODEL_INPUTS_POSITIONS_H

#include "model/inputs/media.h"

/* Fills in the positions of tokens `from` … from + n - 1.
 * tokens: [from + n]. before: [from, ROPE_AXES_MAX], the positions of the tokens before; may be NULL if from is
 * 0. position: [n, ROPE_AXES_MAX]. With PLAN_POSITIONS_INDEX, or in a sample without media whose `before` are
 * indices: the index of each token. Does not overflow: the sum of a sample's tokens and grids is
 * below INT32_MAX (media_list_add). */
void positions_fill(const plan *p, const media_list *media, const int32_t *tokens, const int32_t *before,
                    size_t from, size_t n, int32_t *position);

/* By how much the position of the next text token after n tokens differs from n. position: [n,
 * ROPE_AXES_MAX]. */
int32_t positions_delta(const plan *p, const media_list *media, const int32_t *tokens,
                        const int32_t *position, size_t n);

#endif
