/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec/vec__avx2.h"

#include "fastpath/kernels/cap/cap__vec.h"

void fp_cap_f32__avx2(float *x, size_t n, float limit)
{
    cap(x, n, limit);
}
