/* The published names of a GGUF file's tensors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_GGUF_NAMES_H
#define MODEL_GGUF_NAMES_H

#include <stddef.h>

#include "model/gguf/architecture.h"

enum { GGUF_PUBLISHED_MAX = 256 };

/* Writes the published name of a tensor: "blk.3.attn_q.weight" is "model.layers.3.self_attn.q_proj.weight". A
 * name that neither the architecture nor the common table has stays as it is, so that messages about it name
 * it. */
void gguf_published_name(const gguf_architecture *architecture, const char *name,
                         char out[GGUF_PUBLISHED_MAX]);

#endif
