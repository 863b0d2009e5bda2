/* WordPiece (Wu et al. 2016), which repeatedly takes the longest token that the rest of a word begins
 * with, and WordLevel, which looks up whole words.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_WORDPIECE_H
#define TOKENIZER_MODELS_WORDPIECE_H

#include <assay/status.h>

#include "tokenizer/models/ids.h"
#include "tokenizer/models/vocab.h"
#include "tokenizer/text/file.h"

#include <stdbool.h>
#include <stddef.h>

/* Immutable once opened. */
typedef struct tokenizer_wordpiece tokenizer_wordpiece;

/* Reads the model of f; vocab is borrowed. whole_words: WordLevel. The caller owns *out. */
assay_status tokenizer_wordpiece_open(const tokenizer_file *f, const tokenizer_vocab *vocab, bool whole_words,
                                      tokenizer_wordpiece **out, assay_error *err);
void tokenizer_wordpiece_free(tokenizer_wordpiece *w);

/* Appends the ids of a word, n > 0. ASSAY_EFORMAT if the word needs the unknown token and the
 * vocabulary lacks it; ASSAY_ENOMEM. */
assay_status tokenizer_wordpiece_encode(const tokenizer_wordpiece *w, const char *word, size_t n,
                                        tokenizer_ids *out, assay_error *err);

#endif
