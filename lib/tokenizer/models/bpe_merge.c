/* SPDX-License-Identifier: Apache-2.0 */

#include "tokenizer/models/bpe_merge.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_WORD 32 /* symbols: up to here rescanning all pairs is faster than keeping a heap */

/* A merge that is possible; the lowest key is applied first. */
typedef struct candidate {
    uint64_t key; /* rank in the upper half, index of the left symbol in the lower */
    int32_t id;
} candidate;

typedef struct symbol {
    int32_t id; /* -1: merged into the previous symbol */
    uint32_t prev, next;
} symbol;

#define NO_SYMBOL UINT32_MAX

/* Rank and id of the merge of ids[i] and ids[i + 1]; rank UINT32_MAX: there is no merge. */
typedef struct pairs {
    uint32_t rank[SHORT_WORD];
    int32_t id[SHORT_WORD];
} pairs;

static void look_up(const tokenizer_pairs *merges, const int32_t *ids, size_t i, pairs *p)
{
    const tokenizer_pair *found = tokenizer_pairs_find(merges, (uint32_t)ids[i], (uint32_t)ids[i + 1]);
    p->rank[i] = found ? (uint32_t)found->rank : UINT32_MAX;
    p->id[i] = found ? found->id : -1;
}

static void merge_short(const tokenizer_pairs *merges, int32_t *ids, size_t *n)
{
    pairs p;
    size_t left = *n;
    for (size_t i = 0; i + 1 < left; i++) look_up(merges, ids, i, &p);
    while (left > 1) {
        size_t best = 0;
        for (size_t i = 1; i + 1 < left; i++)
            if (p.rank[i] < p.rank[best]) best = i;
        if (p.rank[best] == UINT32_MAX) break;
        ids[best] = p.id[best];
        left--;
        memmove(ids + best + 1, ids + best + 2, (left - best - 1) * sizeof *ids);
        if (best + 1 < left) {
            memmove(p.rank + best, p.rank + best + 1, (left - best - 1) * sizeof *p.rank);
            memmove(p.id + best, p.id + best + 1, (left - best - 1) * sizeof *p.id);
            look_up(merges, ids, best, &p);
        }
        if (best > 0) look_up(merges, ids, best - 1, &p);
    }
    *n = left;
}

typedef struct heap {
    candidate *items; /* a binary heap */
    size_t n;
} heap;

static void sift_down(heap *h, size_t i)
{
    const candidate moved = h->items[i];
    for (size_t child; (child = 2 * i + 1) < h->n; i = child) {
        if (child + 1 < h->n && h->items[child + 1].key < h->items[child].key) child++;
        if (h->items[child].key >= moved.key) break;
        h->items[i] = h->items[child];
    }
    h->items[i] = moved;
}

static void push_candidate(heap *h, candidate c)
{
    size_t i = h->n++;
    for (; i > 0 && h->items[(i - 1) / 2].key > c.key; i = (i - 1) / 2) h->items[i] = h->items[(i - 1) / 2];
    h->items[i] = c;
}

static candidate pop_candidate(heap *h)
{
    const candidate top = h->items[0];
    h->items[0] = h->items[--h->n];
    if (h->n > 0) sift_down(h, 0);
    return top;
}

/* The merge of symbols[at] and the next symbol. False if there is none. */
static bool candidate_at(const tokenizer_pairs *merges, const symbol *symbols, uint32_t at, candidate *out)
{
    if (symbols[at].next == NO_SYMBOL) return false;
    const tokenizer_pair *found =
        tokenizer_pairs_find(merges, (uint32_t)symbols[at].id, (uint32_t)symbols[symbols[at].next].id);
    if (!found) return false;
    *out = (candidate){(uint64_t)(uint32_t)found->rank << 32 | at, found->id};
    return true;
}

static void merge_all(const tokenizer_pairs *merges, symbol *symbols, heap *h)
{
    candidate next, now;
    while (h->n > 0) {
        const candidate top = pop_candidate(h);
        const uint32_t at = (uint32_t)top.key;
        /* Skip stale candidates: when a symbol changes, its new merges are pushed. */
        if (symbols[at].id < 0 || !candidate_at(merges, symbols, at, &now) || now.id != top.id) continue;
        const uint32_t gone = symbols[at].next, after = symbols[gone].next;
        symbols[at].id = top.id;
        symbols[at].next = after;
        symbols[gone].id = -1;
        if (after != NO_SYMBOL) symbols[after].prev = at;
        if (symbols[at].prev != NO_SYMBOL && candidate_at(merges, symbols, symbols[at].prev, &next))
            push_candidate(h, next);
        if (candidate_at(merges, symbols, at, &next)) push_candidate(h, next);
    }
}

/* Allocates memory for n symbols and 3 n candidates: n initial ones and two for each merge. */
static bool reserve_work(tokenizer_bpe_work *work, size_t n)
{
    if (n <= work->n_symbols) return true;
    const size_t capacity = n < SIZE_MAX / 256 ? n + n / 2 : n;
    if (capacity > SIZE_MAX / (sizeof(symbol) + 3 * sizeof(candidate))) return false;
    void *symbols = malloc(capacity * (sizeof(symbol) + 3 * sizeof(candidate)));
    if (!symbols) return false;
    free(work->symbols);
    work->symbols = symbols;
    work->n_symbols = capacity;
    return true;
}

static bool merge_long(const tokenizer_pairs *merges, tokenizer_bpe_work *work, int32_t *ids, size_t *n)
{
    if (*n >= NO_SYMBOL || !reserve_work(work, *n)) return false;
    heap h = {.items = work->symbols};
    symbol *symbols = (symbol *)(h.items + 3 * work->n_symbols);
    for (uint32_t i = 0; i < *n; i++)
        symbols[i] = (symbol){ids[i], i > 0 ? i - 1 : NO_SYMBOL, i + 1 < *n ? i + 1 : NO_SYMBOL};
    for (uint32_t i = 0; i < *n; i++) {
        candidate c;
        if (candidate_at(merges, symbols, i, &c)) h.items[h.n++] = c;
    }
    for (size_t i = h.n / 2; i-- > 0;) sift_down(&h, i);
    merge_all(merges, symbols, &h);
    size_t left = 0;
    for (size_t i = 0; i < *n; i++)
        if (symbols[i].id >= 0) ids[left++] = symbols[i].id;
    *n = left;
    return true;
}

bool tokenizer_bpe_merge(const tokenizer_pairs *merges, tokenizer_bpe_work *work, int32_t *ids, size_t *n)
{
    if (*n > SHORT_WORD) return merge_long(merges, work, ids, n);
    merge_short(merges, ids, n);
    return true;
}
