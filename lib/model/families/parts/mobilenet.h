/* timm's MobileNetV5 encoder: the published 300M encoder, or one whose blocks model_args.block_args lists, as
 * timm.create_model takes them. Source: timm, models/mobilenetv5.py, with the blocks of
 * models/_efficientnet_blocks.py and layers/attention2d.py.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_MOBILENET_H
#define MODEL_FAMILIES_MOBILENET_H

#include "model/families/parts/vision.h"

/* Reads architecture and model_args of vision_config, sets hidden and patches of the tower, and binds
 * everything below the prefix: stem, blocks, fusion and the last norm (out_norm). */
void family_mobilenet(family_vision *v);

#endif
