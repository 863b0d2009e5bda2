/* Growable arrays.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_GROW_H
#define BASE_GROW_H

#include <stddef.h>

/* Both return the array, which may have moved, with uninitialised elements after the old ones, or NULL if the
 * allocation fails or its size overflows; the array is unchanged then, and still the caller's. */

/* Allocates capacity for element n of an array of n elements that were all appended through this function.
 * Its capacity is not stored: it is the smallest power of two >= n, or more after elements have been dropped
 * from the end. */
void *grow_by_one(void *array, size_t n, size_t element_bytes);

/* Allocates capacity for n_wanted elements in an array with a capacity of *capacity elements, which at least
 * doubles if it grows at all, and starts at 64 or more. */
void *grow_to(void *array, size_t *capacity, size_t n_wanted, size_t element_bytes);

#endif
