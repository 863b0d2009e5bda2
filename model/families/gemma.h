/* Reading the parts of a config that Gemma 3n and Gemma 4 share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_GEMMA_H
#define MODEL_FAMILIES_GEMMA_H

#include "model/families/family.h"

/* The attention of one layer: norms per head before rope, an unweighted one of v, no scale. */
typedef struct family_gemma_attention {
    size_t n_heads, n_kv_heads, head_dim;
    size_t window;   /* 0: none */
    size_t rope;     /* index in the plan */
    size_t producer; /* the layer whose keys and values it reads */
    double epsilon;
    bool bias, value_is_key;
} family_gemma_attention;

/* Binds attention and the four norms around attention and MLP of layer i. */
void family_gemma_layer(family *f, size_t i, const family_gemma_attention *a);

/* The last num_kv_shared_layers layers read the keys and values of the last layer before them of their own
 * type. producer: [n_layers], the index itself for a layer that has its own. */
void family_gemma_producers(family *f, const bool *sliding, size_t n_shared, size_t *producer);

/* Per-layer inputs: the table and projection of the model, and the gate of each layer. width: P. */
void family_gemma_inputs(family *f, size_t width, size_t table_rows, double epsilon);
plan_layer_input family_gemma_input(family *f, size_t i, size_t width, double epsilon,
                                    assay_activation activation);

/* Reads final_logit_softcapping into the plan: a number above 0, or null for none. fallback: the
 * published class's default if the member is absent; 0: none. */
void family_gemma_soft_cap(family *f, double fallback);

/* A norm over the hidden size, layers.i.name. */
plan_norm family_gemma_norm(family *f, size_t i, double epsilon, const char *name);

#endif
