/* The tower that Qwen3-VL, Qwen3-VL-MoE, Qwen3.5 and Qwen3-Omni share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_QWEN_TOWER_H
#define MODEL_FAMILIES_QWEN_TOWER_H

#include "model/families/parts/family.h"

/* Reads vision_config and binds the tower. type: model_type of vision_config. has_deepstack: the published
 * class reads deepstack_visual_indexes. */
void family_qwen3_tower(family *f, const char *type, bool has_deepstack, size_t default_image,
                        size_t default_video);

#endif
