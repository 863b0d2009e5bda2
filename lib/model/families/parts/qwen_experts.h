/* The layers with experts that Qwen3-MoE, Qwen3-VL-MoE and Qwen3-Omni share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_QWEN_EXPERTS_H
#define MODEL_FAMILIES_QWEN_EXPERTS_H

#include "model/families/parts/decoder.h"

/* Reads decoder_sparse_step, mlp_only_layers and the members of the experts, and binds every layer: d's
 * attention, then experts or d's MLP. always_renormalizes: the published class does not read norm_topk_prob,
 * as if true. */
void family_qwen3_moe_layers(family *f, const family_decoder *d, bool always_renormalizes);

/* Which layers have an MLP instead of experts, [n_layers]: those that mlp_only_layers and decoder_sparse_step
 * say. The caller frees it; it may be NULL after a failure. */
bool *family_qwen_dense_layers(family *f);

#endif
