/* SigLIP's tower (transformers, models/siglip/modeling_siglip.py), which several families vary: its members,
 * and its parts by their published names, below the prefix of the bind.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_SIGLIP_PARTS_H
#define MODEL_FAMILIES_SIGLIP_PARTS_H

#include "model/families/parts/vision.h"

/* Reads hidden_size, intermediate_size, num_hidden_layers, num_attention_heads, hidden_act and layer_norm_eps
 * into v and its tower, and allocates the layers. */
void family_siglip_shape(family_vision *v);

/* Reads num_channels, image_size and patch_size, and binds the convolution embeddings.patch_embedding, with a
 * bias, and the table embeddings.position_embedding of (image_size / patch_size)² rows. Patches are row by
 * row, and have one frame. The table is resampled as `kind` says, without aligned corners. */
void family_siglip_embeddings(family_vision *v, plan_table_kind kind);

/* Layer i: layer_norm1, self_attn, layer_norm2 and mlp below layers.i, all with biases. q, k and v are three
 * products, or a fused one, self_attn.qkv. The tower's rope, if it has one, has been read. */
void family_siglip_layer(family_vision *v, const char *layers, size_t i);

#endif
