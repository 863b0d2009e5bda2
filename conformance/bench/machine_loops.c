/* Instruction sets are set by attributes of the functions that use them, so that the program runs on
 * any processor. Loops over registers have constant bounds and are unrolled, so that arrays of
 * registers stay out of memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "conformance/bench/machine_loops.h"

#define N_SUMS 8 /* independent sums, to hide the latency of the addition */

static float sum_c(const float *x, size_t n)
{
    float sums[4 * N_SUMS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i += 4 * N_SUMS)
        for (size_t k = 0; k < 4 * N_SUMS; k++) sums[k] += x[i + k];
    for (size_t k = 0; k < 4 * N_SUMS; k++) sum += sums[k];
    return sum;
}

#define C_LANES 32 /* 8 registers of 4 */

static float multiply_add_c(size_t n_rounds, float half)
{
    float a[C_LANES], sum = 0;
    for (size_t k = 0; k < C_LANES; k++) a[k] = 1;
    for (size_t r = 0; r < n_rounds; r++)
        for (size_t k = 0; k < C_LANES; k++) a[k] = a[k] * half + half;
    for (size_t k = 0; k < C_LANES; k++) sum += a[k];
    return sum;
}

static const conf_loops plain = {
    .name = "plain C", .sum = sum_c, .multiply_add = multiply_add_c, .n_lanes = C_LANES};

#ifdef __x86_64__
#include <immintrin.h>

#define N_FMAS 12 /* two units with a latency of at most 5, and two spare */

__attribute__((target("avx2,fma"))) static float sum_avx2(const float *x, size_t n)
{
    __m256 sums[N_SUMS];
    float lanes[8], sum = 0;
    for (size_t k = 0; k < N_SUMS; k++) sums[k] = _mm256_setzero_ps();
    for (size_t i = 0; i < n; i += 8 * N_SUMS) {
#pragma GCC unroll 8
        for (size_t k = 0; k < N_SUMS; k++) sums[k] = _mm256_add_ps(sums[k], _mm256_load_ps(x + i + 8 * k));
    }
    for (size_t k = 1; k < N_SUMS; k++) sums[0] = _mm256_add_ps(sums[0], sums[k]);
    _mm256_storeu_ps(lanes, sums[0]);
    for (size_t k = 0; k < 8; k++) sum += lanes[k];
    return sum;
}

__attribute__((target("avx2,fma"))) static float multiply_add_avx2(size_t n_rounds, float half)
{
    __m256 a[N_FMAS];
    const __m256 halves = _mm256_set1_ps(half);
    float lanes[8], sum = 0;
    for (size_t k = 0; k < N_FMAS; k++) a[k] = _mm256_set1_ps(1);
    for (size_t r = 0; r < n_rounds; r++) {
#pragma GCC unroll 12
        for (size_t k = 0; k < N_FMAS; k++) a[k] = _mm256_fmadd_ps(a[k], halves, halves);
    }
    for (size_t k = 1; k < N_FMAS; k++) a[0] = _mm256_add_ps(a[0], a[k]);
    _mm256_storeu_ps(lanes, a[0]);
    for (size_t k = 0; k < 8; k++) sum += lanes[k];
    return sum;
}

__attribute__((target("avx512f"))) static float sum_avx512(const float *x, size_t n)
{
    __m512 sums[N_SUMS];
    for (size_t k = 0; k < N_SUMS; k++) sums[k] = _mm512_setzero_ps();
    for (size_t i = 0; i < n; i += 16 * N_SUMS) {
#pragma GCC unroll 8
        for (size_t k = 0; k < N_SUMS; k++) sums[k] = _mm512_add_ps(sums[k], _mm512_load_ps(x + i + 16 * k));
    }
    for (size_t k = 1; k < N_SUMS; k++) sums[0] = _mm512_add_ps(sums[0], sums[k]);
    return _mm512_reduce_add_ps(sums[0]);
}

__attribute__((target("avx512f"))) static float multiply_add_avx512(size_t n_rounds, float half)
{
    __m512 a[N_FMAS];
    const __m512 halves = _mm512_set1_ps(half);
    for (size_t k = 0; k < N_FMAS; k++) a[k] = _mm512_set1_ps(1);
    for (size_t r = 0; r < n_rounds; r++) {
#pragma GCC unroll 12
        for (size_t k = 0; k < N_FMAS; k++) a[k] = _mm512_fmadd_ps(a[k], halves, halves);
    }
    for (size_t k = 1; k < N_FMAS; k++) a[0] = _mm512_add_ps(a[0], a[k]);
    return _mm512_reduce_add_ps(a[0]);
}

