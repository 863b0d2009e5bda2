/* A hash table keyed by pairs of numbers: merges of tokens, and characters that merges join.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_PAIRS_H
#define TOKENIZER_MODELS_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tokenizer_pair {
    uint64_t key; /* the left number in its upper half; UINT64_MAX: a free slot */
    int32_t rank, id;
} tokenizer_pair;

/* Multiplicative hashing with a random factor, so that an untrusted file cannot choose collisions. */
typedef struct tokenizer_pairs {
    tokenizer_pair *slots;
    uint64_t factor; /* odd */
    int shift;
    size_t mask;
} tokenizer_pairs;

/* An empty table with capacity for n pairs, freed by tokenizer_pairs_free. False if out of memory or if
 * getentropy fails. */
bool tokenizer_pairs_open(tokenizer_pairs *p, size_t n);
void tokenizer_pairs_free(tokenizer_pairs *p);

/* Adds a pair, or replaces its rank and id. The capacity given to tokenizer_pairs_open must not be
 * exceeded. */
void tokenizer_pairs_put(tokenizer_pairs *p, uint32_t left, uint32_t right, int32_t rank, int32_t id);

static inline const tokenizer_pair *tokenizer_pairs_find(const tokenizer_pairs *p, uint32_t left,
                                                         uint32_t right)
{
    const uint64_t key = (uint64_t)left << 32 | right;
    for (size_t at = (size_t)(key * p->factor >> p->shift);; at = (at + 1) & p->mask) {
        const tokenizer_pair *slot = &p->slots[at];
        if (slot->key == key) return slot;
        if (slot->key == UINT64_MAX) return NULL;
    }
}

#endif
