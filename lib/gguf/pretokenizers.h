/* The pre-tokenizers that tokenizer.ggml.pre names, as the published tokenizer.json files have them.
 *
 * Source of the names and of the expressions: llama.cpp 0c1e57098, src/llama-vocab.cpp; where a comment there
 * gives the expression of the published file, that one is taken. Source of the normalisation:
 * transformers 5.23, models/X/tokenization_X.py for X = qwen2, qwen3_5, cohere, gpt_neox.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_PRETOKENIZERS_H
#define GGUF_PRETOKENIZERS_H

#include <assay/serving.h>

#define GGUF_SPLITS_MAX 6

enum {
    GGUF_PRE_IGNORES_MERGES = 1, /* a word that is a token is that token, whatever the merges say */
    GGUF_PRE_ADDS_BOS = 2,       /* where the file does not say it */
    GGUF_PRE_NFC = 4,            /* texts are normalised */
    GGUF_PRE_PLAIN = 8           /* tokens are UTF-8 with U+2581 for a blank, not bytes as characters */
};

typedef struct gguf_pretokenizer {
    const char *names;                   /* each between blanks, also the first and the last */
    const char *splits[GGUF_SPLITS_MAX]; /* expressions that are split at in this order; the rest is NULL */
    unsigned flags;
} gguf_pretokenizer;

/* NULL if no row has this name. */
const gguf_pretokenizer *gguf_pretokenizer_find(assay_text name);

/* The table, [*n], for tests. */
const gguf_pretokenizer *gguf_pretokenizers(size_t *n);

#endif
