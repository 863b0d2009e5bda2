/* The time of the frames of a video.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_ITEM_TIME_H
#define MODEL_INPUTS_ITEM_TIME_H

#include "model/inputs/item_content.h"

/* Sets the interval of a video or image, whose grid is set. The tower has tokens_per_second.
 * seconds: [1] or [], F32 or F64, those of a frame; NULL: one second.
 *
 * Qwen2.5-VL (get_rope_index): frame k is at k · (tokens_per_second · seconds), without its fraction. With
 * tower.spans_time (get_rope_index of Qwen3-Omni): at k · seconds · tokens_per_second in float32, of which
 * the published class keeps the fraction; it is refused.
 *
 * Fails, naming the tensor: ASSAY_EUNSUPPORTED for another type or, with spans_time, a frame that is not at a
 * whole position; ASSAY_EINVAL for another shape, or seconds below 0 or beyond all positions. */
assay_status item_time_read(const plan_tower *tower, const assay_tensor *seconds, item_content *out,
                            assay_error *err);

#endif
