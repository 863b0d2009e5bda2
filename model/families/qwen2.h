/* What Qwen2 and Qwen3 read in the same way.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_QWEN2_H
#define MODEL_FAMILIES_QWEN2_H

#include "model/families/decoder.h"

/* The sliding window of the Qwen families: sliding_window, which must make sense also where nothing slides;
 * 4096 where it is absent, as published. 0: none. */
size_t family_qwen_window(family *f, bool slides);

/* Qwen2 and Qwen3: the rope, the windows (use_sliding_window, sliding_window, and either layer_types or
 * max_window_layers), and then every layer of d. */
void family_qwen_layers(family *f, family_decoder *d);

#endif
