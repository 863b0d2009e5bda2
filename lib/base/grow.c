/* SPDX-License-Identifier: Apache-2.0 */
#include "base/grow.h"

#include <stdint.h>
#include <stdlib.h>

#define CAPACITY_MIN 64

/* Like reallocarray, which is not in C11 or POSIX.1-2008. No object may be larger than PTRDIFF_MAX. */
static void *reallocate_elements(void *array, size_t capacity, size_t element_bytes)
{
    return capacity <= PTRDIFF_MAX / element_bytes ? realloc(array, capacity * element_bytes) : NULL;
}

void *grow_by_one(void *array, size_t n, size_t element_bytes)
{
    if ((n & (n - 1)) != 0) return array;
    if (n > SIZE_MAX / 2) return NULL;
    return reallocate_elements(array, n ? 2 * n : 1, element_bytes);
}

void *grow_to(void *array, size_t *capacity, size_t n_wanted, size_t element_bytes)
{
    if (array && n_wanted <= *capacity) return array;
    size_t wanted = *capacity > CAPACITY_MIN / 2 ? 2 * *capacity : CAPACITY_MIN;
    if (wanted < n_wanted) wanted = n_wanted;
    void *grown = reallocate_elements(array, wanted, element_bytes);
    if (grown) *capacity = wanted;
    return grown;
}
