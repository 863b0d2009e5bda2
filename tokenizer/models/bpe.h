/* Byte-pair encoding (Sennrich et al. 2016) as tokenizers 0.23.3 has it.
 *
 * A word begins as one symbol for each character, or for each byte; of the merges that fit, the one of the
 * lowest rank, and of several of these the leftmost, joins two symbols, until none fits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_BPE_H
#define TOKENIZER_MODELS_BPE_H

#include <assay/status.h>

#include "tokenizer/models/cache.h"
#include "tokenizer/models/ids.h"
#include "tokenizer/models/vocab.h"
#include "tokenizer/text/file.h"

#include <stdbool.h>
#include <stddef.h>

/* Immutable once opened. */
typedef struct tokenizer_bpe tokenizer_bpe;

/* What one thread needs to encode. All zero at first; the cache is owned, and NULL where there is none. */
typedef struct tokenizer_bpe_work {
    tokenizer_cache *cache;
    tokenizer_ids word;
    void *symbols; /* of long words */
    size_t n_symbols;
} tokenizer_bpe_work;

void tokenizer_bpe_work_free(tokenizer_bpe_work *work);

/* Reads the model of f, whose vocabulary is borrowed. byte_level: words come as bytes, and each byte means
 * its character of tokenizer/bytes.h; *taken says whether the model can take them so: else they must come as
 * those characters. ASSAY_EUNSUPPORTED for a dropout, which would make ids a matter of chance. */
assay_status tokenizer_bpe_open(const tokenizer_file *f, const tokenizer_vocab *vocab, bool byte_level,
                                tokenizer_bpe **out, bool *taken, assay_error *err);
void tokenizer_bpe_free(tokenizer_bpe *b);

/* Appends the ids of a word, n > 0. ASSAY_EFORMAT where the vocabulary lacks the unknown token that it needs.
 */
assay_status tokenizer_bpe_encode(const tokenizer_bpe *b, tokenizer_bpe_work *work, const char *word,
                                  size_t n, tokenizer_ids *out, assay_error *err);

#endif
