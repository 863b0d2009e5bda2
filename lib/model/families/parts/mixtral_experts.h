/* The experts of Mixtral and of the families that store theirs as it does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_MIXTRAL_EXPERTS_H
#define MODEL_FAMILIES_MIXTRAL_EXPERTS_H

#include "model/families/parts/family.h"

/* Reads num_local_experts (or num_experts), num_experts_per_tok and intermediate_size, the width of an
 * expert. Shares are softmaxes, divided by the sum of the chosen ones. */
plan_experts family_mixtral_experts(family *f, assay_activation activation);

/* Gives layer i such experts: layers.i.block_sparse_moe.gate and .experts.E.{w1,w3,w2} of published files, or
 * layers.i.mlp as in other families. */
plan_experts *family_mixtral_experts_bind(family *f, const plan_experts *shape, size_t i);

#endif
