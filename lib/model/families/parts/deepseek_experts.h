/* The experts of DeepSeek-V3 (DeepSeek-AI 2024), which many families have: sigmoids of scores, a bias that
 * only chooses, groups, and shared experts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_DEEPSEEK_EXPERTS_H
#define MODEL_FAMILIES_DEEPSEEK_EXPERTS_H

#include "model/families/parts/family.h"

/* Reads n_routed_experts, num_experts_per_tok, moe_intermediate_size, n_shared_experts, n_group, topk_group,
 * norm_topk_prob and routed_scaling_factor, with the defaults 1 and true. */
plan_experts family_deepseek_experts(family *f, assay_activation activation);

/* Gives layer i such experts, with the bias of their choice, and the shared ones. */
void family_deepseek_experts_bind(family *f, const plan_experts *shape, size_t i);

#endif
