/* The decoder layers of a plan as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_INFO_PLAN_LAYER_H
#define CONFORMANCE_INFO_PLAN_LAYER_H

#include <json-c/json.h>

#include "model/plan/plan.h"

/* Each function returns false if it runs out of memory. */

/* Adds {type, weighted, weights, bias, offset, epsilon}; type: "rms" or "layer"; weights: of how many heads,
 * null if all have the same; null if the norm is absent. */
bool conf_info_add_norm(json_object *to, const char *name, const plan_norm *norm);

/* Adds {heads, kv_heads, head_dim, scale, score_cap, window, rope, bias, output_bias}. score_cap, window,
 * rope: null if there is none; rope: its index. bias: "q", "qkv" or null. */
bool conf_info_add_attention(json_object *to, const char *name, const plan_attention *a);

/* Adds {intermediate, activation, gated, bias, sparse_deviations}; null if the MLP is absent. */
bool conf_info_add_mlp(json_object *to, const char *name, const plan_mlp *mlp);

/* Adds the members of a decoder layer; null where it has none:
 *   attention        see above, and cache_layer, value_is_key, gate, norms_after_rope, kv_repeats, sinks,
 *                    blocks, images: whether it attends to images instead of tokens
 *   delta            a gated delta net: {heads, key_heads, key_dim, value_dim, kernel}
 *   mlp              see above
 *   experts          {n, active, groups, intermediate, activation, scoring, choice_bias, renormalised,
 *                    sum_floor, sum_offset, factor, scaled, shared, shared_gate}; groups: {n, active} or
 *                    null; scoring: "softmax" or "sigmoid"; sum_floor: the least sum by which shares are
 *                    divided, sum_offset: what is added to it, or null
 *   own_experts      the same, of the plan's expert_tokens
 *   norms            an object: name -> norm, those that are present
 *   residual_factor
 *   altup, layer_input, scalar, residual_gates   whether it has them
 *   laurel           its rank */
bool conf_info_add_layer(json_object *to, const plan_layer *layer);

#endif
