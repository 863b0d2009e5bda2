/* The plan of a checkpoint: everything that an engine must know to evaluate the model, resolved layer by
 * layer, without the name of a family anywhere. Immutable once open.
 *
 * Notation: D hidden size, V vocabulary, L layers, T tokens of one sample.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_PLAN_H
#define MODEL_PLAN_PLAN_H

#include <assay/kernel.h>
#include <assert.h>

#include <stdbool.h>
#include <stdio.h>

#include "model/checkpoint/stop.h"
#include "model/numerics/affine.h"
#include "model/numerics/rope.h"
#include "runtime/array_list.h"
#include "tokenizer/tokenizer.h"

#define PLAN_NONE SIZE_MAX

/* A matrix of a checkpoint, out = W x. data points into the read-only mapping and may be unaligned;
 * NULL: the model has no such weight. */
typedef struct plan_weight {
    const char *name; /* in the checkpoint */
    const void *data;
    assay_dtype dtype; /* U32 where affine.bits is not 0 */
    size_t rows;       /* outputs; 1 for a vector */
    size_t cols;       /* inputs; the length of a vector */
    bool transposed;   /* stored [cols, rows] */
    size_t stride;     /* elements from one stored row to the next; 0: they follow each other */
    affine affine;     /* where affine.bits is not 0, data holds its codes, [rows, affine_words(cols, bits)],
                          neither transposed nor with a stride */
    array *values; /* of a vector: its numbers, F64 [cols], one of the plan's arrays; NULL: not converted */
} plan_weight;

/* How some of a checkpoint's tensors are stored, and how many of them. */
typedef struct plan_storage {
    assay_dtype dtype; /* of the numbers; of the scales where bits is not 0 */
    assay_dtype bias_dtype;
    size_t bits, group; /* as in affine */
    size_t n_tensors, n_elements;
} plan_storage;

typedef struct plan_linear {
    plan_weight weight; /* [out, in] */
    plan_weight bias;   /* [out], or absent */
} plan_linear;

/* y = c / sqrt(mean(c²) + epsilon) * (weight + offset) + bias. RMSNorm (Zhang & Sennrich 2019): c = x;
 * LayerNorm (Ba et al. 2016): c = x - mean(x). */
typedef enum plan_norm_kind { PLAN_RMS_NORM, PLAN_LAYER_NORM } plan_norm_kind;

typedef struct plan_norm {
    bool present;
    plan_norm_kind kind;
    double epsilon;
    size_t width;       /* number of elements that are normalised together */
    plan_weight weight; /* [width]; absent: not scaled, and no offset */
    double offset;      /* 1 where a checkpoint stores weight - 1, otherwise 0 */
    plan_weight bias;   /* [width], or absent; of a LayerNorm alone */
} plan_norm;

/* The keys of a query, of which a window or a limit of the caches may exclude the earliest. */
typedef enum plan_mask {
    PLAN_MASK_CAUSAL, /* itself and the tokens before it */
    PLAN_MASK_BLOCKS  /* and the later tokens of its block: see plan_blocks */
} plan_mask;

/* Softmax attention. Order: projections, norms, rope, attention, output projection. */
typedef struct plan_attention {
    size_t n_heads, n_kv_heads, head_dim; /* query head h reads kv head h / (n_heads / n_kv_heads) */
    double scale;                         /* of the scores */
    double score_cap;                     /* scores become tanh(x / score_cap) * score_cap; 0: none */
    plan_mask mask;
    size_t window;          /* a key is visible only if q - window < kv; 0: no window */
    size_t rope;            /* index into plan.ropes, or PLAN_NONE */
    size_t cache_layer;     /* the layer whose keys and values this one reads; itself, or an earlier one */
    bool value_is_key;      /* v is the key projection, before k_norm and rope */
    plan_linear q, k, v, o; /* k and v absent where cache_layer is another layer */
    plan_norm q_norm, k_norm, v_norm; /* over each head, or over a whole row of the projection: see width */
} plan_attention;

typedef enum plan_mixer_kind { PLAN_MIXER_ATTENTION } plan_mixer_kind;

typedef struct plan_mixer {
    plan_mixer_kind kind;
    union {
        plan_attention attention;
    };
} plan_mixer;

/* down(activation(gate(x)) * up(x)). */
typedef struct plan_mlp {
    bool present;
    size_t intermediate;
    assay_activation activation;
    bool sparse; /* gate first becomes relu(gate - mean - sparse_deviations * std) over its row */
    double sparse_deviations;
    plan_linear gate, up, down;
} plan_mlp;

/* Router: softmax over all experts of router(norm(x) * router_scale * router_factor), the best n_active.
 * Each chosen expert gives down(activation(gate(x)) * up(x)) times its probability. */
typedef struct plan_experts {
    bool present;
    size_t n_experts, n_active, intermediate;
    assay_activation activation;
    bool routes_residual; /* the router's input is h, not the experts' normalised input */
    plan_weight router;   /* [n_experts, D] */
    plan_norm router_norm;
    plan_weight router_scale; /* [D], or absent */
    double router_factor;
    bool renormalize;              /* the chosen probabilities are divided by their sum */
    plan_weight expert_scale;      /* [n_experts], multiplies the chosen probabilities; or absent */
    plan_weight *gate, *up, *down; /* [n_experts] each, owned */
} plan_experts;

/* h += out_norm(projection(activation(gate(h)) * per-layer input)) */
typedef struct plan_layer_input {
    bool present;
    assay_activation activation;
    plan_linear gate, projection; /* [P, D], [D, P] */
    plan_norm out_norm;
} plan_layer_input;

