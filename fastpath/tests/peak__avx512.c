/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>

#include "fastpath/tests/peak.h"

enum { CHAINS = 12, VECTOR = 16, STREAMS = 128 / VECTOR };

double peak_fma__avx512(size_t n)
{
    volatile float start = 1;
    __m512 sum[CHAINS], factor = _mm512_set1_ps(start), all = _mm512_setzero_ps();
    for (size_t c = 0; c < CHAINS; c++) sum[c] = _mm512_setzero_ps();
    for (size_t i = 0; i < n; i++)
#pragma GCC unroll 12
        for (size_t c = 0; c < CHAINS; c++) sum[c] = _mm512_fmadd_ps(sum[c], factor, factor);
    for (size_t c = 0; c < CHAINS; c++) all = _mm512_add_ps(all, sum[c]);
    float out[VECTOR];
    _mm512_storeu_ps(out, all);
    start = out[0];
    return 2.0 * CHAINS * VECTOR * (double)n;
}

float peak_read__avx512(const float *x, size_t n)
{
    __m512 sum[STREAMS], all = _mm512_setzero_ps();
    for (size_t c = 0; c < STREAMS; c++) sum[c] = _mm512_setzero_ps();
    for (size_t i = 0; i < n; i += 128)
#pragma GCC unroll 16
        for (size_t c = 0; c < STREAMS; c++)
            sum[c] = _mm512_add_ps(sum[c], _mm512_load_ps(x + i + c * VECTOR));
    for (size_t c = 0; c < STREAMS; c++) all = _mm512_add_ps(all, sum[c]);
    float out[VECTOR];
    _mm512_storeu_ps(out, all);
    for (size_t i = 1; i < VECTOR; i++) out[0] += out[i];
    return out[0];
}
