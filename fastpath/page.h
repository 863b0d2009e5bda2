/* Pages: pieces of a sample's caches that samples share, of any session and on any thread.
 *
 * A page has users, each of which is one place in one cache. Who is the only one may write to it: nobody else
 * can become a user meanwhile, since a page is shared by its users alone. Who is not makes a copy.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_PAGE_H
#define FASTPATH_PAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fp_page fp_page;

/* What a new page holds. NaN, as float and as bfloat16: what nobody has written cannot pass. */
typedef enum fp_page_fill { FP_PAGE_NAN, FP_PAGE_ZERO } fp_page_fill;

/* A page of n_bytes with one user. NULL where memory is short. */
fp_page *fp_page_make(size_t n_bytes, fp_page_fill fill);
fp_page *fp_page_copy(const fp_page *from);

/* One more user. */
fp_page *fp_page_share(fp_page *page);
/* One less; the last one frees it. NULL allowed. */
void fp_page_release(fp_page *page);

/* Whether its user is the only one. What former users have done with it is done by then. */
bool fp_page_is_own(const fp_page *page);

/* n_bytes of numbers of whichever type its users agree on, aligned for any kernel. */
void *fp_page_numbers(fp_page *page);

#endif
