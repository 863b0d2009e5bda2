/* The model of a tokenizer.json: ids of words. BPE, Unigram, WordPiece and WordLevel.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_MODEL_H
#define TOKENIZER_MODELS_MODEL_H

#include <assay/status.h>

#include "tokenizer/models/bpe.h"
#include "tokenizer/models/unigram.h"
#include "tokenizer/models/vocab.h"
#include "tokenizer/models/wordpiece.h"

#include <stdbool.h>
#include <stddef.h>

/* Immutable once opened. */
typedef struct tokenizer_model tokenizer_model;

/* What one thread needs to encode; all zero at first. */
typedef struct tokenizer_model_work {
    tokenizer_bpe_work bpe;
    tokenizer_unigram_work unigram;
} tokenizer_model_work;

void tokenizer_model_work_free(tokenizer_model_work *work);

/* Reads the model of f. byte_level: words could come as bytes (tokenizer_bpe_open), and *taken says whether
 * they must. The caller owns *out. */
assay_status tokenizer_model_open(const tokenizer_file *f, bool byte_level, tokenizer_model **out,
                                  bool *taken, assay_error *err);
void tokenizer_model_free(tokenizer_model *m);

/* Borrowed from m. */
const tokenizer_vocab *tokenizer_model_vocab(const tokenizer_model *m);

/* Appends the ids of a word; of none where n is 0. */
assay_status tokenizer_model_encode(const tokenizer_model *m, tokenizer_model_work *work, const char *word,
                                    size_t n, tokenizer_ids *out, assay_error *err);

#endif
