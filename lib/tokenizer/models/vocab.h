/* The vocabulary of a model: texts by id, ids by text. The size of the file limits the length of a token.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_VOCAB_H
#define TOKENIZER_MODELS_VOCAB_H

#include <assay/status.h>

#include "tokenizer/models/trie.h"

#include <stddef.h>
#include <stdint.h>

typedef struct tokenizer_vocab tokenizer_vocab;

/* Creates an empty vocabulary; `path` is borrowed for messages. The caller owns *out. ASSAY_ENOMEM. */
assay_status tokenizer_vocab_open(const char *path, tokenizer_vocab **out, assay_error *err);
void tokenizer_vocab_free(tokenizer_vocab *v);

/* Adds a token; must not be called after tokenizer_vocab_seal. ASSAY_ENOMEM. */
assay_status tokenizer_vocab_add(tokenizer_vocab *v, const char *text, size_t n, int32_t id,
                                 assay_error *err);

/* Ends adding; look-ups are allowed only afterwards. ASSAY_EFORMAT if two tokens have the same id,
 * because the text of that id would be ambiguous; ASSAY_ENOMEM. */
assay_status tokenizer_vocab_seal(tokenizer_vocab *v, assay_error *err);

size_t tokenizer_vocab_size(const tokenizer_vocab *v);

/* The id of text[0..n), the last one added if several tokens have this text; -1 if there is none. */
int32_t tokenizer_vocab_find(const tokenizer_vocab *v, const char *text, size_t n);

/* The text of an id, *n bytes, not terminated, borrowed; NULL if the vocabulary lacks the id. */
const char *tokenizer_vocab_text(const tokenizer_vocab *v, int32_t id, size_t *n);

/* The i-th token in the order of ids, i < tokenizer_vocab_size; text as above. */
const char *tokenizer_vocab_at(const tokenizer_vocab *v, size_t i, size_t *n, int32_t *id);

/* The trie of ids by text, borrowed. */
const tokenizer_trie *tokenizer_vocab_trie(const tokenizer_vocab *v);

#endif
