/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/models/pairs.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

bool tokenizer_pairs_open(tokenizer_pairs *p, size_t n)
{
    if (n > SIZE_MAX / 64) return false;
    int bits = 4;
    while ((size_t)1 << bits < 2 * n) bits++;
    const size_t capacity = (size_t)1 << bits;
    uint64_t factor;
    if (getentropy(&factor, sizeof factor) != 0) return false;
    tokenizer_pair *slots = malloc(capacity * sizeof *slots);
    if (!slots) return false;
    for (size_t i = 0; i < capacity; i++) slots[i].key = UINT64_MAX;
    *p = (tokenizer_pairs){.slots = slots, .factor = factor | 1, .shift = 64 - bits, .mask = capacity - 1};
    return true;
}

void tokenizer_pairs_free(tokenizer_pairs *p)
{
    free(p->slots);
    *p = (tokenizer_pairs){0};
}

void tokenizer_pairs_put(tokenizer_pairs *p, uint32_t left, uint32_t right, int32_t rank, int32_t id)
{
    const uint64_t key = (uint64_t)left << 32 | right;
    assert(key != UINT64_MAX);
    size_t at = (size_t)(key * p->factor >> p->shift);
    while (p->slots[at].key != UINT64_MAX && p->slots[at].key != key) at = (at + 1) & p->mask;
    p->slots[at] = (tokenizer_pair){key, rank, id};
}
