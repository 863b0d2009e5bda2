/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/arithmetic/tile.h"

#include <stdbool.h>

#ifdef __x86_64__
#include <immintrin.h>

/* Two vectors of tokens times as many rows as leave registers for the tokens and for one weight. */
#define AVX512_ROWS 12
#define AVX2_ROWS   6

#define EVERY_ROW _Pragma("GCC unroll 12") for (size_t r = 0; r < ROWS; r++)

__attribute__((target("avx512f"))) static void multiply_avx512(double *sum, size_t ld_sum, const double *w,
                                                               size_t ld_w, const double *x, size_t k)
{
    enum { ROWS = AVX512_ROWS, LANES = 8 };
    __m512d low[ROWS], high[ROWS];
    EVERY_ROW
    {
        low[r] = _mm512_loadu_pd(sum + r * ld_sum);
        high[r] = _mm512_loadu_pd(sum + r * ld_sum + LANES);
    }
    for (size_t i = 0; i < k; i++, x += 2 * LANES) {
        const __m512d x_low = _mm512_loadu_pd(x), x_high = _mm512_loadu_pd(x + LANES);
        EVERY_ROW
        {
            const __m512d weight = _mm512_set1_pd(w[r * ld_w + i]);
            low[r] = _mm512_fmadd_pd(x_low, weight, low[r]);
            high[r] = _mm512_fmadd_pd(x_high, weight, high[r]);
        }
    }
    EVERY_ROW
    {
        _mm512_storeu_pd(sum + r * ld_sum, low[r]);
        _mm512_storeu_pd(sum + r * ld_sum + LANES, high[r]);
    }
}

__attribute__((target("avx2,fma"))) static void multiply_avx2(double *sum, size_t ld_sum, const double *w,
                                                              size_t ld_w, const double *x, size_t k)
{
    enum { ROWS = AVX2_ROWS, LANES = 4 };
    __m256d low[ROWS], high[ROWS];
    EVERY_ROW
    {
        low[r] = _mm256_loadu_pd(sum + r * ld_sum);
        high[r] = _mm256_loadu_pd(sum + r * ld_sum + LANES);
    }
    for (size_t i = 0; i < k; i++, x += 2 * LANES) {
        const __m256d x_low = _mm256_loadu_pd(x), x_high = _mm256_loadu_pd(x + LANES);
        EVERY_ROW
        {
            const __m256d weight = _mm256_set1_pd(w[r * ld_w + i]);
            low[r] = _mm256_fmadd_pd(x_low, weight, low[r]);
            high[r] = _mm256_fmadd_pd(x_high, weight, high[r]);
        }
    }
    EVERY_ROW
    {
        _mm256_storeu_pd(sum + r * ld_sum, low[r]);
        _mm256_storeu_pd(sum + r * ld_sum + LANES, high[r]);
    }
}

const ref_tile *ref_tile_at(size_t i)
{
    static const ref_tile AVX512 = {"avx512", 16, AVX512_ROWS, multiply_avx512},
                          AVX2 = {"avx2", 8, AVX2_ROWS, multiply_avx2};
    const bool has_avx512 = __builtin_cpu_supports("avx512f");
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (has_avx512 && i == 0) return &AVX512;
    return has_avx2 && i == (has_avx512 ? 1 : 0) ? &AVX2 : NULL;
}

#else

const ref_tile *ref_tile_at(size_t i)
{
    (void)i;
    return NULL;
}

#endif
