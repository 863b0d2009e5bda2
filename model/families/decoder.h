/* The pre-norm decoder layer of Llama and the families that derive from it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_DECODER_H
#define MODEL_FAMILIES_DECODER_H

#include "model/families/family.h"

/* The plain pre-norm decoder layer of Llama and the families derived from it:
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

#endif
