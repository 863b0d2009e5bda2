/* A Llama checkpoint in float32: config.json and one model.safetensors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLE_CHECKPOINT_H
#define EXAMPLE_CHECKPOINT_H

#include <assay/engine.h>

#include <stddef.h>

typedef struct layer {
    const float *norm1, *q, *k, *v, *o, *norm2, *gate, *up, *down;
} layer;

/* width: hidden size; inner: of the feed-forward block; n_heads query heads share n_keys key heads. */
struct assay_model {
    size_t vocab, width, inner, n_heads, n_keys, head_dim, n_layers;
    double epsilon, theta;
    char *config, *header; /* JSON texts: config.json, and the header of model.safetensors */
    char *file;            /* the data of model.safetensors, [n_data] */
    size_t n_data;
    const float *embed, *norm, *head;
    layer *layers; /* [n_layers] */
};

/* Reads a checkpoint directory. The caller frees *out with llama_free. Fails with ASSAY_EUNSUPPORTED for
 * one that llama.h does not compute. */
assay_status llama_open(const char *dir, assay_model **out, assay_error *err);
void llama_free(assay_model *m);

#endif
