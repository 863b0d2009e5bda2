/* Byte-pair encoding (Sennrich et al. 2016) as tokenizers 0.23.3 has it.
 *
 * A word starts as one symbol per character, or per byte. While any two adjacent symbols have a merge,
 * the merge with the lowest rank is applied, leftmost first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_BPE_H
#define TOKENIZER_MODELS_BPE_H

#include <assay/status.h>

#include "tokenizer/models/bpe_merge.h"
#include "tokenizer/models/cache.h"
#include "tokenizer/models/ids.h"
#include "tokenizer/models/vocab.h"

#include <stdbool.h>
#include <stddef.h>

/* Immutable once opened. */
typedef struct tokenizer_bpe tokenizer_bpe;

void tokenizer_bpe_work_free(tokenizer_bpe_work *work);

/* Appends the ids of a word, n > 0. ASSAY_EFORMAT if the word needs the unknown token and the
 * vocabulary lacks it; ASSAY_ENOMEM. */
assay_status tokenizer_bpe_encode(const tokenizer_bpe *b, tokenizer_bpe_work *work, const char *word,
                                  size_t n, tokenizer_ids *out, assay_error *err);

#endif
