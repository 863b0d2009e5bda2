/* Soft caps over vectors; included once by cap__<isa>.c, after its vec__<isa>.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_CAP_VEC_H
#define FASTPATH_KERNELS_CAP_VEC_H

#include "fastpath/kernels/cap/cap.h"
#include "fastpath/kernels/vec/vec_math.h"

static inline void cap(float *x, size_t n, float limit)
{
    for (size_t i = 0; i < n; i += VEC) {
        vec y = vec_tanh(vec_div(vec_load(x + i, n - i), vec_of(limit)));
        vec_store(x + i, vec_mul(y, vec_of(limit)), n - i);
    }
}

#endif
