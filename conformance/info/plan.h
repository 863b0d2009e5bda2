/* The plan of a checkpoint as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_INFO_PLAN_H
#define CONFORMANCE_INFO_PLAN_H

#include <json-c/json.h>

#include "model/plan/plan.h"

/* Adds the members of a plan; null where the model has none:
 *   family           model_type of config.json
 *   parameters       elements of the tensors that are bound
 *   ignored          elements of the tensors that are passed over
 *   storages         an array: {type, format, bits, group, bias_type, elements, tensors}; format null: plain
 * numbers vocabulary       rows of the head token_ids        how many of them are text tied, logit_factor,
 * logit_cap, hidden, embedding_factor final_norm       a norm (plan_layer.h) max_positions    as trained
 *   positions        "index", "grid", "images" or "block"
 *   streams          {n, active}
 *   layer_inputs     {width, tokens}
 *   placeholders     {ids, embedded_as}
 *   block_tokens     an array of ids
 *   expert_tokens    an array of ids, whose tokens have the own_experts of a layer
 *   stops            an array: {id, text, documents}
 *   ropes            an array: {type, theta, elements, head_dim, pairs_that_turn, factor, attention_factor,
 *                    original_length, grows_beyond, low_band, high_band, beta_fast, beta_slow, truncated,
 *                    sections, short_factor, long_factor}; sections: {order, sizes}
 *   layers           an array (plan_layer.h)
 *   tower            an object (plan_tower.h)
 *   notes            an array of texts
 * tokens: for the texts of ids, or NULL. Returns false if it runs out of memory. */
bool conf_info_add_plan(json_object *to, const plan *p, const tokenizer *tokens);

#endif
