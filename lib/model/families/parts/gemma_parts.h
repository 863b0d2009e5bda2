/* Reading the parts that several Gemmas share; all but the last function are of Gemma 3n and Gemma 4.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_GEMMA_PARTS_H
#define MODEL_FAMILIES_GEMMA_PARTS_H

#include "model/families/parts/decoder.h"
#include "model/gguf/config.h"

/* Reads rms_norm_eps, num_attention_heads, attention_bias and the activation, and begins the family
 * (family_begin). The layer: norms before and after attention and MLP, norms of each head before rope, an
 * unweighted one of v, no scale. Head size, key/value heads, rope and producer are left to the caller. */
family_decoder family_gemma_decoder(family *f);

/* The last num_kv_shared_layers layers read the keys and values of the last layer before them of their own
 * type. producer: [n_layers], the index itself for a layer that has its own. */
void family_gemma_producers(family *f, const bool *sliding, size_t n_shared, size_t *producer);

/* Per-layer inputs: the table and projection of the model, and the gate of each layer. width: P. */
void family_gemma_inputs(family *f, size_t width, size_t table_rows, double epsilon);
plan_layer_input family_gemma_input(family *f, size_t i, size_t width, double epsilon,
                                    assay_activation activation);

/* A norm over the hidden size, layers.i.name. */
plan_norm family_gemma_norm(family *f, size_t i, double epsilon, const char *name);

/* Of a GGUF file, which does not have it: sets query_pre_attn_scalar to the head size, or, in the 27B model,
 * which is told by its number of layers, to hidden_size / heads. */
void family_gemma_gguf_scale(gguf_config *c, size_t layers_of_27b);

#endif
