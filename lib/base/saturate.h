/* Sums and products of counts that stay at UINT64_MAX instead of overflowing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SATURATE_H
#define BASE_SATURATE_H

#include <stdint.h>

static inline uint64_t add_saturating(uint64_t a, uint64_t b)
{
    return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

static inline uint64_t multiply_saturating(uint64_t a, uint64_t b)
{
    return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

#endif
