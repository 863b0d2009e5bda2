/* Random numbers that a seed determines on every machine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_DRAW_H
#define CONFORMANCE_SUPPORT_DRAW_H

#include <stddef.h>
#include <stdint.h>

/* SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). */
static inline uint64_t conf_draw(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

/* A number below n > 0. */
static inline size_t conf_draw_below(uint64_t *state, size_t n)
{
    return (size_t)(conf_draw(state) % n);
}

#endif
