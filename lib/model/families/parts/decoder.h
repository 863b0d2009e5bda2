/* The decoder layer of Llama and the families that derive from it, as data: which norms it has, what they
 * are taken over, and its factors and caps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_DECODER_H
#define MODEL_FAMILIES_DECODER_H

#include "model/families/parts/family.h"

/* How a published class reads its config. */
typedef struct family_class {
    double epsilon;             /* default of rms_norm_eps, */
    const char *epsilon_member; /* or of this member; not NULL: norms over the hidden size are LayerNorms, */
    bool norm_bias;             /* with a bias */
    const char *last_norm;      /* name of the norm after the last layer; NULL: "norm" */
    /* Whether the member is required. A class whose default of num_key_value_heads is a number needs it:
     * an absent member is taken for the number of heads. */
    bool needs_kv_heads, needs_head_dim;
    bool tied;                      /* default of tie_word_embeddings */
    const char *activation_member;  /* NULL: hidden_act */
    const char *default_activation; /* NULL: silu */
    double norm_offset;             /* added to the weights of every norm */
    bool has_no_mlp;                /* it does not read intermediate_size */
} family_class;

/* The norms of q and k: none, of each head, or of all heads together. Those of each head have the same
 * weights; or weights of its own, stored as name.weight [heads, head_dim], or as name.norms.N.weight
 * [head_dim] of head N. */
typedef enum family_qk_norms {
    FAMILY_QK_NONE,
    FAMILY_QK_PER_HEAD,
    FAMILY_QK_WHOLE,
    FAMILY_QK_WEIGHTS_PER_HEAD,
    FAMILY_QK_NORMS_PER_HEAD
} family_qk_norms;

/* A layer: x + residual_factor * mixer_out(self_attn(mixer_in(x))), then the same with mlp_in, mlp and
 * mlp_out; or, of a parallel one, x + self_attn(mixer_in(x)) + mlp(mixer_in(x)), without mlp_in. */
typedef struct family_decoder {
    size_t n_heads, n_kv_heads, head_dim, intermediate;
    size_t rope;          /* index in the plan */
    size_t producer;      /* the layer whose keys and values it reads; PLAN_NONE: its own */
    plan_norm_kind norms; /* over the hidden size, and those of q and k */
    bool norm_bias;       /* of those over the hidden size */
    bool qk_norm_bias;
    double epsilon, norm_offset, scale, score_cap, residual_factor;
    assay_activation activation;
    bool qkv_bias, o_bias, mlp_bias;
    family_qk_norms qk_norms;
    const char *q_norm, *k_norm;                         /* their names; NULL: "q_norm" and "k_norm" */
    bool norms_after_rope;                               /* those of q and k */
    bool v_norms;                                        /* unweighted, of each head */
    bool value_is_key;                                   /* there is no v_proj */
    bool is_gated;                                       /* q_proj has the gates of the heads, too */
    const char *mixer_in, *mixer_out, *mlp_in, *mlp_out; /* names of norms below layers.i; NULL: none */
    bool is_parallel;
    const char *o;        /* name of the output projection; NULL: "o_proj" */
    const char *plain[2]; /* names of the two matrices of an MLP without a gate; NULL: it has one */
} family_decoder;

/* Begins the family (family_begin), and reads num_attention_heads, num_key_value_heads, head_dim,
 * intermediate_size (unless the class does not read it), the epsilon and the activation. A head size that is
 * absent and not needed is hidden_size / num_attention_heads. The rest is that of Llama: the norms
 * input_layernorm before attention and post_attention_layernorm before the MLP, scores times 1 /
 * sqrt(head_dim), no biases, no caps; rope is 0. */
family_decoder family_decoder_read(family *f, const family_class *published);

/* Sets up layer i: its norms and factors, and an attention whose output projection is bound; q, k and v are
 * left to the caller. The window is that which the plan has already. */
plan_attention *family_decoder_frame(family *f, const family_decoder *d, size_t i);

/* Sets up only the norms and the factor of layer i. */
void family_decoder_norms(family *f, const family_decoder *d, size_t i);

/* The same with q_proj, k_proj and v_proj, and norms of them as d says. The mlp follows separately. */
void family_decoder_attention(family *f, const family_decoder *d, size_t i);
void family_decoder_mlp(family *f, const family_decoder *d, size_t i);

/* Both, in every layer. */
void family_decoder_layers(family *f, const family_decoder *d);

/* Both, in every layer: as `sliding` says in those to which the plan has given a window, as `full` in the
 * others. */
void family_decoder_layers_by_window(family *f, const family_decoder *sliding, const family_decoder *full);

/* Reads the ropes of full_attention, whose member of the older spelling is rope_theta with rope_scaling, and
 * of sliding_attention, whose one is old_sliding ("": none). Each has the published default of its theta. */
void family_two_ropes(family *f, double full_theta, double sliding_theta, const char *old_sliding,
                      family_decoder *full, family_decoder *sliding);

#endif
