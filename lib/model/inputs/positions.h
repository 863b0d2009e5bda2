/* The positions that a model's ropes give the tokens of a sample, from its tokens and media.
 *
 * With PLAN_POSITIONS_GRID (transformers: get_rope_index of Qwen2VLModel, Qwen2_5_VLModel, Qwen3VLModel),
 * always per sample, without padding: runs of tokens of one kind are taken in turn. A text token follows at
 * the next position, on all axes, and so does a token of an audio clip (get_rope_index of Qwen3-Omni). A run
 * of placeholder tokens begins at position s: t = s + medium_time of the frame, h = s + row, w = s + column
 * of the merged grid; the next run begins at s + max(h, w) of the merged grid.
 *
 * With tower.spans_time (get_rope_index of Qwen3-Omni) the next run begins after the largest position of the
 * token before it instead: a video is followed by what comes after its last frame. The tokens of a video's
 * audio clip are among its own, and row r of the audio clip is at s + r. (Published code is told whether
 * videos have audio clips, use_audio_in_video, and places those without one as text then. Here the tokens say
 * it of each: its audio clip follows tokens of the video directly, another audio clip does not.)
 *
 * With PLAN_POSITIONS_IMAGES (transformers: get_rope_index of HunYuanVLModel) every token takes the next
 * position, on all axes. The tokens of an image but the first and the last, a row of the merged grid and the
 * end of that row after each other, have on axis 1 their column, on axis 2 their row and on axis 3 the number
 * of the image in its sample instead. (The published code counts the images of a whole batch.)
 *
 * With PLAN_POSITIONS_BLOCK (mlx-vlm: get_rope_index of falcon_ocr), in a sample with media: a token that
 * follows a token of a block has its position, any other the next one, on all axes. Published blocks begin
 * with a token of their own and end before another one, which shares the position.
 *
 * Positions do not depend on the division of tokens into steps. Published code agrees for images. After a
 * video of which more frames than rows and columns of the merged grid share one run, it does not: a prompt's
 * text follows at s + max(h, w), beside the later frames, but generated tokens follow the largest position of
 * the prompt (compute_3d_position_ids), so that the same tokens differ by 3.4 logits in a whole sequence and
 * in a decode. Here they are placed as in the whole sequence; positions_delta is the published one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_POSITIONS_H
#define MODEL_INPUTS_POSITIONS_H

#include "model/inputs/media_list.h"

/* Fills in the positions of tokens `from` … from + n - 1, which come in one step.
 * tokens: [from + n]. before: [from, ROPE_AXES_MAX], the positions of the tokens before, derived or given;
 * NULL: their indices. position: [n, ROPE_AXES_MAX], may follow `before` in the same array. With
 * PLAN_POSITIONS_INDEX, and in a sample without media, a token follows at the largest position of the token
 * before it over its axes, plus 1: its index, if no step has given positions. A position that would be larger
 * becomes INT32_MAX; only positions that steps have given make one so large (media_list_add). */
void positions_fill(const plan *p, const media_list *list, const int32_t *tokens, const int32_t *before,
                    size_t from, size_t n, int32_t *position);

/* The position of the next text token after n tokens. tokens: [n]. position: [n, ROPE_AXES_MAX], or NULL:
 * indices. */
size_t positions_next(const plan *p, const media_list *list, const int32_t *tokens, const int32_t *position,
                      size_t n);

/* The published delta (rope_deltas): the largest position + 1, less n. position: [n, ROPE_AXES_MAX]; n is not
 * 0. */
int32_t positions_delta(const int32_t *position, size_t n);

#endif
