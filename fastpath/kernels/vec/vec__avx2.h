/* Vectors of eight floats, by the names that vec_math.h and the kernels written over vectors use. Included by
 * files that have the flags of AVX2, and by those alone; vec__avx512.h says the same of sixteen.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_VEC_H
#define FASTPATH_KERNELS_VEC_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

enum { VEC = 8 };

typedef __m256 vec;
typedef struct vec_pair { /* the same numbers in double: first half, second half */
    __m256d low, high;
} vec_pair;

static inline vec vec_of(float x)
{
    return _mm256_set1_ps(x);
}

/* 0, 1, 2, … */
static inline vec vec_indices(void)
{
    return _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
}

static inline __m256i vec_mask(size_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* Loads the first min(n, VEC) elements; the others are 0, and their memory is not accessed. */
static inline vec vec_load(const float *x, size_t n)
{
    return n < VEC ? _mm256_maskload_ps(x, vec_mask(n)) : _mm256_loadu_ps(x);
}

static inline void vec_store(float *y, vec x, size_t n)
{
    if (n < VEC) _mm256_maskstore_ps(y, vec_mask(n), x);
    else _mm256_storeu_ps(y, x);
}

static inline vec vec_add(vec a, vec b)
{
    return _mm256_add_ps(a, b);
}

static inline vec vec_sub(vec a, vec b)
{
    return _mm256_sub_ps(a, b);
}

static inline vec vec_mul(vec a, vec b)
{
    return _mm256_mul_ps(a, b);
}

static inline vec vec_div(vec a, vec b)
{
    return _mm256_div_ps(a, b);
}

/* a b + c, rounded once. */
static inline vec vec_fma(vec a, vec b, vec c)
{
    return _mm256_fmadd_ps(a, b, c);
}

/* The larger one; b if either is NaN. */
static inline vec vec_max(vec a, vec b)
{
    return _mm256_max_ps(a, b);
}

static inline vec vec_min(vec a, vec b)
{
    return _mm256_min_ps(a, b);
}

/* The largest element; any if one is NaN. */
static inline float vec_largest(vec x)
{
    __m128 y = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    y = _mm_max_ps(y, _mm_movehl_ps(y, y));
    return _mm_cvtss_f32(_mm_max_ss(y, _mm_movehdup_ps(y)));
}

/* Sum of all elements, always in the same order. */
static inline float vec_sum(vec x)
{
    __m128 y = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    y = _mm_add_ps(y, _mm_movehl_ps(y, y));
    return _mm_cvtss_f32(_mm_add_ss(y, _mm_movehdup_ps(y)));
}

static inline vec vec_abs(vec x)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), x);
}

static inline vec vec_copy_sign(vec size, vec sign)
{
    const __m256 bit = _mm256_set1_ps(-0.0F);
    return _mm256_or_ps(_mm256_andnot_ps(bit, size), _mm256_and_ps(bit, sign));
}

/* To the nearest integer. */
static inline vec vec_round(vec x)
{
    return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/* a < b ? yes : no, per lane. */
static inline vec vec_if_less(vec a, vec b, vec yes, vec no)
{
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}

/* x 2^n; n: integers from -250 to 250. */
static inline vec vec_scale(vec x, vec n)
{
    /* In two steps, since 2^n itself may overflow. */
    const __m256i all = _mm256_cvtps_epi32(n), half = _mm256_srai_epi32(all, 1),
                  rest = _mm256_sub_epi32(all, half), bias = _mm256_set1_epi32(127);
    const __m256 first = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(half, bias), 23)),
                 second = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(rest, bias), 23));
    return _mm256_mul_ps(_mm256_mul_ps(x, first), second);
}

static inline vec_pair vec_widen(vec x)
{
    return (vec_pair){_mm256_cvtps_pd(_mm256_castps256_ps128(x)),
                      _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))};
}

static inline vec vec_narrow(vec_pair x)
{
    return _mm256_set_m128(_mm256_cvtpd_ps(x.high), _mm256_cvtpd_ps(x.low));
}

static inline vec_pair vec_pair_of(double x)
{
    return (vec_pair){_mm256_set1_pd(x), _mm256_set1_pd(x)};
}

static inline vec_pair vec_pair_mul(vec_pair a, vec_pair b)
{
    return (vec_pair){_mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high)};
}

/* a b + c. */
static inline vec_pair vec_pair_fma(vec_pair a, vec_pair b, vec_pair c)
{
    return (vec_pair){_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high)};
}

/* a b - c. */
static inline vec_pair vec_pair_fms(vec_pair a, vec_pair b, vec_pair c)
{
    return (vec_pair){_mm256_fmsub_pd(a.low, b.low, c.low), _mm256_fmsub_pd(a.high, b.high, c.high)};
}

static inline void vec_pair_store(double y[VEC], vec_pair x)
{
    _mm256_storeu_pd(y, x.low);
    _mm256_storeu_pd(y + VEC / 2, x.high);
}

/* Splits a, b into the even elements of both, and the odd ones; the other function reverses it. */
static inline void vec_split(vec a, vec b, vec *even, vec *odd)
{
    const __m256 x = _mm256_permute2f128_ps(a, b, 0x20), y = _mm256_permute2f128_ps(a, b, 0x31);
    *even = _mm256_shuffle_ps(x, y, 0x88);
    *odd = _mm256_shuffle_ps(x, y, 0xDD);
}

