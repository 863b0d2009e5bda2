/* A cache of encoded words and their ids: most words of a text occur many times.
 *
 * A cache belongs to one thread and one tokenizer. Its size is fixed, a few megabytes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_CACHE_H
#define TOKENIZER_MODELS_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOKENIZER_CACHE_WORD_MAX 128 /* bytes */

typedef struct tokenizer_cache tokenizer_cache;

/* NULL if out of memory: callers then run without a cache. */
tokenizer_cache *tokenizer_cache_open(void);
void tokenizer_cache_free(tokenizer_cache *c);

/* The ids of a word of at most TOKENIZER_CACHE_WORD_MAX bytes, borrowed until the next call; NULL if it
 * is not cached. */
const int32_t *tokenizer_cache_find(const tokenizer_cache *c, const char *word, size_t n, size_t *n_ids);

/* Adds a word; may evict others. Words that are too long are ignored. */
void tokenizer_cache_put(tokenizer_cache *c, const char *word, size_t n, const int32_t *ids, size_t n_ids);

#endif
