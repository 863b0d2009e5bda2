/* The keys of a sample of the stateful engine, in pages that forks share until one of them writes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_ENGINES_PAGES_H
#define CONFORMANCE_TESTS_ENGINES_PAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_TOKENS = 4 };

/* n_users: samples that hold the page; of several sessions, which different threads may use. */
typedef struct page {
    atomic_size_t n_users;
    uint32_t key[PAGE_TOKENS];
} page;

typedef struct pages {
    page **at; /* [n] */
    size_t n;
} pages;

static inline void page_release(page *p)
{
    if (atomic_fetch_sub(&p->n_users, 1) == 1) free(p);
}

/* Releases the pages from index n on. */
static inline void pages_shrink(pages *p, size_t n)
{
    while (p->n > n) page_release(p->at[--p->n]);
}

static inline void pages_free(pages *p)
{
    pages_shrink(p, 0);
    free(p->at);
    *p = (pages){0};
}

static inline uint32_t pages_get(const pages *p, size_t i)
{
    return p->at[i / PAGE_TOKENS]->key[i % PAGE_TOKENS];
}

/* Makes a page of its own of page i, unless a fault writes into shared ones. */
static inline bool pages_own(pages *p, size_t i, bool writes_shared)
{
    if (writes_shared || atomic_load(&p->at[i]->n_users) == 1) return true;
    page *own = malloc(sizeof *own);
    if (!own) return false;
    memcpy(own->key, p->at[i]->key, sizeof own->key);
    atomic_init(&own->n_users, 1);
    page_release(p->at[i]);
    p->at[i] = own;
    return true;
}

static inline bool pages_add(pages *p)
{
    page *added = calloc(1, sizeof *added), **grown = realloc(p->at, (p->n + 1) * sizeof(page *));
    if (grown) p->at = grown;
    if (!added || !grown) {
        free(added);
        return false;
    }
    atomic_init(&added->n_users, 1);
    p->at[p->n++] = added;
    return true;
}

/* Writes key i, at most one past the last page. False: out of memory. */
static inline bool pages_set(pages *p, size_t i, uint32_t key, bool writes_shared)
{
    size_t at = i / PAGE_TOKENS;
    if (at == p->n ? !pages_add(p) : !pages_own(p, at, writes_shared)) return false;
    p->at[at]->key[i % PAGE_TOKENS] = key;
    return true;
}

/* Shares all pages with an empty *out. False: out of memory. */
static inline bool pages_fork(const pages *p, pages *out)
{
    if (p->n == 0) return true;
    out->at = malloc(p->n * sizeof(page *));
    if (!out->at) return false;
    for (size_t i = 0; i < p->n; i++) {
        out->at[i] = p->at[i];
        atomic_fetch_add(&p->at[i]->n_users, 1);
    }
    out->n = p->n;
    return true;
}

#endif