static inline void vec_merge(vec even, vec odd, vec *a, vec *b)
{
    const __m256 x = _mm256_unpacklo_ps(even, odd), y = _mm256_unpackhi_ps(even, odd);
    *a = _mm256_permute2f128_ps(x, y, 0x20);
    *b = _mm256_permute2f128_ps(x, y, 0x31);
}

/* Eight lanes of 32 bits. */
typedef __m256i vec_bits;

static inline vec_bits vec_bits_of(uint32_t x)
{
    return _mm256_set1_epi32((int)x);
}

/* Loads VEC lanes from an aligned address. */
static inline vec_bits vec_bits_load(const void *from)
{
    return _mm256_load_si256(from);
}

/* Loads from an unaligned address. */
static inline vec_bits vec_bits_loadu(const void *from)
{
    return _mm256_loadu_si256(from);
}

static inline void vec_bits_store(void *to, vec_bits x)
{
    _mm256_store_si256(to, x);
}

static inline vec_bits vec_bits_and(vec_bits a, vec_bits b)
{
    return _mm256_and_si256(a, b);
}

static inline vec_bits vec_bits_or(vec_bits a, vec_bits b)
{
    return _mm256_or_si256(a, b);
}

static inline vec_bits vec_bits_left(vec_bits x, unsigned n)
{
    return _mm256_sllv_epi32(x, _mm256_set1_epi32((int)n));
}

static inline vec_bits vec_bits_right(vec_bits x, unsigned n)
{
    return _mm256_srlv_epi32(x, _mm256_set1_epi32((int)n));
}

/* The same for signed lanes. */
static inline vec_bits vec_bits_right_signed(vec_bits x, unsigned n)
{
    return _mm256_srav_epi32(x, _mm256_set1_epi32((int)n));
}

static inline vec_bits vec_bits_sub(vec_bits a, vec_bits b)
{
    return _mm256_sub_epi32(a, b);
}

/* Subtracts bytewise. */
static inline vec_bits vec_bytes_sub(vec_bits a, vec_bits b)
{
    return _mm256_sub_epi8(a, b);
}

/* Numbers `index` of a table of floats. */
static inline vec vec_look_up(const float *table, vec_bits index)
{
    return _mm256_i32gather_ps(table, index, sizeof *table);
}

/* Numbers of a table of 16 at an aligned address; only the lowest 4 bits of an index count. */
static inline vec vec_look_up_16(const float *table, vec_bits index)
{
    const __m256 low = _mm256_permutevar8x32_ps(_mm256_load_ps(table), index),
                 high = _mm256_permutevar8x32_ps(_mm256_load_ps(table + 8), index);
    return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(index, 28)));
}

static inline vec vec_from_bits(vec_bits x)
{
    return _mm256_castsi256_ps(x);
}

/* Signed lanes as floats. */
static inline vec vec_from_ints(vec_bits x)
{
    return _mm256_cvtepi32_ps(x);
}

static inline vec vec_load_f16(const uint16_t *x)
{
    return _mm256_cvtph_ps(_mm_load_si128((const __m128i *)x));
}

/* Loads the first min(n, VEC) elements from an unaligned address; the others are 0, and their memory is
 * not accessed. */
static inline vec vec_loadu_bf16(const uint16_t *x, size_t n)
{
    uint16_t few[VEC] = {0};
    for (size_t i = 0; n < VEC && i < n; i++) few[i] = x[i];
    const __m128i half = _mm_loadu_si128((const __m128i *)(const void *)(n < VEC ? few : x));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
}

/* sum + a · b in each lane, a of four unsigned, b of four signed bytes. */
static inline vec_bits vec_bytes_dot(vec_bits sum, vec_bits a, vec_bits b)
{
    const __m256i low = _mm256_set1_epi16(0xFF);
    __m256i even = _mm256_madd_epi16(_mm256_and_si256(a, low), _mm256_srai_epi16(_mm256_slli_epi16(b, 8), 8));
    __m256i odd = _mm256_madd_epi16(_mm256_srli_epi16(a, 8), _mm256_srai_epi16(b, 8));
    return _mm256_add_epi32(sum, _mm256_add_epi32(even, odd));
}

/* Rounds to nearest, ties to even; x must fit an int32_t. */
static inline vec_bits vec_to_ints(vec x)
{
    return _mm256_cvtps_epi32(x);
}

static inline vec_bits vec_bits_add(vec_bits a, vec_bits b)
{
    return _mm256_add_epi32(a, b);
}

/* Stores to an unaligned address. */
static inline void vec_bits_storeu(void *to, vec_bits x)
{
    _mm256_storeu_si256(to, x);
}

/* Stores lanes of -128 … 127, one byte each. */
static inline void vec_store_i8(int8_t *y, vec_bits x)
{
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    _mm_storel_epi64((__m128i *)(void *)y, _mm_packs_epi16(words, words));
}

/* Stores as bfloat16, rounded to nearest, ties to even; NaN stays NaN. */
static inline void vec_store_bf16(uint16_t *y, vec x)
{
    const __m256i bits = _mm256_castps_si256(x);
    __m256i even = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    __m256i near = _mm256_add_epi32(bits, _mm256_add_epi32(even, _mm256_set1_epi32(0x7FFF)));
    __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    near = _mm256_blendv_epi8(near, quiet, _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q)));
    near = _mm256_srli_epi32(near, 16);
    _mm_storeu_si128((__m128i *)(void *)y,
                     _mm_packus_epi32(_mm256_castsi256_si128(near), _mm256_extracti128_si256(near, 1)));
}

#endif
