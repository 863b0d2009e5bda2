/* The model of a tokenizer.json, which turns words into ids: BPE, Unigram, WordPiece and WordLevel.
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

/* Working memory of one thread; starts as zero, freed by tokenizer_model_work_free. */
typedef struct tokenizer_model_work {
    tokenizer_bpe_work bpe;
    tokenizer_unigram_work unigram;
} tokenizer_model_work;

void tokenizer_model_work_free(tokenizer_model_work *work);

/* Reads the model of f. byte_level: words can be passed as raw bytes (tokenizer_bpe_open); *taken: they
 * must be. The caller owns *out. ASSAY_EFORMAT; ASSAY_EUNSUPPORTED; ASSAY_ENOMEM. */
assay_status tokenizer_model_open(const tokenizer_file *f, bool byte_level, tokenizer_model **out,
                                  bool *taken, assay_error *err);
void tokenizer_model_free(tokenizer_model *m);

/* The vocabulary, borrowed from m. */
const tokenizer_vocab *tokenizer_model_vocab(const tokenizer_model *m);

/* Appends the ids of word[0..n); an empty word has none. */
assay_status tokenizer_model_encode(const tokenizer_model *m, tokenizer_model_work *work, const char *word,
                                    size_t n, tokenizer_ids *out, assay_error *err);

#endif
