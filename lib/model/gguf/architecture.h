/* What a family says of its GGUF files: the architecture that llama.cpp's converter writes for it, and what
 * differs there from the published checkpoint.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_GGUF_ARCHITECTURE_H
#define MODEL_GGUF_ARCHITECTURE_H

#include <stdbool.h>

struct gguf_config;

/* A part of a tensor's name, and the published one: "ffn_norm" and "pre_feedforward_layernorm". A part with a
 * suffix, "ffn_gate_inp.scale", is that tensor alone. A published name that ends with "!" has no suffix. */
typedef struct gguf_rename {
    const char *part, *published;
} gguf_rename;

enum { GGUF_RENAMES_MAX = 20 };

typedef struct gguf_architecture {
    const char *name;                          /* general.architecture */
    gguf_rename renames[GGUF_RENAMES_MAX + 1]; /* beyond the common ones (gguf/names.c); ends with NULL */
    bool has_permuted_rows; /* rows i and i + d/2 of each head of q and k follow each other */
    bool has_shifted_norms; /* 1 has been added to the weights of norms */
    bool has_joined_heads;  /* q, k and v are one published tensor */
    bool has_own_heads;     /* `more` reads head_count_kv, key_length, value_length and the ropes */
    bool has_own_biases;    /* no member says that tensors have biases, or `more` sets it */
    const char *layer_norm; /* the member that is the epsilon of LayerNorms; NULL: the norms are RMSNorms */
    void (*more)(struct gguf_config *c); /* reads further keys; NULL: none */
} gguf_architecture;

#endif
