/* Merging the symbols of one word, used only by tokenizer_bpe.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_BPE_MERGE_H
#define TOKENIZER_MODELS_BPE_MERGE_H

#include "tokenizer/models/cache.h"
#include "tokenizer/models/ids.h"
#include "tokenizer/models/pairs.h"

/* Working memory of one thread; starts as zero, freed by tokenizer_bpe_work_free. The cache is owned;
 * NULL: nothing is cached. */
typedef struct tokenizer_bpe_work {
    tokenizer_cache *cache;
    tokenizer_ids word;
    void *symbols; /* [n_symbols]: symbols and heap of long words */
    size_t n_symbols;
} tokenizer_bpe_work;

/* Merges ids[0..*n) in place, in O(n log n). False if out of memory. */
bool tokenizer_bpe_merge(const tokenizer_pairs *merges, tokenizer_bpe_work *work, int32_t *ids, size_t *n);

#endif
