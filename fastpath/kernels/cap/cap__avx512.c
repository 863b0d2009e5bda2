/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec/vec__avx512.h"

#include "fastpath/kernels/cap/cap__vec.h"

void fp_cap_f32__avx512(float *x, size_t n, float limit)
{
    cap(x, n, limit);
}
