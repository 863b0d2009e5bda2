/* Merging the symbols of one word, for tokenizer_bpe alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_BPE_MERGE_H
#define TOKENIZER_MODELS_BPE_MERGE_H

#include "tokenizer/models/bpe.h"
#include "tokenizer/models/pairs.h"

/* Merges ids[0..*n) in place. Linear in n, but for a logarithm. False where memory cannot be had. */
bool tokenizer_bpe_merge(const tokenizer_pairs *merges, tokenizer_bpe_work *work, int32_t *ids, size_t *n);

#endif
