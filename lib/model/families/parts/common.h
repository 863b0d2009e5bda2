/* Reading the parts of a config that all families share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_COMMON_H
#define MODEL_FAMILIES_COMMON_H

#include "model/checkpoint/config_rope.h"
#include "model/families/parts/family.h"

/* Whether nothing has failed yet. */
bool family_ok(const family *f);

/* Allocates n layers of `size` bytes each, all 0, where the member `name` of c says n; at most as many as the
 * checkpoint has tensors, of which each layer has some. NULL if that fails, or if something has failed
 * before. The caller frees them. */
void *family_allocate_layers(family *f, config *c, const char *name, size_t n, size_t size);

/* Reads vocab_size, hidden_size, num_hidden_layers and max_position_embeddings, allocates the layers, sets
 * the factors of embedding, residuals and logits to 1, and binds embedding, final RMSNorm (epsilon) and head.
 * Sets the quantisation settings of f->bind. */
void family_begin(family *f, double epsilon, bool tied_by_default);

/* Of a class whose versions differ on which document says whether the head is tied: refuses an outer false
 * that text_config contradicts, unless versions from 5 on, one of which wrote the file, agree because a head
 * is stored. */
void family_check_tied(family *f);

/* Marks the members of a tower's config as read that transformers writes into every config, and that a tower
 * has no use for: it has no head that could be tied. */
void family_tower_begin(config *tower);

/* Makes a norm that has been bound a LayerNorm, whose bias is name.bias where has_bias. */
void family_layer_norm(family *f, plan_norm *norm, bool has_bias, const char *name);

/* rms_norm_eps, at least 0; fallback: the published class's. */
double family_epsilon(family *f, double fallback);

/* Fails unless every key/value head serves the same number of query heads. */
void family_check_heads(family *f, size_t n_heads, size_t n_kv_heads);
assay_activation family_activation(family *f, const char *member, const char *fallback);

/* Resolves a rope and appends it to the plan; returns its index. */
size_t family_rope(family *f, const config_rope_request *request);

/* Reads a list of one string for each layer into is_other[n_layers] (usual: false, other: true). Returns
 * false if the member is absent. */
bool family_listed_kinds(family *f, const char *member, const char *usual, const char *other, bool *is_other);

/* Reads layer_types into is_other[n_layers] (full_attention: false, `other`: true). Returns false if the
 * member is absent. */
bool family_layer_kinds(family *f, const char *other, bool *is_other);

/* The same with sliding_attention; if the member is present, sliding_window_pattern is ignored. */
bool family_layer_types(family *f, bool *sliding);

/* sliding_window; 0: none, which null says. fallback: the published class's default if the member is absent;
 * 0: null. */
size_t family_window(family *f, size_t fallback);

/* The windows of the layers, in the plan: `size` in those that layer_types calls sliding_attention, or, if
 * the member is absent, in all but every full_every-th. size: 0 if the config says null; then no layer may
 * slide. */
void family_listed_windows(family *f, size_t size, size_t full_every);

/* sliding_window_pattern, for family_listed_windows. fallback: the published class's default. */
size_t family_pattern(family *f, size_t fallback);

/* The same window in every layer; 0: none. */
void family_same_windows(family *f, size_t size);

/* A cap: a number above 0, or null for none. fallback: the published class's default if the member is absent;
 * 0: none. */
double family_cap(family *f, const char *member, double fallback);

/* Gives layer i experts of this shape: their router, "layers.i.mlp.gate", and the experts below
 * "layers.i.mlp" (bind_experts). Returns them; what is special to a family is left to bind. */
plan_experts *family_layer_experts(family *f, const plan_experts *shape, size_t i);

/* The same with a router of another name below "layers.i". */
plan_experts *family_layer_experts_named(family *f, const plan_experts *shape, size_t i, const char *router);

/* gate_proj, up_proj and down_proj below "layers.i.mlp", or below "layers.i.part". */
plan_mlp family_mlp(family *f, size_t i, size_t intermediate, assay_activation activation, bool bias);
plan_mlp family_mlp_below(family *f, size_t i, const char *part, size_t intermediate,
                          assay_activation activation, bool bias);

#endif
