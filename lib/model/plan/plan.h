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
#include "model/numerics/layouts.h"
#include "model/plan/parts.h"
#include "model/plan/tower.h"
#include "tokenizer/tokenizer.h"

/* How some of a checkpoint's tensors are stored, and how many of them. */
typedef struct plan_storage {
    const char *format; /* its name; NULL: plain numbers */
    assay_dtype dtype;  /* of the numbers; of the scales, if any, where there is a format */
    assay_dtype bias_dtype;
    size_t bits, group; /* of codes; group 0: scales are of whole rows or of blocks */
    size_t n_tensors, n_elements;
} plan_storage;

/* A gated delta net (Yang et al. 2025, Gated DeltaNet), as Qwen3.5 has it. With x [D] the mixer's input at
 * one token, K = n_k_heads·k_dim, V = n_v_heads·v_dim:
 *   u = silu(conv(qkv(x))): a causal depthwise convolution over this token and the kernel - 1
 *       before it, zeros before the first; u = [q, k, v] of K, K and V elements. The rows of qkv are in this
 *       order or, with groups_heads, those of each key head follow each other: its q, its k, and the v of
 *       its value heads
 *   q and k of each head are divided by sqrt(sum of squares + 1e-6), and q is multiplied by k_dim^-1/2;
 *       value head h uses key head h / (n_v_heads / n_k_heads)
 *   g = exp(-exp(a_log)·softplus(a(x) + dt_bias)), beta = sigmoid(b(x)), of each value head
 *   S = g·S; S += k (beta·(v - Sᵀk))ᵀ; o = Sᵀq; S [k_dim, v_dim] of each value head, zero before the
 *       first token
 *   out(norm(o) · silu(z(x))), the norm over each value head */
typedef struct plan_delta {
    size_t n_k_heads, n_v_heads, k_dim, v_dim, kernel;
    bool groups_heads;
    plan_linear qkv, z, a, b;   /* [2K + V, D], [V, D], [n_v_heads, D], [n_v_heads, D] */
    plan_weight conv;           /* [2K + V, kernel]; column kernel - 1 is that of the current token */
    plan_weight a_log, dt_bias; /* [n_v_heads] */
    plan_norm norm;             /* RMSNorm, [v_dim] */
    plan_linear out;            /* [D, V] */
} plan_delta;

/* The row of qkv that makes element i of [q, k, v]. */
static inline size_t plan_delta_row(const plan_delta *d, size_t i)
{
    const size_t keys = d->n_k_heads * d->k_dim, values = d->n_v_heads / d->n_k_heads * d->v_dim,
                 group = 2 * d->k_dim + values;
    if (!d->groups_heads) return i;
    if (i >= 2 * keys) return (i - 2 * keys) / values * group + 2 * d->k_dim + (i - 2 * keys) % values;
    return i % keys / d->k_dim * group + i / keys * d->k_dim + i % d->k_dim;
}

/* PLAN_MIXER_CROSS, gated cross-attention (Alayrac et al. 2022, Flamingo; Mllama): the queries are those of
 * the tokens, keys and values are projections of the feature rows of the sample's images, R rows of an image
 * (plan_tower_rows), H wide. Norms as in other attention; no rope, no mask by positions. A token sees the
 * image whose placeholder token is the latest up to it, and those before it whose placeholder tokens
 * follow each other up to that one (media_list_seen): of each the rows of its tiles, not of the tiles that it
 * lacks. A token before the first placeholder token attends to all rows of all images, and leaves out
 * the MLP of the layer. The layer is the identity for a sample without images. */
typedef enum plan_mixer_kind { PLAN_MIXER_ATTENTION, PLAN_MIXER_DELTA, PLAN_MIXER_CROSS } plan_mixer_kind;

typedef struct plan_mixer {
    plan_mixer_kind kind;
    union {
        plan_attention attention; /* also of PLAN_MIXER_CROSS */
        plan_delta delta;
    };
} plan_mixer;

/* From the scores of a router to the probabilities of its experts. */
typedef enum plan_scoring {
    PLAN_SCORING_SOFTMAX, /* over all experts */
    PLAN_SCORING_SIGMOID  /* of each score on its own */
} plan_scoring;

/* Router: scoring of router(norm(x) * router_scale * router_factor), the best n_active.
 * Each chosen expert gives down(activation(gate(x)) * up(x)), as gating changes it, times its probability. A
 * choice_bias changes which experts are the best, and not their probabilities (Wang et al. 2024,
 * Auxiliary-Loss-Free). Experts in groups: the n_active_groups groups with the largest sum of their two best
 * experts are chosen first, and the experts from these (DeepSeek-AI 2024, DeepSeek-V3). */
