/* Building blocks of a vision tower: its config, and the parts that families have in common.
 *
 * A family reads its language model first, then begins the tower, binds its parts, and ends it. Errors stick
 * in both configs and in the bind.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_VISION_H
#define MODEL_FAMILIES_VISION_H

#include "model/families/parts/family.h"

typedef struct family_vision {
    family own;     /* of vision_config: its config is the next member; it has no outer one */
    config config;  /* the reader of vision_config */
    config *around; /* that of the document */
    config *text;   /* that of text_config; NULL: its members are in the document */
    bind_place outside;
    size_t n_heads, head_dim, intermediate;
    assay_activation activation; /* of the MLPs */
    plan_norm_kind norms;
    double epsilon;
} family_vision;

/* Begins reading vision_config, which must be an object, and binding below one of prefixes[0..n), that below
 * which `probe` exists. type: model_type of vision_config, which may lack its "_vision". Sets the parts of
 * the tower that a family may lack to nothing: no pooling, pixels as they are. v must not move until
 * family_vision_end. */
void family_vision_begin(family_vision *v, family *f, const char *type, const char *const *prefixes, size_t n,
                         const char *probe);
/* Whether the checkpoint has such a tower: mlx-lm leaves it out of text models, but not its config. */
bool family_vision_is_stored(const family *f, const char *const *prefixes, size_t n, const char *probe);
/* Both for a tower below model.visual., visual. (older) or vision_tower. (mlx-vlm), as the Qwen families have
 * it. */
void family_vision_begin_qwen(family_vision *v, family *f, const char *type);
bool family_vision_is_stored_qwen(const family *f);
/* Refuses members that have not been read, and binds below the language model again. */
void family_vision_end(family_vision *v);

/* Reads the members `depth` and n_heads, and allocates the layers of a tower of this width; each head has an
 * equal part of it, unless v->head_dim states another size. */
void family_vision_layers(family_vision *v, size_t hidden, const char *depth, const char *n_heads);

/* Reads patch_size, temporal_patch_size, in_channels and spatial_merge_size, and binds the convolution
 * patch_embed.proj. Patches are in the order of blocks. */
void family_vision_patches(family_vision *v, size_t default_size, bool has_bias);

/* Allocates n layers. name: the member that says how many, for messages. */
void family_vision_allocate(family_vision *v, size_t n, const char *name);

/* The square table of positions embeddings.position_embedding, of (image / patch size)² rows, without aligned
 * corners. image: the member image_size; at least the patch size, which has been read. */
void family_vision_table(family_vision *v, plan_table_kind kind, size_t image);

/* The rope of a tower whose heads rotate as a whole: rope_parameters, or rope_theta. */
void family_vision_rope(family_vision *v, rope_sections sections, rope_pairing pairing, double default_theta);

/* A norm as v says, of this width. */
plan_norm family_vision_norm(family_vision *v, size_t width, const char *name);

/* The attention of layer i without its products: as many key and value heads as query heads, scores times
 * 1 / sqrt(head_dim), no mask, the tower's rope. */
plan_attention family_vision_attention(const family_vision *v, size_t i);

/* Layer i of the Qwen families: blocks.i.norm1, attn.qkv (fused), attn.proj, all with biases, and norm2. The
 * MLP follows: name of the two products of blocks.i.mlp with biases; gate NULL: there is none. */
void family_vision_layer(family_vision *v, size_t i);
void family_vision_mlp(family_vision *v, size_t i, const char *gate, const char *up, const char *down);

/* A merger of the Qwen families: base.norm over a patch, or over a block where norm_is_last, then base.first,
 * exact GELU and base.second, with biases. width: the member that states the width of features, which must be
 * that of the language model. */
plan_merger family_vision_merger(family_vision *v, const char *base, const char *norm, bool norm_is_last,
                                 const char *first, const char *second, const char *width);

/* Reads image_token_id and video_token_id of the document, which text_config may repeat, and places tokens by
 * the grids of images. */
void family_vision_tokens(family_vision *v, size_t default_image, size_t default_video);
/* The same of a model that takes no videos. */
void family_vision_image_token(family_vision *v, size_t default_image);
void family_vision_image_token_named(family_vision *v, const char *name, size_t default_image);

#endif
