/* The tower that Qwen3-VL, Qwen3-VL-MoE and Qwen3.5 share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_QWEN3_VL_H
#define MODEL_FAMILIES_QWEN3_VL_H

#include "model/checkpoint/config_rope.h"
#include "model/families/parts/family.h"

/* Reads vision_config and binds the tower. type: model_type of vision_config. has_deepstack: the published
 * class reads deepstack_visual_indexes. */
void family_qwen3_tower(family *f, const char *type, bool has_deepstack, size_t default_image,
                        size_t default_video);

/* The rope of the language model: interleaved M-RoPE. */
config_rope_request family_qwen3_mrope(size_t head_dim);

#endif
