/* SPDX-License-Identifier: Apache-2.0 */
#include "base/huge.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

void *huge_alloc(size_t n_bytes)
{
    if (n_bytes > SIZE_MAX - HUGE_PAGE) return NULL;
    if (n_bytes < HUGE_PAGE / 2) return malloc(n_bytes);
    const size_t rounded = (n_bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *memory = aligned_alloc(HUGE_PAGE, rounded);
    if (memory) (void)madvise(memory, rounded, MADV_HUGEPAGE);
    return memory;
}
