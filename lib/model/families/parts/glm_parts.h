/* Parts of GLM-4.1V and its successors (transformers, models/glm4v/modeling_glm4v.py).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_GLM_PARTS_H
#define MODEL_FAMILIES_GLM_PARTS_H

#include "model/families/parts/decoder.h"
#include "model/families/parts/vision.h"

/* Begins reading the text model: norms before and after attention and MLP. epsilon: the published default. */
family_decoder family_glm_decoder_read(family *f, double epsilon);

/* Ignores the layer after the last of GLM-4.5 and its kin, which predicts a second token. */
void family_glm_ignore_predictors(family *f);

/* A rope of chunked M-RoPE over the leading part of a head. default_partial: which part, if
 * partial_rotary_factor is absent. Returns its index. */
size_t family_glm_rope(family *f, size_t head_dim, double default_partial, rope_pairing pairing);

/* Its layers, with an MLP whose gate and up are one product. */
void family_glm_fused_layers(family *f, const family_decoder *d);

/* Its rope, chunked M-RoPE over the leading part of a head, pairs 2i and 2i + 1; and these
 * layers. */
void family_glm_layers(family *f, family_decoder *d);

/* Begins the tower: its sizes, patches and rope. type: as family_vision_begin takes it. */
void family_glm_vision_begin(family_vision *v, family *f, const char *type);

/* Which parts a tower has. */
typedef struct family_glm_tower {
    bool qkv_bias, o_bias, mlp_bias, has_head_norms;
    size_t intermediate; /* of the layers' MLPs */
    size_t merger_intermediate;
} family_glm_tower;

/* Layers, last norm and merger: blocks.i of RMSNorms with fused q, k, v and an MLP with a gate; a convolution
 * of a block of patches, a product, LayerNorm (epsilon 1e-5, torch's default), exact GELU and an MLP. Checks
 * that out_hidden_size is the language model's hidden_size. */
void family_glm_bind_tower(family_vision *v, const family_glm_tower *parts);

/* The whole tower of GLM-4.1V and GLM-4.5V: a bicubic table of positions after the norm of the embedding. */
void family_glm4v_tower(family *f, const char *type, size_t default_image);

#endif
