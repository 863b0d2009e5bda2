/* What the families share. A family is one function that reads its config and fills in a plan; it is the only
 * place where a model's name means anything. Errors stick in f->config and f->bind; the caller looks there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_FAMILIES_H
#define MODEL_FAMILIES_FAMILIES_H

#include "model/bind.h"
#include "model/config.h"
#include "model/plan.h"

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
 * binds embedding, final norm (epsilon) and head. Refuses what no family implements (quantisation). */
void family_begin(family *f, double epsilon, bool tied_by_default);

plan_activation family_activation(family *f, const char *member, const char *fallback);

/* Resolves a rope and appends it to the plan; returns its index. */
size_t family_rope(family *f, const config_rope_request *request);

/* Reads layer_types into sliding[n_layers] (full_attention: false, sliding_attention: true). Returns false
 * where the member is absent. */
bool family_layer_types(family *f, bool *sliding);

/* The plain pre-norm decoder layer of Llama and its kin:
 * input_layernorm, self_attn, post_attention_layernorm, mlp. */
typedef struct family_decoder {
    size_t n_heads, n_kv_heads, head_dim, intermediate;
    size_t rope; /* index in the plan */
    double epsilon;
    plan_activation activation;
    bool qkv_bias, o_bias, mlp_bias;
    bool head_norms; /* q_norm and k_norm per head, before rope */
} family_decoder;

/* Reads num_attention_heads, num_key_value_heads, head_dim, intermediate_size, rms_norm_eps, hidden_act and
 * the rope. head_dim_default 0: hidden_size / num_attention_heads. */
family_decoder family_decoder_read(family *f, bool needs_kv_heads, bool needs_head_dim);

/* Binds the attention (with window) and its norms of layer i; the mlp follows separately. */
void family_decoder_attention(family *f, const family_decoder *d, size_t i, size_t window);
void family_decoder_mlp(family *f, const family_decoder *d, size_t i);

/* gate_proj, up_proj and down_proj below "layers.i.mlp". */
plan_mlp family_mlp(family *f, size_t i, size_t intermediate, plan_activation activation, bool bias);

/* The windows of Qwen2 and Qwen3: use_sliding_window, sliding_window, and either layer_types or
 * max_window_layers. window: [n_layers]; 0: none. */
void family_qwen_windows(family *f, size_t *window);

/* The last num_kv_shared_layers layers read the keys and values of the last layer before them of their own
 * type. producer: [n_layers], the index itself for a layer that has its own. */
void family_shared_kv(family *f, const bool *sliding, size_t n_shared, size_t *producer);

/* Passes over the key and value tensors that published checkpoints still carry for a layer i that shares. */
void family_ignore_shared(family *f, size_t i);

/* Gemma's per-layer inputs: the table and projection of the model, and the gate of each layer. width: P. */
void family_layer_inputs(family *f, size_t width, size_t table_rows, double epsilon);
plan_layer_input family_layer_input(family *f, size_t i, size_t width, double epsilon,
                                    plan_activation activation);

#endif
