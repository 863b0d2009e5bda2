/* exp(x) = 2^n exp(r) with n = round(x / ln 2) and |r| ≤ ln 2 / 2: there the series of exp, up to its 13th
 * power, is off by less than 2^-57.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "ref/arithmetic/exponential.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static double replace_each(double *x, size_t n, double shift)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] = exp(x[i] - shift);
    return sum;
}

#ifdef __x86_64__
#include <immintrin.h>

/* ln 2 in two parts: n times the first is exact. Beyond LEAST the result is 0, beyond MOST infinite. */
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW  0x1.a39ef35793c76p-33
#define LEAST    (-750.0)
#define MOST     710.0

/* 1 / k!, from the 13th to the 0th. */
static const double series[] = {
    1. / 6227020800, 1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320, 1. / 5040,
    1. / 720,        1. / 120,       1. / 24,       1. / 6,       1. / 2,      1,          1};

#define EVERY_POWER _Pragma("GCC unroll 13") for (size_t k = 1; k < sizeof series / sizeof *series; k++)

/* max and min return their second argument if one is NaN. */
__attribute__((target("avx512f"))) static __m512d exp_avx512(__m512d given)
{
    const __m512d v = _mm512_min_pd(_mm512_set1_pd(MOST), _mm512_max_pd(_mm512_set1_pd(LEAST), given));
    const __m512d power = _mm512_roundscale_pd(_mm512_mul_pd(v, _mm512_set1_pd(1 / M_LN2)), 0);
    __m512d r = _mm512_fnmadd_pd(power, _mm512_set1_pd(LN2_HIGH), v);
    r = _mm512_fnmadd_pd(power, _mm512_set1_pd(LN2_LOW), r);
    __m512d sum = _mm512_set1_pd(series[0]);
    EVERY_POWER sum = _mm512_fmadd_pd(sum, r, _mm512_set1_pd(series[k]));
    return _mm512_scalef_pd(sum, power);
}

__attribute__((target("avx512f"))) static double replace_avx512(double *x, size_t n, double shift)
{
    enum { LANES = 8 };
    const __m512d all = _mm512_set1_pd(shift);
    __m512d sum = _mm512_setzero_pd();
    for (size_t i = 0; i < n; i += LANES) {
        const __mmask8 mask = n - i < LANES ? (__mmask8)((1U << (n - i)) - 1) : 0xff;
        const __m512d e = exp_avx512(_mm512_sub_pd(_mm512_maskz_loadu_pd(mask, x + i), all));
        _mm512_mask_storeu_pd(x + i, mask, e);
        sum = _mm512_mask_add_pd(sum, mask, sum, e);
    }
    return _mm512_reduce_add_pd(sum);
}

/* 2^n of whole numbers that are exponents of normal numbers. */
__attribute__((target("avx2,fma"))) static __m256d power_of_2(__m128i n)
{
    const __m256i biased = _mm256_add_epi64(_mm256_cvtepi32_epi64(n), _mm256_set1_epi64x(1023));
    return _mm256_castsi256_pd(_mm256_slli_epi64(biased, 52));
}

__attribute__((target("avx2,fma"))) static __m256d exp_avx2(__m256d given)
{
    const __m256d v = _mm256_min_pd(_mm256_set1_pd(MOST), _mm256_max_pd(_mm256_set1_pd(LEAST), given));
    const __m256d power = _mm256_round_pd(_mm256_mul_pd(v, _mm256_set1_pd(1 / M_LN2)),
                                          _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __m256d r = _mm256_fnmadd_pd(power, _mm256_set1_pd(LN2_HIGH), v);
    r = _mm256_fnmadd_pd(power, _mm256_set1_pd(LN2_LOW), r);
    __m256d sum = _mm256_set1_pd(series[0]);
    EVERY_POWER sum = _mm256_fmadd_pd(sum, r, _mm256_set1_pd(series[k]));
    /* in two steps: 2^n alone may be beyond the normal numbers */
    const __m128i n = _mm256_cvtpd_epi32(power), half = _mm_srai_epi32(n, 1);
    return _mm256_mul_pd(_mm256_mul_pd(sum, power_of_2(half)), power_of_2(_mm_sub_epi32(n, half)));
}

__attribute__((target("avx2,fma"))) static double replace_avx2(double *x, size_t n, double shift)
{
    enum { LANES = 4 };
    const __m256d all = _mm256_set1_pd(shift);
    __m256d sum = _mm256_setzero_pd();
    double part[LANES], total = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const __m256d e = exp_avx2(_mm256_sub_pd(_mm256_loadu_pd(x + i), all));
        _mm256_storeu_pd(x + i, e);
        sum = _mm256_add_pd(sum, e);
    }
    _mm256_storeu_pd(part, sum);
    for (size_t k = 0; k < LANES; k++) total += part[k];
    if (i == n) return total;
    memcpy(part, x + i, (n - i) * sizeof *x);
    _mm256_storeu_pd(part, exp_avx2(_mm256_sub_pd(_mm256_loadu_pd(part), all)));
    memcpy(x + i, part, (n - i) * sizeof *x);
    for (size_t k = 0; k < n - i; k++) total += part[k];
    return total;
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

static bool is_there(void)
{
    return true;
}

const ref_exponential *ref_exponential_at(size_t i)
{
    static const struct {
        ref_exponential of;
        bool (*runs)(void);
    } all[] = {
#ifdef __x86_64__
        {{"avx512", replace_avx512}, has_avx512},
        {{"avx2", replace_avx2}, has_avx2},
#endif
        {{"scalar", replace_each}, is_there},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].runs() && i-- == 0) return &all[k].of;
    return NULL;
}

double ref_exp(double *x, size_t n, double shift)
{
    return ref_exponential_at(0)->replace(x, n, shift);
}
