/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec/vec__neon.h"

#include "fastpath/kernels/narrow/narrow__vec.h"

void fp_narrow_bf16__neon(uint16_t *y, const float *x, size_t n)
{
    narrow_bf16(y, x, n);
}

void fp_narrow_i8__neon(int8_t *codes, float *scale, int32_t *sum, const float *x, size_t n, size_t group)
{
    narrow_i8(codes, scale, sum, x, n, group);
}
