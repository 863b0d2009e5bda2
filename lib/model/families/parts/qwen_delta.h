/* The layers of Qwen3-Next and Qwen3.5 (transformers, models/qwen3_next/modeling_qwen3_next.py): gated delta
 * nets in most of them, attention with gates in the others, and a shared expert with a gate beside the chosen
 * ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_QWEN_DELTA_H
#define MODEL_FAMILIES_QWEN_DELTA_H

#include "model/checkpoint/config_rope.h"
#include "model/families/parts/decoder.h"

typedef struct family_qwen_delta {
    family *f;
    family_decoder d;
    plan_delta delta;     /* the shape of every delta net; groups_heads is set by the caller */
    plan_experts experts; /* the shape of every layer's experts */
    bool *is_delta;       /* [n_layers], freed by the caller */
    bool is_mlx;          /* stored as mlx-lm converts it */
} family_qwen_delta;

/* Reads all but the experts. has_no_mlp: as in family_class. Of the rope the caller states the sections. */
void family_qwen_delta_read(family_qwen_delta *g, bool has_no_mlp, const config_rope_request *sections);
void family_qwen_delta_read_experts(family_qwen_delta *g, bool renormalizes);

/* Binds the delta net of layer i, and its experts. */
void family_qwen_delta_bind(family_qwen_delta *g, size_t i);
void family_qwen_delta_bind_experts(family_qwen_delta *g, size_t i);

#endif