typedef struct plan_experts {
    bool present;
    size_t n_experts, n_active, intermediate;
    assay_activation activation;
    bool routes_residual; /* the router's input is h, not the experts' normalised input */
    plan_gating gating;
    plan_weight router;      /* [n_experts, D] */
    plan_weight router_bias; /* [n_experts], or absent */
    plan_norm router_norm;
    plan_weight router_scale; /* [D], or absent */
    double router_factor;
    plan_weight choice_bias; /* [n_experts], added to the probabilities that are compared; or absent */
    plan_scoring scoring;
    size_t n_groups, n_active_groups; /* of n_experts / n_groups neighbours each; 0: no groups */
    bool renormalize;                 /* the chosen probabilities are divided by their sum, … */
    double sum_floor;                 /* … or by this where the sum is smaller; 0: always by their sum */
    double sum_offset;                /* added to the sum that divides */
    double share_factor;              /* multiplies the chosen probabilities, divided or not */
    plan_weight expert_scale;         /* [n_experts], multiplies the chosen probabilities; or absent */
    plan_weight *gate, *up, *down;    /* [n_experts] each, owned */
    plan_weight gate_bias, up_bias, down_bias; /* [n_experts, rows of the matrix]; or absent, all three */
    plan_mlp shared;         /* evaluated for every token and added to the chosen experts; or absent */
    plan_weight shared_gate; /* [1, D]: the shared expert's output times sigmoid of this product; or absent */
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
 * or, of a parallel layer, y = h + residual_factor * mlp_out(f), f = mlp(mixer_in(x)); there is no mlp_in;
 * then the per-layer input, then everything times `scalar`. A norm that is not present is the identity. Where
 * there is a gate, tanh of it multiplies what is added to x (mixer_gate) or to h (mlp_gate). */
typedef struct plan_layer {
    plan_mixer mixer;
    plan_norm mixer_in, mixer_out;
    bool is_parallel;
    plan_mlp mlp;
    plan_experts experts;     /* if the layer has no mlp, the experts replace it: experts(mlp_in(h)) */
    plan_experts own_experts; /* of the tokens of plan.expert_tokens, instead of `experts`, whose shared
                                 expert they share; not present: all tokens have the same experts */
    plan_norm mlp_in, mlp_out;
    plan_norm mlp_dense_out, experts_in, experts_out; /* only where mlp and experts are both present */
    plan_layer_input layer_input;
    plan_laurel laurel;
    plan_altup altup;
    double residual_factor;
    plan_weight mixer_gate, mlp_gate; /* [1] each, or absent */
    plan_weight scalar;               /* [1], or absent */
} plan_layer;

/* The attention of a layer, to tokens or to images. */
static inline const plan_attention *plan_layer_attention(const plan_layer *layer)
{
    assert(layer->mixer.kind != PLAN_MIXER_DELTA);
    return &layer->mixer.attention;
}

/* Inputs of every layer besides the residual stream, with e the scaled embedding:
 *   (norm(projection(e) * projection_factor) + table[token] * table_scale) * 2^-1/2
 * Layer l gets the slice l of P elements. */
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

/* Token ids that the model embeds as another token; features of an image or an audio clip replace their
 * embedding.
 */
typedef struct plan_placeholders {
    size_t n;
    int32_t id[8];
    int32_t embeds_as;
} plan_placeholders;

/* Token ids with an embedding of their own: first … first + n - 1. Id first + i is embedded as merger(row i
 * of the table), without embedding_scale. n is 0 if there are none. */
typedef struct plan_id_table {
    int32_t first;
    size_t n;
    plan_weight table;  /* [n, E] */
    plan_merger merger; /* from E to D: norms and products alone */
} plan_id_table;

/* Blocks of tokens that attend to each other. A block is evaluated in one step. None without a layer with
 * PLAN_MASK_BLOCKS.
 * id:       [n], ids whose maximal runs are blocks: the tokens of an image, for example
 * of_image: the placeholder tokens of the image that a sample begins with (tower.n_leading) are a block;
 * their id may be that of a text token, which is in no block */
typedef struct plan_blocks {
    size_t n;
    int32_t id[8];
    bool of_image;
} plan_blocks;

/* Token ids that have experts of their own: the tokens of an image, for example. n is not 0 only if a layer
 * has own_experts. */
typedef struct plan_expert_tokens {
    size_t n;
    int32_t id[8];
} plan_expert_tokens;

/* Where the ropes place the tokens of a sample whose steps give no positions. */
typedef enum plan_positions {
    PLAN_POSITIONS_INDEX,  /* the index of a token, on every axis */
    PLAN_POSITIONS_GRID,   /* M-RoPE (Wang et al. 2024, Qwen2-VL): images and videos by their grids */
    PLAN_POSITIONS_IMAGES, /* of four axes (HunYuanVL): the index, and of the tokens of an image their column,
                             their row and the number of the image */
    PLAN_POSITIONS_BLOCK   /* in a sample with media, the tokens of a block and the one after it share a
                              position; each other token follows at the next one, on every axis */
} plan_positions;

/* A second rope of every layer, which turns the patches of an image by their places in its plane, each head
 * by frequencies of its own: elements first + 2i and first + 2i + 1, i < dim / 2, of head h by the angle
 * y·f[h, i, 0] + x·f[h, i, 1]. The patch in row r and column c of R rows and C columns is at
 *   y = √(R/C) (2r / max(R - 1, 1) - 1), x = √(C/R) (2c / max(C - 1, 1) - 1)
 * Tokens without features do not turn. It requires as many key/value heads as query heads. */
typedef struct plan_plane_rope {
    bool present;
    size_t first, dim;
    plan_weight frequency; /* f: [n_heads, dim / 2, 2] as a vector */
} plan_plane_rope;

typedef struct plan {
    const char *dir;
    const char *model_type; /* of config.json, for people */
    size_t vocab, hidden, n_layers;
    size_t max_positions; /* as the config states it, for people; not a limit */
    size_t n_token_ids;   /* ids 0 … n_token_ids - 1 are text; others are refused */
    plan_placeholders placeholders;
    plan_id_table id_table;
    plan_blocks blocks;
    plan_expert_tokens expert_tokens;
    plan_weight embedding; /* [n_token_ids, D], or [V, D] where fewer ids are text; at least V rows */
    double embedding_scale;
    plan_layer_inputs layer_inputs;
    plan_streams streams;
    rope *ropes;
    size_t n_ropes;
    plan_frequency *frequencies; /* [n_ropes], owned */
    plan_plane_rope plane_rope;
    array_list *arrays; /* owned: arrays converted or derived, by the plan or an engine; realised when
                         * the plan is open */
    plan_layer *layers;
    plan_tower vision; /* present where the model sees images */
    plan_tower audio;  /* present where the model hears audio clips: its kind is PLAN_TOWER_AUDIO */
    plan_positions positions;
    plan_norm norm;
    plan_weight head;      /* [V, D]; the embedding where tied */
    plan_weight head_bias; /* [V], or absent */
    bool tied;
    double logit_factor; /* of the head's output */
    double soft_cap;     /* then logits become tanh(x / soft_cap) * soft_cap; 0: none */
    const stop_set *stops;
    layout_list *layouts;   /* of the stored matrices, owned */
    plan_storage *storages; /* [n_storages], owned */
    size_t n_storages;
    size_t n_parameters, n_ignored; /* tensors' elements bound, and left out as the family allows */
    const char *const *notes;       /* defaults taken, members allowed, tensors passed over: one line each */
    size_t n_notes;
} plan;

/* Whether a layer attends to images. */
bool plan_crosses(const plan *p);

/* The embedding row of a token: the token id itself, or the row of a placeholder; -1 if the plan has
 * none. */
int32_t plan_embeds_as(const plan *p, int32_t token);

/* Whether the token has experts of its own. */
bool plan_has_own_experts(const plan *p, int32_t token);

/* The factor of the queries of a token at that position; 1 without one. */
double plan_query_factor_at(const plan_query_factor *f, double position);

/* The number of axes of positions that steps may give beside 1: that of its ropes, at least 3. */
size_t plan_n_axes(const plan *p);

/* The row of id_table that a token has; SIZE_MAX: it has none. */
size_t plan_id_table_row(const plan *p, int32_t token);

/* The most tokens of a prompt whose rows do not depend on its steps; SIZE_MAX: any number. With plan_crosses
 * this holds for prompts without images: tokens before an image depend on it, so those with images come in
 * one step. Dynamic ropes and longrope change all their frequencies beyond a length: of a longer prompt the
 * parts before that length would have other frequencies. */
size_t plan_divisible_length(const plan *p);

/* "silu", "gelu_pytorch_tanh", …. */
const char *plan_activation_name(assay_activation a);

#endif
