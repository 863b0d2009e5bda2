/* The audio tower of Qwen3-Omni (transformers, Qwen3OmniMoeAudioEncoder): convolutions over the chunks of
 * a mel spectrogram, sinusoids that begin again in each chunk, attention within windows of chunks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_QWEN_AUDIO_H
#define MODEL_FAMILIES_QWEN_AUDIO_H

#include "model/families/parts/family.h"

/* Reads audio_config and binds the tower. type: model_type of audio_config. */
void family_qwen_audio(family *f, const char *type, size_t default_token);

#endif
