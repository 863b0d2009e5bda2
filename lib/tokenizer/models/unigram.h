/* A unigram model (Kudo 2018): segments a text into the pieces with the highest sum of scores.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_UNIGRAM_H
#define TOKENIZER_MODELS_UNIGRAM_H

#include <assay/status.h>

#include "tokenizer/models/ids.h"
#include "tokenizer/models/vocab.h"
#include "tokenizer/text/file.h"

#include <stddef.h>

/* Immutable once opened. */
typedef struct tokenizer_unigram tokenizer_unigram;

/* Working memory of one thread; starts as zero, freed by tokenizer_unigram_work_free. */
typedef struct tokenizer_unigram_work {
    void *nodes;
    size_t n_nodes;
    tokenizer_ids ends;
} tokenizer_unigram_work;

void tokenizer_unigram_work_free(tokenizer_unigram_work *work);

/* Reads the model of f; vocab is borrowed. scores[id], of all tokens, is owned by the model on success.
 * The caller owns *out. */
assay_status tokenizer_unigram_open(const tokenizer_file *f, const tokenizer_vocab *vocab, double *scores,
                                    tokenizer_unigram **out, assay_error *err);
void tokenizer_unigram_free(tokenizer_unigram *u);

/* Appends the ids of text[0..n), n > 0. ASSAY_EFORMAT if the text needs the unknown token and the model
 * has none; ASSAY_ENOMEM. */
assay_status tokenizer_unigram_encode(const tokenizer_unigram *u, tokenizer_unigram_work *work,
                                      const char *text, size_t n, tokenizer_ids *out, assay_error *err);

#endif
