/* Reading the parts of a config that Qwen2 and Qwen3 share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_QWEN2_H
#define MODEL_FAMILIES_QWEN2_H

#include "model/families/parts/decoder.h"

/* The sliding window of the Qwen families: sliding_window, which must be valid even if no layer uses it; 4096
 * if absent, as published. 0: none. */
size_t family_qwen_window(family *f, bool slides);

/* Sets the windows of all layers: use_sliding_window, sliding_window, and either layer_types or
 * max_window_layers (default_full if absent), the number of leading layers without one. */
void family_qwen_windows(family *f, size_t default_full);

/* Qwen2 and Qwen3: the rope, the windows, and then every layer of d. */
void family_qwen_layers(family *f, family_decoder *d);

#endif