/* Low-rank residual in parallel to the mixer: l = n + norm(right(left(n))), n the mixer's normalised
 * input; the block continues with (x + mixer + l) / √2 (Gemma 3n). */
typedef struct plan_laurel {
    bool present;
    plan_linear left, right;
    plan_norm norm;
} plan_laurel;

/* Alternating updates over S streams (Baykal et al. 2023): the layer runs on the active stream; the others
 * are predicted and corrected from it. */
typedef struct plan_altup {
    bool present;
    plan_norm router_norm;
    double router_factor;
    plan_weight router;       /* [S, D] */
    plan_weight prediction;   /* [S·S, S] */
    plan_weight correction;   /* [S, S] */
    plan_weight output_scale; /* [D]: scale of the corrected active stream as source of the per-layer input;
                                 or absent */
} plan_altup;

/* One decoder layer. With x its input:
 *   h = x + residual_factor * mixer_out(mixer(mixer_in(x)))
 *   y = h + residual_factor * mlp_out(f(h)),  f = mlp(mlp_in(h)),
 *       or mlp_dense_out(mlp(mlp_in(h))) + experts_out(experts(experts_in(h))) where there are both;
 * then the per-layer input, then everything times `scalar`. A norm that is not present is the identity. */
typedef struct plan_layer {
    plan_mixer mixer;
    plan_norm mixer_in, mixer_out;
    plan_mlp mlp;
    plan_experts experts; /* if the layer has no mlp, the experts replace it: experts(mlp_in(h)) */
    plan_norm mlp_in, mlp_out;
    plan_norm mlp_dense_out, experts_in, experts_out; /* only where mlp and experts are both present */
    plan_layer_input layer_input;
    plan_laurel laurel;
    plan_altup altup;
    double residual_factor;
    plan_weight scalar; /* [1], or absent */
} plan_layer;

/* The attention of a layer; its mixer must be an attention. */
static inline const plan_attention *plan_layer_attention(const plan_layer *layer)
{
    assert(layer->mixer.kind == PLAN_MIXER_ATTENTION);
    return &layer->mixer.attention;
}

/* Inputs of every layer besides the residual stream: ((norm(projection(e) * projection_factor)) +
 * table[token]
 * * table_scale) * 2^-1/2, e the scaled embedding; the slice l of P elements goes to layer l. */
typedef struct plan_layer_inputs {
    bool present;
    size_t width;      /* P */
    plan_weight table; /* [rows, L·P]; a token beyond it reads row 0 */
    double table_scale;
    plan_linear projection; /* [L·P, D] */
    double projection_factor;
    plan_norm norm; /* over P */
} plan_layer_inputs;

typedef struct plan_streams {
    size_t n; /* S; 0: a plain residual stream */
    size_t active;
    plan_weight *projection;   /* [S - 1] of [D, D], owned: stream i + 1 from the embedding */
    plan_weight *unprojection; /* [S - 1] of [D, D], owned: stream i + 1 back before the mean */
} plan_streams;

/* Token ids that the model embeds as another token, since their own embedding comes from an image or a sound.
 */
typedef struct plan_placeholders {
    size_t n;
    int32_t id[8];
    int32_t embeds_as;
} plan_placeholders;

/* Token ids whose maximal runs are blocks: the tokens of an image, for example. A block is evaluated in one
 * step. n is not 0 only if a layer has PLAN_MASK_BLOCKS. */
typedef struct plan_blocks {
    size_t n;
    int32_t id[8];
} plan_blocks;

/* The inverse frequencies of a rope, F64 [dim / 2], among the plan's arrays. Private: no tensor of the
 * checkpoint holds them. */
typedef struct plan_frequency {
    array *
        usual; /* for all lengths except those of `extended`, and those beyond max_length of a dynamic RoPE */
    array *extended; /* longrope: beyond the original length; otherwise NULL */
} plan_frequency;

typedef struct plan {
    const char *dir;
    const char *model_type; /* of config.json, for people */
    size_t vocab, hidden, n_layers;
    size_t max_positions; /* as the config states it, for people; not a limit */
    size_t n_token_ids;   /* ids 0 … n_token_ids - 1 are text; others are refused */
    plan_placeholders placeholders;
    plan_blocks blocks;
    plan_weight embedding; /* [V, D] */
    double embedding_scale;
    plan_layer_inputs layer_inputs;
    plan_streams streams;
    rope *ropes;
    size_t n_ropes;
    plan_frequency *frequencies; /* [n_ropes], owned */
    array_list *arrays; /* owned: arrays converted or derived, by the plan or an engine; realised when
                         * the plan is open */
    plan_layer *layers;
    plan_norm norm;
    plan_weight head; /* [V, D]; the embedding where tied */
    bool tied;
    double logit_factor; /* of the head's output */
    double soft_cap;     /* then logits become tanh(x / soft_cap) * soft_cap; 0: none */
    const stop_set *stops;
    plan_storage *storages; /* [n_storages], owned */
    size_t n_storages;
    size_t n_parameters, n_ignored; /* tensors' elements bound, and left out as the family allows */
    const char *const *notes;       /* defaults taken, members allowed, tensors passed over: one line each */
    size_t n_notes;
} plan;

/* The embedding row of a token: the token id itself, or the row of a placeholder; -1 if the plan has
 * none. */
int32_t plan_embeds_as(const plan *p, int32_t token);

/* "silu", "gelu_pytorch_tanh", …. */
const char *plan_activation_name(assay_activation a);

#endif
