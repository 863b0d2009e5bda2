/* The tokens of a GGUF file: tokenizer.ggml.tokens, .token_type and .scores.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_VOCABULARY_H
#define GGUF_VOCABULARY_H

#include "gguf/container.h"

#include <stdint.h>

/* The longest token, in bytes. The longest published ones are runs of some hundred blanks. */
#define GGUF_TOKEN_MAX 1024

/* The numbers are the format's; another number is GGUF_TOKEN_NORMAL. */
typedef enum gguf_token_type {
    GGUF_TOKEN_NORMAL = 1,
    GGUF_TOKEN_UNKNOWN,
    GGUF_TOKEN_CONTROL,
    GGUF_TOKEN_USER,
    GGUF_TOKEN_UNUSED,
    GGUF_TOKEN_BYTE
} gguf_token_type;

typedef struct gguf_token {
    assay_text text; /* UTF-8 without zeros, borrowed from the file; empty: GGUF_TOKEN_EMPTY stands for it */
    gguf_token_type type;
    double score; /* finite; 0 without tokenizer.ggml.scores */
} gguf_token;

typedef struct gguf_vocabulary {
    gguf_token *token; /* [n], by id */
    uint32_t *sorted;  /* [n], ids in the order of their texts' bytes */
    size_t n;          /* at most INT32_MAX */
} gguf_vocabulary;

/* The text of a token without bytes, for snprintf, with its id; llama.cpp's. */
#define GGUF_TOKEN_EMPTY "[EMPTY_%zu]"

/* Fails with ASSAY_EFORMAT if there are no tokens, a token is no UTF-8, has a zero or the text of another, or
 * there are fewer types or scores than tokens; ASSAY_EUNSUPPORTED for a token beyond GGUF_TOKEN_MAX;
 * ASSAY_ENOMEM. *out needs gguf_vocabulary_free in any case. */
assay_status gguf_vocabulary_read(const gguf *f, gguf_vocabulary *out, assay_error *err);
void gguf_vocabulary_free(gguf_vocabulary *v);

/* The id of the token with this text; -1 if there is none. */
int32_t gguf_vocabulary_find(const gguf_vocabulary *v, assay_text text);

/* Whether the token is split off a text before all else. */
bool gguf_token_is_added(const gguf_token *t);

#endif
