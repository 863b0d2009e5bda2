/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/models/cache.h"

#include <stdlib.h>
#include <string.h>

#define N_SETS  16384U
#define N_WAYS  4U
#define N_BYTES ((size_t)2 << 20)
#define N_IDS   ((size_t)512 << 10)

/* The cache is set-associative: a look-up costs at most N_WAYS comparisons, whatever the words are. */
typedef struct entry {
    uint32_t hash; /* 0: free */
    uint32_t word_at, ids_at;
    uint16_t n, n_ids;
} entry;

struct tokenizer_cache {
    entry entries[N_SETS][N_WAYS];
    uint8_t next[N_SETS]; /* the way that is replaced next, modulo N_WAYS */
    char bytes[N_BYTES];
    int32_t ids[N_IDS];
    size_t n_bytes, n_ids;
};

tokenizer_cache *tokenizer_cache_open(void)
{
    return calloc(1, sizeof(tokenizer_cache));
}

void tokenizer_cache_free(tokenizer_cache *c)
{
    free(c);
}

static uint64_t hash_of(const char *word, size_t n)
{
    static const uint64_t FACTOR = 0x9fb21c651e98df25U;
    uint64_t hash = n * FACTOR, part = 0;
    for (; n >= sizeof part; n -= sizeof part, word += sizeof part) {
        memcpy(&part, word, sizeof part);
        hash = (hash ^ part) * FACTOR;
        hash ^= hash >> 32;
    }
    part = 0;
    memcpy(&part, word, n);
    hash = (hash ^ part) * FACTOR;
    return hash ^ hash >> 29;
}

const int32_t *tokenizer_cache_find(const tokenizer_cache *c, const char *word, size_t n, size_t *n_ids)
{
    const uint64_t hash = hash_of(word, n);
    const entry *set = c->entries[hash % N_SETS];
    const uint32_t tag = (uint32_t)(hash >> 32) | 1;
    for (size_t i = 0; i < N_WAYS; i++) {
        if (set[i].hash != tag || set[i].n != n || memcmp(c->bytes + set[i].word_at, word, n) != 0) continue;
        *n_ids = set[i].n_ids;
        return c->ids + set[i].ids_at;
    }
    return NULL;
}

void tokenizer_cache_put(tokenizer_cache *c, const char *word, size_t n, const int32_t *ids, size_t n_ids)
{
    if (n > TOKENIZER_CACHE_WORD_MAX || n_ids > UINT16_MAX) return;
    if (n > N_BYTES - c->n_bytes || n_ids > N_IDS - c->n_ids) {
        memset(c->entries, 0, sizeof c->entries);
        c->n_bytes = c->n_ids = 0;
    }
    const uint64_t hash = hash_of(word, n);
    const size_t set = hash % N_SETS;
    c->entries[set][c->next[set]++ % N_WAYS] = (entry){.hash = (uint32_t)(hash >> 32) | 1,
                                                       .word_at = (uint32_t)c->n_bytes,
                                                       .ids_at = (uint32_t)c->n_ids,
                                                       .n = (uint16_t)n,
                                                       .n_ids = (uint16_t)n_ids};
    memcpy(c->bytes + c->n_bytes, word, n);
    if (n_ids > 0) memcpy(c->ids + c->n_ids, ids, n_ids * sizeof *ids);
    c->n_bytes += n;
    c->n_ids += n_ids;
}
