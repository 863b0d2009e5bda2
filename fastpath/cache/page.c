/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/cache/page.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <assay/kernel.h>

struct fp_page {
    atomic_size_t n_users;
    size_t n_bytes;
    _Alignas(64) unsigned char numbers[];
};

static fp_page *allocate_page(size_t n_bytes)
{
    if (n_bytes > SIZE_MAX - sizeof(fp_page) - ASSAY_ALIGNMENT) return NULL;
    size_t bytes = sizeof(fp_page) + n_bytes;
    fp_page *page =
        aligned_alloc(ASSAY_ALIGNMENT, (bytes + ASSAY_ALIGNMENT - 1) / ASSAY_ALIGNMENT * ASSAY_ALIGNMENT);
    if (!page) return NULL;
    atomic_init(&page->n_users, 1);
    page->n_bytes = n_bytes;
    return page;
}

fp_page *fp_page_make(size_t n_bytes, fp_page_fill fill)
{
    fp_page *page = allocate_page(n_bytes);
    if (page) memset(page->numbers, fill == FP_PAGE_NAN ? 0xff : 0, n_bytes);
    return page;
}

fp_page *fp_page_copy(const fp_page *from)
{
    fp_page *page = allocate_page(from->n_bytes);
    if (page) memcpy(page->numbers, from->numbers, from->n_bytes);
    return page;
}

fp_page *fp_page_share(fp_page *page)
{
    (void)atomic_fetch_add_explicit(&page->n_users, 1, memory_order_relaxed);
    return page;
}

/* Release: a thread that then finds itself the only user sees all earlier accesses. Acquire: so does
 * the thread that frees. */
void fp_page_release(fp_page *page)
{
    if (page && atomic_fetch_sub_explicit(&page->n_users, 1, memory_order_acq_rel) == 1) free(page);
}

bool fp_page_is_exclusive(const fp_page *page)
{
    return atomic_load_explicit(&page->n_users, memory_order_acquire) == 1;
}

void *fp_page_numbers(fp_page *page)
{
    return page->numbers;
}
