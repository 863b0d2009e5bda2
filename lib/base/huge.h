/* Memory in huge pages, for arrays that are read again and again: far fewer walks of page tables.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_HUGE_H
#define BASE_HUGE_H

#include <stddef.h>

#define HUGE_PAGE ((size_t)1 << 21) /* bytes */

/* Memory of at least n_bytes, from half of a page on aligned to HUGE_PAGE and in huge pages if the system has
 * them; freed with free. NULL if out of memory. */
void *huge_alloc(size_t n_bytes);

#endif
