/* Narrower activations, over the names of whichever vec__<isa>.h was included before.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_NARROW_VEC_H
#define FASTPATH_KERNELS_NARROW_VEC_H

#include <math.h>

#include "fastpath/kernels/narrow/narrow.h"

static inline void narrow_bf16(uint16_t *y, const float *x, size_t n)
{
    size_t i = 0;
    for (; i + VEC <= n; i += VEC) vec_store_bf16(y + i, vec_load(x + i, VEC));
    if (i < n) {
        uint16_t rest[VEC];
        vec_store_bf16(rest, vec_load(x + i, n - i));
        __builtin_memcpy(y + i, rest, (n - i) * sizeof *y);
    }
}

/* The largest |x| of a group; NaN if the group has one. */
static inline float largest_size(const float *x, size_t n)
{
    vec top = vec_of(0), strange = vec_of(0);
    float lanes[VEC], odd[VEC];
    for (size_t i = 0; i < n; i += VEC) {
        vec v = vec_load(x + i, VEC);
        top = vec_max(top, vec_abs(v));
        strange = vec_fma(v, vec_of(0), strange); /* becomes and stays NaN for NaN and infinity */
    }
    vec_store(lanes, top, VEC);
    vec_store(odd, strange, VEC);
    for (size_t i = 1; i < VEC; i++) {
        lanes[0] = lanes[i] > lanes[0] ? lanes[i] : lanes[0];
        odd[0] += odd[i];
    }
    return lanes[0] + odd[0];
}

static inline void narrow_i8(int8_t *codes, float *scale, int32_t *sum, const float *x, size_t n,
                             size_t group)
{
    for (size_t g = 0; g < n / group; g++, x += group, codes += group) {
        const float found = largest_size(x, group), top = found < FP_NARROW_LEAST ? 0 : found;
        const vec inverse = vec_of(top > 0 ? 127 / top : 0);
        vec_bits total = vec_bits_of(0);
        int32_t lanes[VEC];
        scale[g] = top / 127;
        for (size_t i = 0; i < group; i += VEC) {
            vec_bits code = vec_to_ints(vec_mul(vec_load(x + i, VEC), inverse));
            if (isnan(top)) code = vec_bits_of(0);
            total = vec_bits_add(total, code);
            vec_store_i8(codes + i, code);
        }
        vec_bits_storeu(lanes, total);
        sum[g] = 0;
        for (size_t i = 0; i < VEC; i++) sum[g] += lanes[i];
    }
}

#endif