#ifdef FP_HAVE_AVX512BF16
/* x has one bit pattern in every 32 bits: two halves as bfloat16, four ones as bytes. */
__attribute__((target("avx512f,avx512bf16"))) static float dot_bf16(size_t n_rounds, float half)
{
    __m512 a[N_FMAS];
    const __m512bh x = (__m512bh)_mm512_set1_epi32(half == 0.5F ? 0x3F003F00 : 0);
    for (size_t k = 0; k < N_FMAS; k++) a[k] = _mm512_setzero_ps();
    for (size_t r = 0; r < n_rounds; r++) {
#pragma GCC unroll 12
        for (size_t k = 0; k < N_FMAS; k++) a[k] = _mm512_dpbf16_ps(a[k], x, x);
    }
    for (size_t k = 1; k < N_FMAS; k++) a[0] = _mm512_add_ps(a[0], a[k]);
    return _mm512_reduce_add_ps(a[0]);
}

__attribute__((target("avx512f,avx512vnni"))) static float dot_i8(size_t n_rounds, float half)
{
    __m512i a[N_FMAS];
    const __m512i x = _mm512_set1_epi32(half == 0.5F ? 0x01010101 : 0);
    for (size_t k = 0; k < N_FMAS; k++) a[k] = _mm512_setzero_si512();
    for (size_t r = 0; r < n_rounds; r++) {
#pragma GCC unroll 12
        for (size_t k = 0; k < N_FMAS; k++) a[k] = _mm512_dpbusd_epi32(a[k], x, x);
    }
    for (size_t k = 1; k < N_FMAS; k++) a[0] = _mm512_add_epi32(a[0], a[k]);
    return (float)_mm512_reduce_add_epi32(a[0]);
}

static const conf_dots avx512_bf16 = {
    .name = "VDPBF16PS", .dtype = ASSAY_BF16, .multiply_add = dot_bf16, .n_lanes = 32 * N_FMAS};
static const conf_dots avx512_vnni = {
    .name = "VPDPBUSD", .dtype = ASSAY_I8, .multiply_add = dot_i8, .n_lanes = 64 * N_FMAS};

static const conf_dots *dots_of_vectors(assay_dtype dtype)
{
    if (dtype == ASSAY_BF16 && __builtin_cpu_supports("avx512bf16")) return &avx512_bf16;
    if (dtype == ASSAY_I8 && __builtin_cpu_supports("avx512vnni")) return &avx512_vnni;
    return NULL;
}
#endif

static const conf_loops avx2 = {
    .name = "AVX2 and FMA", .sum = sum_avx2, .multiply_add = multiply_add_avx2, .n_lanes = 8 * N_FMAS};
static const conf_loops avx512 = {
    .name = "AVX-512", .sum = sum_avx512, .multiply_add = multiply_add_avx512, .n_lanes = 16 * N_FMAS};

const conf_loops *const conf_loops_all[] = {&avx512, &avx2, &plain, NULL};

bool conf_loops_run_here(const conf_loops *loops)
{
    if (loops == &avx512) return __builtin_cpu_supports("avx512f") != 0;
    if (loops == &avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return true;
}
#else
const conf_loops *const conf_loops_all[] = {&plain, NULL};

bool conf_loops_run_here(const conf_loops *loops)
{
    (void)loops;
    return true;
}
#endif

#ifndef FP_HAVE_AVX512BF16
static const conf_dots *dots_of_vectors(assay_dtype dtype)
{
    (void)dtype;
    return NULL;
}
#endif

const conf_dots *conf_dots_choose(assay_dtype dtype)
{
    const conf_dots *tiles = conf_dots_of_tiles(dtype);
    return tiles ? tiles : dots_of_vectors(dtype);
}

const conf_loops *conf_loops_choose(void)
{
    size_t i = 0;
    while (!conf_loops_run_here(conf_loops_all[i])) i++;
    return conf_loops_all[i];
}
