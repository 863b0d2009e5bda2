/* The parts of language models that the Qwen families share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_QWEN_DECODER_H
#define MODEL_FAMILIES_QWEN_DECODER_H

#include "model/checkpoint/config_rope.h"
#include "model/families/parts/decoder.h"

/* The sliding window of the Qwen families: sliding_window, which must be valid even if no layer uses it; 4096
 * if absent, as published. 0: none. */
size_t family_qwen_window(family *f, bool slides);

/* Sets the windows of all layers: use_sliding_window, sliding_window, and either layer_types or
 * max_window_layers (default_full if absent), the number of leading layers without one. */
void family_qwen_windows(family *f, size_t default_full);

/* Qwen2 and Qwen3: the rope, the windows, and then every layer of d. */
void family_qwen_layers(family *f, family_decoder *d);

/* Qwen2-VL and Qwen2.5-VL: Qwen2 with chunked M-RoPE. The config is text_config or, in older files, the
 * document itself. */
void family_qwen2_vl_text(family *f);

/* The rope of Qwen3-VL, Qwen3-VL-MoE and Qwen3-Omni: interleaved M-RoPE. */
config_rope_request family_qwen3_mrope(size_t head_dim);

#endif
