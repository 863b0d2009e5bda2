/* The least cost of evaluating a plan on any engine: multiply-adds, and bytes of weights and of
 * cached keys and values. RMSNorms, ropes, activations and the mixing of streams are not counted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_COST_H
#define MODEL_PLAN_COST_H

#include "model/plan/plan.h"

/* Of one attention layer. */
typedef struct plan_cost_attention {
    size_t n_query;     /* n_heads * head_dim: multiply-adds of one score, all heads together */
    size_t cache_bytes; /* of the keys and values of one position, in the type of the key weights */
    size_t window;      /* 0: none */
} plan_cost_attention;

/* Counts that do not refer to the plan, which may be freed. Experts that a token does not choose are not
 * counted. weight_bytes:  as the checkpoint stores them, what one token reads: every matrix and vector once,
 * one row of the embedding (none where the tied head reads it anyway) and of the table of layer inputs.
 * multiplies: multiply-adds of one token's products with weights, without the head. head: multiply-adds of
 * one row of logits. */
typedef struct plan_cost {
    uint64_t weight_bytes, multiplies, head;
    size_t n_layers;
    plan_cost_attention *attention; /* [n_layers], owned */
} plan_cost;

/* Counts. Fails with ASSAY_ENOMEM; otherwise the caller frees *out with plan_cost_free. */
assay_status plan_cost_read(const plan *p, plan_cost *out, assay_error *err);
void plan_cost_free(plan_cost *cost);

/* Multiply-adds of n_tokens tokens of one sample, the first of them at position `first`, and of n_rows rows
 * of logits: products with weights, and scores and sums over the keys that each token sees. */
double plan_cost_multiplies(const plan_cost *cost, size_t first, size_t n_tokens, size_t n_rows);

/* Bytes of keys and values that the token at position `position` of one sample sees. A layer that reads
 * another's cache reads it once more. */
double plan_cost_cache_bytes(const plan_cost *cost, size_t position);

#endif
