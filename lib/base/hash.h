/* FNV-1a, 64 bits (Fowler, Noll and Vo, 1991).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325) /* the offset basis: the hash of nothing */

/* The hash of a sequence, given that of all but its last unit. */
static inline uint64_t hash_add(uint64_t hash, uint32_t unit)
{
    return (hash ^ unit) * UINT64_C(0x100000001b3);
}

static inline uint64_t hash_bytes(const void *data, size_t n)
{
    const unsigned char *bytes = data;
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < n; i++) hash = hash_add(hash, bytes[i]);
    return hash;
}

#endif
