/* A unigram model (Kudo 2018): the pieces of a text whose scores add up to the most.
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

/* What one thread needs to encode; all zero at first. */
typedef struct tokenizer_unigram_work {
    void *nodes;
    size_t n_nodes;
    tokenizer_ids ends;
} tokenizer_unigram_work;

void tokenizer_unigram_work_free(tokenizer_unigram_work *work);

/* Reads the model of f, whose tokens are borrowed; scores[id] are theirs, and become the model's. */
assay_status tokenizer_unigram_open(const tokenizer_file *f, const tokenizer_vocab *vocab, double *scores,
                                    tokenizer_unigram **out, assay_error *err);
void tokenizer_unigram_free(tokenizer_unigram *u);

/* Appends the ids of text[0..n), n > 0. ASSAY_EFORMAT where the model has no unknown token and needs it. */
assay_status tokenizer_unigram_encode(const tokenizer_unigram *u, tokenizer_unigram_work *work,
                                      const char *text, size_t n, tokenizer_ids *out, assay_error *err);

#endif
