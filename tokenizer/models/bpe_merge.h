/* Merging the symbols of one word, for tokenizer_bpe alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_BPE_MERGE_H
#define TOKENIZER_MODELS_BPE_MERGE_H

#include "tokenizer/models/cache.h"
#include "tokenizer/models/ids.h"
#include "tokenizer/models/pairs.h"

/* What one thread needs to encode. All zero at first; the cache is owned, and NULL where there is none. */
typedef struct tokenizer_bpe_work {
    tokenizer_cache *cache;
    tokenizer_ids word;
    void *symbols; /* of long words */
    size_t n_symbols;
} tokenizer_bpe_work;

/* Merges ids[0..*n) in place. Linear in n, but for a logarithm. False if out of memory. */
bool tokenizer_bpe_merge(const tokenizer_pairs *merges, tokenizer_bpe_work *work, int32_t *ids, size_t *n);

#endif
