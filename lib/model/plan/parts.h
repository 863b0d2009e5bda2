/* The parts that decoder layers and towers are made of: matrices, norms, attention, feed-forward parts.
 *
 * Notation: D width of a layer's input.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_PARTS_H
#define MODEL_PLAN_PARTS_H

#include <assay/kernel.h>
#include <assay/stored.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/numerics/rope.h"
#include "runtime/array_list.h"

#define PLAN_NONE SIZE_MAX

/* A matrix of a checkpoint, out = W x. The fields of `stored` are in the read-only mapping, its layouts among
 * the plan's. */
typedef struct plan_weight {
    const char *name; /* in the checkpoint */
    const void *data; /* the bytes of the codes; NULL: the model has no such weight */
    size_t rows;      /* outputs; 1 for a vector */
    size_t cols;      /* inputs; the length of a vector */
    size_t n_bytes;   /* in the file, scales and the like included */
    assay_stored stored;
    array *values; /* of a vector: its numbers, F64 [cols], one of the plan's arrays; NULL: not converted */
} plan_weight;

/* Is called for a weight of a plan, which may be absent. place: its part in the plan, "layers.3.mlp.up"; one
 * that has several weights (a matrix of each expert, a bias after its matrix) is given as often, in a fixed
 * order. added: what the model adds to every number of it (plan_norm.offset). */
typedef void plan_visit_fn(void *context, const char *place, const plan_weight *w, double added);

/* Limits of a product's input and output: values beyond them become the limit. */
typedef struct plan_clamp {
    bool present;
    double input_min, input_max, output_min, output_max; /* may be infinite */
} plan_clamp;

typedef struct plan_linear {
    plan_weight weight; /* [out, in] */
    plan_weight bias;   /* [out], or absent */
    plan_clamp clamp;
} plan_linear;

/* y = c / sqrt(mean(c²) + epsilon) * (weight + offset) + bias. RMSNorm (Zhang & Sennrich 2019): c = x;
 * LayerNorm (Ba et al. 2016): c = x - mean(x). */
typedef enum plan_norm_kind { PLAN_RMS_NORM, PLAN_LAYER_NORM } plan_norm_kind;

typedef struct plan_norm {
    bool present;
    plan_norm_kind kind;
    double epsilon;
    size_t width;       /* number of elements that are normalised together */
    size_t n_weights;   /* of heads: each of so many has weights of its own; 0: all have the same */
    plan_weight weight; /* [width], or [n_weights, width] as a vector; absent: not scaled, and no offset */
    double offset;      /* 1 where a checkpoint stores weight - 1, otherwise 0 */
    plan_weight bias;   /* [width], or absent; of a LayerNorm alone */
} plan_norm;

/* The keys of a query, of which a window or a limit of the caches may exclude the earliest. */
typedef enum plan_mask {
    PLAN_MASK_CAUSAL, /* itself and the tokens before it */
    PLAN_MASK_BLOCKS, /* and the later tokens of its block: see plan_blocks */
    PLAN_MASK_NONE    /* all of the segment that the caller evaluates: of towers alone */
} plan_mask;

/* Scales of the queries and values of each head, by the tokens themselves and their positions. With r the row
 * of all elements of q, k and v as they are projected, one after the other, and t the token's position:
 *   tanh(w · gelu(r)) + ½ + sigmoid(alpha log(t + 1)), gelu exact, w the row of the head */
typedef struct plan_head_scale {
    bool present;
    plan_weight q, v;  /* [n_heads, rows of q, k and v] */
    plan_weight alpha; /* [n_heads] */
} plan_head_scale;

/* A factor of a token's queries, by its position t: 1 + beta · ln(1 + ⌊(t + first) / period⌋). period 0:
 * none. */
typedef struct plan_query_factor {
    double beta, period, first;
} plan_query_factor;

/* Softmax attention. Order: projections, scales, repetition, norms, ropes, attention, gate, output
 * projection; with norms_after_rope the rope comes before the norms. */
typedef struct plan_attention {
    size_t n_heads, n_kv_heads, head_dim; /* query head h reads kv head h / (n_heads / n_kv_heads) */
    double scale;                         /* of the scores */
    double score_cap;                     /* scores become tanh(x / score_cap) * score_cap; 0: none */
    plan_mask mask;
    size_t window;          /* a key is visible only if q - window < kv; 0: no window */
    size_t rope;            /* index into plan.ropes, or PLAN_NONE */
    size_t cache_layer;     /* the layer whose keys and values this one reads; itself, or an earlier one */
    bool value_is_key;      /* v is the key projection, before k_norm and rope */
    bool is_gated;          /* q has 2·n_heads·head_dim rows: of each head its query, then its gate; the
                               output of a head times sigmoid(gate) goes into o */
    plan_linear q, k, v, o; /* k and v absent where cache_layer is another layer */
    bool norms_after_rope;  /* of q and k */
    plan_norm q_norm, k_norm, v_norm; /* over each head, or over a whole row of the projection: see width */
    size_t
        kv_repeats;    /* k and v have n_kv_heads / kv_repeats heads; each becomes kv_repeats heads that
                          follow each other, before norms and ropes, which may turn them differently. 0: as 1 */
    plan_weight sinks; /* [n_heads], or absent: of each head a score beside those of the keys, whose weight in
                          the softmax has no value (attention sinks) */
    plan_query_factor query_factor; /* after norms and ropes */
    plan_head_scale head_scale;     /* requires as many key/value heads as query heads */
} plan_attention;

/* The number of heads of a layer's projections of keys and values. */
static inline size_t plan_projected_kv_heads(const plan_attention *a)
{
    return a->kv_repeats > 1 ? a->n_kv_heads / a->kv_repeats : a->n_kv_heads;
}

/* What changes the two factors of an MLP with a gate. First, unless limit is 0, gate becomes min(gate, limit)
 * and up is clamped to ± limit. The product is then
 *   activation(slope * gate) / slope * (up + up_offset), slope 0 standing for 1 */
typedef struct plan_gating {
    double limit, slope, up_offset;
} plan_gating;

/* down(activation(gate(x)) * up(x)), as gating changes it, or down(activation(up(x))) where there is no gate.
 */
typedef struct plan_mlp {
    bool present;
    size_t intermediate;
    assay_activation activation;
    bool squares; /* down(activation(gate(x))² * up(x)) */
    plan_gating gating;
    bool sparse; /* gate first becomes relu(gate - mean - sparse_deviations * std) over its row */
    double sparse_deviations;
    plan_linear gate, up, down;
} plan_mlp;

/* The inverse frequencies of a rope, F64 [dim / 2], among the plan's arrays. Private: no tensor of the
 * checkpoint holds them. */
typedef struct plan_frequency {
    array *usual; /* for all lengths but those of `extended`, and those beyond max_length of a dynamic rope */
    array *extended; /* longrope: beyond the original length; otherwise NULL */
} plan_frequency;

#endif
