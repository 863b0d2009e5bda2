/* GGUF files of Gemma 4 (llama.cpp 0c1e57098, conversion/gemma.py, Gemma4Model).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_PARTS_GEMMA4_GGUF_H
#define MODEL_FAMILIES_PARTS_GEMMA4_GGUF_H

#include "model/gguf/architecture.h"

extern const gguf_architecture family_gemma4_gguf;

#endif
