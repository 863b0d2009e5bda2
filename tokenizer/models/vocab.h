/* The tokens of a model: texts by id, ids by text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_VOCAB_H
#define TOKENIZER_MODELS_VOCAB_H

#include <assay/status.h>

#include "tokenizer/models/trie.h"

#include <stddef.h>
#include <stdint.h>

#define TOKENIZER_TOKEN_MAX 1024 /* bytes: what a look-up may cost */

typedef struct tokenizer_vocab tokenizer_vocab;

/* An empty one; `path` is borrowed for messages. The caller owns it (tokenizer_vocab_free, NULL allowed). */
assay_status tokenizer_vocab_open(const char *path, tokenizer_vocab **out, assay_error *err);
void tokenizer_vocab_free(tokenizer_vocab *v);

/* Adds a token before tokenizer_vocab_seal. ASSAY_EUNSUPPORTED beyond TOKENIZER_TOKEN_MAX. */
assay_status tokenizer_vocab_add(tokenizer_vocab *v, const char *text, size_t n, int32_t id,
                                 assay_error *err);

/* Makes it ready to be asked. ASSAY_EFORMAT where two tokens have one id: which of them it means would be
 * left to chance. */
assay_status tokenizer_vocab_seal(tokenizer_vocab *v, assay_error *err);

size_t tokenizer_vocab_size(const tokenizer_vocab *v);

/* The id of text[0..n), the last where several have that text; -1 where none has. */
int32_t tokenizer_vocab_find(const tokenizer_vocab *v, const char *text, size_t n);

/* The text of an id, not terminated, borrowed; NULL where it has none. */
const char *tokenizer_vocab_text(const tokenizer_vocab *v, int32_t id, size_t *n);

/* The i-th token in the order of ids, i < size. */
const char *tokenizer_vocab_at(const tokenizer_vocab *v, size_t i, size_t *n, int32_t *id);

/* Ids by text, for walks. */
const tokenizer_trie *tokenizer_vocab_trie(const tokenizer_vocab *v);

#endif
