/* Gemma 3n's images (transformers, models/gemma3n/modeling_gemma3n.py: Gemma3nModel.get_image_features,
 * Gemma3nMultimodalEmbedder): timm's encoder, and an embedder of its features (soft) and of token ids (hard).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_GEMMA3N_VISION_H
#define MODEL_FAMILIES_GEMMA3N_VISION_H

#include "model/families/parts/family.h"

/* Reads vision_config and binds tower and embedder, if the checkpoint has them: the ids from vocab_offset to
 * that of audio_config, audio_offset, are ids of text and of the placeholder then. Notes it otherwise. */
void family_gemma3n_tower(family *f, size_t audio_offset);

#endif
