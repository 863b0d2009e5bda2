/* What the families share. A family is one function that reads its config and fills in a plan; it is the only
 * place where a model's name means anything. Errors stick in f->config and f->bind; the caller looks there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_FAMILIES_H
#define MODEL_FAMILIES_FAMILIES_H

#include "model/checkpoint/config.h"
#include "model/plan/bind.h"
#include "model/plan/plan.h"

typedef struct family {
    plan *plan;
    config *config; /* of the language model: the document itself, or its text_config */
    config *outer;  /* the document around a text_config; NULL in a text checkpoint */
    bind *bind;
} family;

typedef void family_fn(family *f);

family_fn family_llama, family_qwen2, family_qwen3, family_qwen3_moe, family_phi3;
family_fn family_gemma4, family_gemma3n;

/* Whether nothing has failed yet. */
bool family_ok(const family *f);

/* Reads vocab_size, hidden_size, num_hidden_layers and max_position_embeddings, allocates the layers, and
 * binds embedding, final norm (epsilon) and head. Tells the binding how MLX has quantised the matrices. */
void family_begin(family *f, double epsilon, bool tied_by_default);

/* rms_norm_eps, at least 0; fallback: the published class's. */
double family_epsilon(family *f, double fallback);

/* Fails unless every key/value head serves the same number of query heads. */
void family_check_heads(family *f, size_t n_heads, size_t n_kv_heads);

assay_activation family_activation(family *f, const char *member, const char *fallback);

/* Resolves a rope and appends it to the plan; returns its index. */
size_t family_rope(family *f, const config_rope_request *request);

/* Reads layer_types into sliding[n_layers] (full_attention: false, sliding_attention: true). Returns false
 * where the member is absent. Where it is there, sliding_window_pattern says nothing more. */
bool family_layer_types(family *f, bool *sliding);

/* The plain pre-norm decoder layer of Llama and its kin:
 * input_layernorm, self_attn, post_attention_layernorm, mlp. */
typedef struct family_decoder {
    size_t n_heads, n_kv_heads, head_dim, intermediate;
    size_t rope; /* index in the plan */
    double epsilon;
    assay_activation activation;
    bool qkv_bias, o_bias, mlp_bias;
    bool head_norms; /* q_norm and k_norm per head, before rope */
} family_decoder;

/* Reads num_attention_heads, num_key_value_heads, head_dim, intermediate_size, rms_norm_eps and hidden_act. A
 * head size that is absent and not needed is hidden_size / num_attention_heads. default_epsilon: the
 * published class's rms_norm_eps. */
family_decoder family_decoder_read(family *f, double default_epsilon, bool needs_kv_heads,
                                   bool needs_head_dim);

/* Sets up layer i: its norms, and an attention (with window) whose output projection is bound; q, k and v are
 * left to the caller. */
plan_attention *family_decoder_frame(family *f, const family_decoder *d, size_t i, size_t window);

/* The same with q_proj, k_proj, v_proj and, where d says so, norms per head. The mlp follows separately. */
void family_decoder_attention(family *f, const family_decoder *d, size_t i, size_t window);
void family_decoder_mlp(family *f, const family_decoder *d, size_t i);

/* gate_proj, up_proj and down_proj below "layers.i.mlp". */
plan_mlp family_mlp(family *f, size_t i, size_t intermediate, assay_activation activation, bool bias);

/* The sliding window of the Qwen families: sliding_window, which must make sense also where nothing slides;
 * 4096 where it is absent, as published. 0: none. */
size_t family_qwen_window(family *f, bool slides);

/* Qwen2 and Qwen3: the rope, the windows (use_sliding_window, sliding_window, and either layer_types or
 * max_window_layers), and then every layer of d. */
void family_qwen_layers(family *f, family_decoder *d);

/* What the Gemmas share (families/gemma.c).
 * ------------------------------------------------------------------ */

/* The attention of one layer: norms per head before rope, an unweighted one of v, no scale. */
typedef struct family_gemma_attention {
    size_t n_heads, n_kv_heads, head_dim;
    size_t window;   /* 0: none */
    size_t rope;     /* index in the plan */
    size_t producer; /* the layer whose keys and values it reads */
    double epsilon;
    bool bias, value_is_key;
} family_gemma_attention;

/* Binds attention and the four norms around attention and MLP of layer i. */
void family_gemma_layer(family *f, size_t i, const family_gemma_attention *a);

/* The last num_kv_shared_layers layers read the keys and values of the last layer before them of their own
 * type. producer: [n_layers], the index itself for a layer that has its own. */
void family_gemma_producers(family *f, const bool *sliding, size_t n_shared, size_t *producer);

/* Per-layer inputs: the table and projection of the model, and the gate of each layer. width: P. */
void family_gemma_inputs(family *f, size_t width, size_t table_rows, double epsilon);
plan_layer_input family_gemma_input(family *f, size_t i, size_t width, double epsilon,
                                    assay_activation activation);

/* Reads final_logit_softcapping into the plan: a number above 0, or null for none. fallback: the published
 * class's where the member is absent; 0: none. */
void family_gemma_soft_cap(family *f, double fallback);

/* A norm over the hidden size, layers.i.name. */
plan_norm family_gemma_norm(family *f, size_t i, double epsilon, const char *name);

#endif
