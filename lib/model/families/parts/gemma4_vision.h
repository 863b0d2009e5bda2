/* The vision tower of Gemma 4.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_GEMMA4_VISION_H
#define MODEL_FAMILIES_GEMMA4_VISION_H

#include "model/families/parts/family.h"

/* Binds the tower where the document has a vision_config and the checkpoint a tower; otherwise the model
 * reads no images, which is noted if the document has the config of one. The language model has been read.
 * image_token: the placeholder of an image; -1: none. */
void family_gemma4_tower(family *f, int32_t image_token);

#endif
