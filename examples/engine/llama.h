/* Llama in plain loops, on float32 checkpoints.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLE_LLAMA_H
#define EXAMPLE_LLAMA_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stdlib.h>

typedef struct layer {
    const float *norm1, *q, *k, *v, *o, *norm2, *gate, *up, *down;
} layer;

/* width: hidden size; inner: of the feed-forward block; n_heads query heads share n_keys key heads. */
typedef struct llama {
    size_t vocab, width, inner, n_heads, n_keys, head_dim, n_layers;
    double epsilon, theta;
    char *config, *header,
        *file; /* JSON texts of config.json and of the header of model.safetensors; its data */
    size_t n_data;
    const float *embed, *norm, *head;
    layer *layers; /* [n_layers] */
} llama;

/* Which keys attention sees, as in assay_session_options. */
typedef struct cache_limit {
    size_t limit, sink_tokens;
} cache_limit;

/* Writes the reason to err, if it is not NULL, and returns status. */
__attribute__((format(printf, 3, 4))) assay_status engine_fail(assay_error *err, assay_status status,
                                                               const char *format, ...);

/* Reads a checkpoint directory. The caller frees *out with llama_free. */
assay_status llama_open(const char *dir, llama **out, assay_error *err);
void llama_free(llama *m);

/* Evaluates n tokens. logits: [n_last, vocab], of the last ones. */
assay_status llama_evaluate(const llama *m, cache_limit cache, const int32_t *tokens, size_t n, size_t n_last,
                            float *logits, assay_error *err);

#endif
