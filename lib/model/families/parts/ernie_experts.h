/* The experts of ERNIE 4.5 VL (transformers, models/ernie4_5_vl_moe/modeling_ernie4_5_vl_moe.py): one set for
 * text, one for the tokens of images and videos, and an MLP for all tokens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_ERNIE_EXPERTS_H
#define MODEL_FAMILIES_ERNIE_EXPERTS_H

#include "model/families/parts/family.h"

typedef struct family_ernie_experts {
    plan_experts text, vision; /* the shapes of every layer's; text.shared, too */
    bool shared_bias;
    bool *is_sparse; /* [n_layers], owned by the caller; NULL after a failure */
} family_ernie_experts;

/* Reads the members of the experts, and which layers have them: mlp_layer_types or, in a flat document, the
 * first and the last of them, and every how manieth. */
family_ernie_experts family_ernie_experts_read(family *f, assay_activation activation, bool shared_bias);

/* Binds the experts of layer i, in the layout of transformers, of published files or of mlx-vlm. */
void family_ernie_experts_bind(family *f, const family_ernie_experts *e, size_t i);

/* Reads the ids of the marks of images and videos from the document; they, the placeholder of images and that
 * of videos have experts of their own. The tower's image_token has been read. */
void family_ernie_expert_tokens(family *f, config *document);

#endif
