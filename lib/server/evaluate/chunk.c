/* SPDX-License-Identifier: Apache-2.0 */
#include "server/evaluate/chunk.h"

/* The end of an item's span; the end of the prompt if its span is not known. */
static size_t end_of(const server_prompt *p, const assay_item *item)
{
    return item->n_tokens ? item->offset + item->n_tokens : p->n_tokens;
}

size_t server_chunk_length(const server_prompt *p, size_t n_done, size_t n_most, bool whole, bool may_exceed)
{
    const size_t left = p->n_tokens - n_done;
    size_t end = n_done + (left < n_most ? left : n_most);
    if (whole) return left <= n_most || may_exceed ? left : 0;
    for (size_t i = 0; i < p->n_items; i++) {
        const assay_item *item = &p->items[i];
        const size_t begin = item->n_tokens ? item->offset : 0;
        if (begin >= end || end_of(p, item) <= end) continue;
        if (begin > n_done) return begin - n_done;
        return may_exceed ? end_of(p, item) - n_done : 0;
    }
    return end - n_done;
}

size_t server_chunk_items(const server_prompt *p, size_t n_done, size_t n, size_t *first)
{
    size_t i = 0, n_items = 0;
    while (i < p->n_items && p->items[i].offset < n_done) i++;
    while (i + n_items < p->n_items && p->items[i + n_items].offset < n_done + n) n_items++;
    *first = i;
    return n_items;
}
