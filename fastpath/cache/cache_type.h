/* Types in which keys and values are cached, narrower than those that attention computes with. What they make
 * of a head's numbers is exactly defined.
 *
 * Sources: ggml 0.25.3, ggml/src/ggml-quants.c (Q8_0, Q4_0); e4m3fn and e5m2 of OCP OFP8, without a scale and
 * limited to their largest number; int8 with a scale (largest magnitude / 127) for each token and head.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_CACHE_CACHE_TYPE_H
#define FASTPATH_CACHE_CACHE_TYPE_H

#include <stddef.h>

typedef struct fp_cache_type {
    const char *name;
    size_t block; /* numbers with one scale, which divide a head; 1: of any head */
    /* Bytes of n numbers of one head at one position. */
    size_t (*bytes)(size_t n);
    /* x: [n]. to: at any address. */
    void (*put)(void *to, const float *x, size_t n);
    /* The numbers that put has stored, `stride` apart. */
    void (*take)(float *x, size_t stride, const void *from, size_t n);
} fp_cache_type;

/* The type of this name; NULL: there is none. */
const fp_cache_type *fp_cache_type_find(const char *name);

/* The names, NULL-terminated. */
extern const char *const FP_CACHE_TYPES[];

#endif
