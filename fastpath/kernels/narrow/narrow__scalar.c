/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "fastpath/kernels/narrow/narrow.h"

void fp_narrow_bf16__scalar(uint16_t *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, sizeof bits);
        if (isnan(x[i])) bits |= 0x400000U; /* makes NaN quiet, so that truncation cannot give infinity */
        else bits += 0x7FFFU + (bits >> 16 & 1);
        y[i] = (uint16_t)(bits >> 16);
    }
}

static void narrow_group(int8_t *codes, float *scale, int32_t *sum, const float *x, size_t n)
{
    float top = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(top) && !(fabsf(x[i]) <= top)) top = fabsf(x[i]); /* propagates NaN */
    if (top < FP_NARROW_LEAST) top = 0;
    const float inverse = top > 0 ? 127 / top : 0;
    *scale = isfinite(top) ? top / 127 : NAN;
    *sum = 0;
    for (size_t i = 0; i < n; i++) {
        codes[i] = isfinite(top) ? (int8_t)rintf(x[i] * inverse) : 0;
        *sum += codes[i];
    }
}

void fp_narrow_i8__scalar(int8_t *codes, float *scale, int32_t *sum, const float *x, size_t n, size_t group)
{
    for (size_t g = 0; g < n / group; g++)
        narrow_group(codes + g * group, scale + g, sum + g, x + g * group, group);
}
