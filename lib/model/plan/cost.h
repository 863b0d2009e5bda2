/* The minimum cost of evaluating a plan on any engine: multiply-adds, and bytes of weights and of
 * cached keys and values and of recurrent states. A tower is not part of it: see cost_tower.h. RMSNorms,
 * convolutions, RoPE, activations and the mixing of streams are not counted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_COST_H
#define MODEL_PLAN_COST_H

#include "model/plan/plan.h"

/* Cost of one attention layer. */
typedef struct plan_cost_attention {
    size_t n_query;     /* n_heads * head_dim: multiply-adds of one score, for all heads */
    size_t cache_bytes; /* of the keys and values of one position, in the type of the key weights */
    size_t window;      /* 0: none */
} plan_cost_attention;

/* Counts that do not refer to the plan, which may be freed. Experts that a token does not use are not
 * counted; tokens with experts of their own are counted as if they had those of the others.
 *
 * weight_bytes: bytes that one token reads, as the checkpoint stores them: every matrix and vector once, one
 *               row of the embedding (none if the tied head reads it anyway) and of the layer-input table.
 * multiplies:   multiply-adds of one token's products with weights, without the head.
 * multiplies includes those of recurrent states.
 * head:         multiply-adds of one row of logits.
 * state_bytes:  bytes of the recurrent states of one sample, as float32, which each token reads and writes.
 */
typedef struct plan_cost {
    uint64_t weight_bytes, multiplies, head, state_bytes;
    size_t n_layers;
    plan_cost_attention *attention; /* [n_layers], owned */
} plan_cost;

/* Computes the counts. Fails with ASSAY_ENOMEM; otherwise the caller frees *out with plan_cost_free. */
assay_status plan_cost_read(const plan *p, plan_cost *out, assay_error *err);
void plan_cost_free(plan_cost *cost);

/* Bytes of a weight as the checkpoint stores it; 0 if it is absent. */
uint64_t plan_cost_weight_bytes(const plan_weight *w);

/* Multiply-adds of n_tokens tokens of one sample, the first of them at position `first`, and of n_rows rows
 * of logits: products with weights, and scores and sums over the keys to which each token attends. In
 * integers, and so the same on every machine; UINT64_MAX if it does not fit. */
uint64_t plan_cost_count(const plan_cost *cost, size_t first, size_t n_tokens, size_t n_rows);

/* The same, for rates. */
double plan_cost_multiplies(const plan_cost *cost, size_t first, size_t n_tokens, size_t n_rows);

/* Bytes of keys and values to which the token at position `position` of one sample attends, and of the
 * recurrent states that it reads. A layer that reads another layer's cache counts it again. */
double plan_cost_cache_bytes(const plan_cost *cost, size_t position);

#endif
