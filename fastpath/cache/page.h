/* Reference-counted pages of the caches, which samples of any session and thread can share.
 *
 * Each user of a page is an entry of one cache. The only user may write to the page: no other can
 * appear meanwhile, because only a user can share it. Otherwise the page is copied before a write.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_CACHE_PAGE_H
#define FASTPATH_CACHE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fp_page fp_page;

/* Initial contents of a page. NaN, as float and as bfloat16: a read of an unwritten number is visible
 * in the result. */
typedef enum fp_page_fill { FP_PAGE_NAN, FP_PAGE_ZERO } fp_page_fill;

/* Allocates a page of n_bytes with one user. NULL if out of memory. */
fp_page *fp_page_make(size_t n_bytes, fp_page_fill fill);
fp_page *fp_page_copy(const fp_page *from);

/* Adds a user. */
fp_page *fp_page_share(fp_page *page);
/* Removes a user; the last one frees the page. NULL allowed. */
void fp_page_release(fp_page *page);

/* Whether the page has one user. Reads and writes of former users have completed if so (acquire). */
bool fp_page_is_exclusive(const fp_page *page);

/* The page's n_bytes of numbers, of the type that its users agree on, aligned for any kernel. */
void *fp_page_numbers(fp_page *page);

#endif
